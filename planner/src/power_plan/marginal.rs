//! What sleeping saves in a gap of one node by itself: what offers rest on that count idle energy.

use std::collections::HashMap;

use super::PowerProblem;
use super::amounts::RankBy;
use super::finder::Finder;
use super::gaps::Gaps;
use super::tariff::Tariffs;
use crate::criterion::Criterion;
use crate::time::{Span, Timestamp};

/// A problem of power actions, the gaps of its nodes, and what power costs over its horizon.
pub(crate) struct GapBasis {
    problem: PowerProblem,
    tariffs: Tariffs,
    gaps: Gaps,
}

/// A kind of node that may sleep, and when it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sleeper {
    kind: usize,
    permits: usize,
}

/// What the best sleeps of gaps save, each looked for once.
pub(crate) struct GapSavings<'a> {
    basis: &'a GapBasis,
    finder: Finder<'a>,
    known: HashMap<(Sleeper, Span), [i128; 3]>,
}

impl GapBasis {
    /// The basis of a problem. Sleeps are ranked as it says, and of equals by the other criteria, all of which are known
    /// where a sleep is.
    pub fn new(problem: PowerProblem) -> Self {
        let rank_by = problem.rank_by.with_all();
        let problem = PowerProblem { rank_by, ..problem };
        let tariffs = Tariffs::new(&problem.agendas, rank_by, problem.horizon);
        let PowerProblem { nodes, reservations, outages, horizon, .. } = &problem;
        let gaps = Gaps::new(nodes.count(), reservations, outages, *horizon);
        Self { problem, tariffs, gaps }
    }

    /// The gap of a node, by ordinal, that an instant is in; `None` after the horizon.
    pub fn gap_at(&self, ordinal: u32, instant: Timestamp) -> Option<Span> {
        let gaps = self.gaps.of(ordinal);
        let after = gaps.partition_point(|gap| gap.end() <= instant);
        gaps.get(after).copied().filter(|gap| gap.contains(instant))
    }
}

impl<'a> GapSavings<'a> {
    /// Nothing looked for yet.
    pub fn new(basis: &'a GapBasis) -> Self {
        let finder = Finder::new(&basis.problem, &basis.tariffs);
        Self { basis, finder, known: HashMap::new() }
    }

    /// The kind of a node, by ordinal; `None` where it never sleeps.
    pub fn sleeper(&mut self, ordinal: u32) -> Option<Sleeper> {
        let node = self.basis.problem.switchable(ordinal)?;
        let permits = *self.finder.permits_of.get(ordinal as usize)? as usize;
        let sleeps = !self.finder.permits[permits].is_empty();
        sleeps.then(|| Sleeper { kind: self.finder.kind(node), permits })
    }

    /// What the best sleep of a gap saves, in thousandths by criterion: nothing where none pays.
    pub fn of(&mut self, sleeper: Sleeper, gap: Span) -> [i128; 3] {
        let Self { basis, finder, known } = self;
        *known.entry((sleeper, gap)).or_insert_with(|| {
            let Sleeper { kind, permits } = sleeper;
            match finder.best(kind, permits, gap, &[gap]) {
                Ok((sleep, worth)) if worth > [0; 3] => {
                    let saves = finder.kinds[kind].saves(sleep) - basis.problem.cycle_cost();
                    Criterion::ALL.map(|criterion| saves.thousandths(criterion).unwrap_or(0))
                }
                _ => [0; 3],
            }
        })
    }
}

impl RankBy {
    /// This order, and after it the criteria that it does not have.
    fn with_all(self) -> Self {
        let own: Vec<Criterion> = self.criteria().collect();
        let others = Criterion::ALL.into_iter().filter(|it| !own.contains(it));
        let all: Vec<Criterion> = own.iter().copied().chain(others).collect();
        Self::new(&all).unwrap_or(self)
    }
}
