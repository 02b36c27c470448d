//! What a start changes of idle energy, derived again: the best sleep of every gap that it cuts, from every instant at which a
//! best order can be.
//!
//! Shared with the planner of power actions are what the site says, and [`Permits`], which joins its rights.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use super::agendas::integral;
use super::sleep_cost::{Amounts, Course, SleepCosts};
use crate::criterion::Criterion;
use crate::idle_energy::{Fit, IdleEnergy};
use crate::node_set::NodeSet;
use crate::power_plan::{Permits, RightAction, Switching};
use crate::problem::PlanningProblem;
use crate::quantity::Power;
use crate::time::Span;

/// Judges idle energy, the best sleep of each gap found once.
pub(super) struct IdleJudge<'a> {
    problem: &'a PlanningProblem,
    idle: &'a IdleEnergy,
    horizon: Option<Span>,
    course: Course,
    /// By ordinal, the first node of the same kind, whose gaps stand for its own.
    alike: Vec<u32>,
    saved: RefCell<HashMap<(u32, Span), Amounts>>,
}

/// What makes nodes alike: idle power, switching, and which rights are about them.
type Kind = (Power, Option<Switching>, Vec<bool>);

/// Where a node stands among those to choose from, beside its draw: the energy that counts, and its gap.
pub(super) type Preferred = (i128, bool, i64);

impl<'a> IdleJudge<'a> {
    /// The judge of a problem that counts idle energy.
    pub fn of(problem: &'a PlanningProblem) -> Option<Self> {
        let idle = problem.idle_energy.as_ref()?;
        let horizon = Span::new(problem.now, idle.until);
        let course = Course::of(&problem.agendas, horizon);
        let mut kinds: Vec<(Kind, u32)> = Vec::new();
        let alike = (0..problem.nodes.count()).map(|node| {
            let kind = (
                problem.nodes.as_slice()[node as usize].idle(),
                idle.rules.switching.get(node as usize).copied().flatten(),
                idle.rules.rights.iter().map(|right| right.nodes.contains(node)).collect(),
            );
            if let Some((_, first)) = kinds.iter().find(|(other, _)| *other == kind) {
                return *first;
            }
            kinds.push((kind, node));
            node
        });
        let alike = alike.collect();
        Some(Self { problem, idle, horizon, course, alike, saved: RefCell::default() })
    }

    /// What a start on these nodes changes, in exact units by criterion.
    pub fn change(&self, ordinals: &NodeSet, span: Span) -> [i128; 3] {
        let nodes = self.problem.nodes.as_slice();
        let mut lost = [0; 3];
        let mut idle = 0;
        for ordinal in ordinals.positions() {
            idle += i128::from(nodes[ordinal as usize].idle().as_microwatts());
            let of_node = self.lost(ordinal, span);
            lost = std::array::from_fn(|it| lost[it] + of_node[it]);
        }
        let agendas = &self.problem.agendas;
        let integrals = [
            i128::from(span.length().get()),
            integral(agendas.price.agenda(), span),
            integral(agendas.co2.agenda(), span),
        ];
        // To the nearest, halves upwards.
        std::array::from_fn(|it| (lost[it] + 500).div_euclid(1000) - idle * integrals[it])
    }

    /// Where a node that would draw so much stands among those that a start may take.
    pub fn preferred(&self, ordinal: u32, draw_uw: i64, span: Span) -> Preferred {
        if self.idle.fit == Fit::LeastDraw {
            return (0, false, 0);
        }
        let idle = self.problem.nodes.as_slice()[ordinal as usize].idle();
        let beyond_idle = i128::from(draw_uw - idle.as_microwatts());
        let energy = beyond_idle * i128::from(span.length().get()) * 1000
            + self.lost(ordinal, span)[Criterion::Energy as usize];
        let gap = self.gap(ordinal, span);
        (energy, gap.is_none(), gap.map_or(0, |gap| gap.length().get()))
    }

    /// What sleeping saves less on a node, in thousandths.
    fn lost(&self, ordinal: u32, span: Span) -> Amounts {
        let Some(gap) = self.gap(ordinal, span) else { return [0; 3] };
        let left = [Span::new(gap.start(), span.start()), Span::new(span.end(), gap.end())];
        left.into_iter().flatten().fold(self.saved(ordinal, gap), |lost, left| {
            let saved = self.saved(ordinal, left);
            std::array::from_fn(|it| lost[it] - saved[it])
        })
    }

    /// The time around a start in which nobody has the node, within the horizon.
    fn gap(&self, ordinal: u32, span: Span) -> Option<Span> {
        let horizon = self.horizon.filter(|horizon| horizon.contains(span.start()))?;
        let reserved = self.problem.reservations.iter().map(|it| (it.span, &it.nodes));
        let out = self.problem.outages.iter().map(|it| (it.span, &it.nodes));
        let (mut start, mut end) = (horizon.start(), horizon.end());
        for (taken, _) in reserved.chain(out).filter(|(_, nodes)| nodes.contains(ordinal)) {
            if taken.end() <= span.start() {
                start = start.max(taken.end());
            } else {
                end = end.min(taken.start());
            }
        }
        Span::new(start, end)
    }

    fn saved(&self, ordinal: u32, gap: Span) -> Amounts {
        let first = self.alike[ordinal as usize];
        if let Some(saved) = self.saved.borrow().get(&(first, gap)) {
            return *saved;
        }
        let saved = self.best_sleep(first, gap).unwrap_or_default();
        self.saved.borrow_mut().insert((first, gap), saved);
        saved
    }

    /// What the best sleep of a gap saves; `None` where none pays.
    fn best_sleep(&self, ordinal: u32, gap: Span) -> Option<Amounts> {
        let rules = &self.idle.rules;
        let Switching { sleep, boot } = (*rules.switching.get(ordinal as usize)?)?;
        let rights = rules.rights.iter().filter(|right| right.nodes.contains(ordinal));
        let permits = Permits::of(rights, RightAction::Off, self.horizon?);
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let (probability, loss) = rules.failure;
        let cycle = rules.wear + loss.times_millionths(probability);
        let costs = SleepCosts {
            course: &self.course,
            idle: self.problem.nodes.as_slice()[ordinal as usize].idle(),
            sleep,
            lead_ms: ms(boot).max(ms(sleep.switching_on.time)),
            cycle: Criterion::ALL.map(|criterion| cycle.thousandths(criterion).unwrap_or(0)),
        };
        let mut order: Vec<Criterion> = rules.rank_by.criteria().collect();
        order.extend(
            Criterion::ALL.into_iter().filter(|it| !rules.rank_by.criteria().any(|own| own == *it)),
        );
        costs.best(gap, &permits, &order)
    }
}
