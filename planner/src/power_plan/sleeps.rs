//! The sleeps that each node would have if there were no other.

use super::amounts::Key;
use super::arrivals::SkiRental;
use super::days::{DAY_MS, DayOption, choose};
use super::finder::{Finder, days_of};
use super::gaps::Gaps;
use super::kind::BestSleep;
use super::refusal::Refusal;
use super::tariff::millis;
use super::wakings::Wakings;
use super::{PowerProblem, RefusedGap};
use crate::cancelled::Cancelled;
use crate::time::Span;

/// So many nodes are gone through before it is asked whether to stop.
const NODES_AT_A_TIME: u32 = 1000;

/// The sleeps of all nodes, each by itself, and the gaps without one.
pub(super) struct Sleeps<'a> {
    pub finder: Finder<'a>,
    pub wanted: Vec<Wanted>,
    pub refused: Vec<RefusedGap>,
}

/// A sleep that a node would have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub node: u32,
    pub gap: Span,
    /// The part of the gap in which the node may be away, whatever others do.
    pub within: Span,
    pub sleep: BestSleep,
    pub worth: Key,
    /// Which kind of node it is, and which permits it has.
    pub kind: usize,
    pub permits: usize,
}

impl<'a> Sleeps<'a> {
    /// Looks at every gap of every node but those in which it is off already.
    pub fn of(
        problem: &PowerProblem,
        finder: Finder<'a>,
        gaps: &Gaps,
        (wakings, rental): (&Wakings, &SkiRental<'_>),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, Cancelled> {
        let mut all = Self { finder, wanted: Vec::new(), refused: Vec::new() };
        for ordinal in 0..problem.nodes.count() {
            if ordinal % NODES_AT_A_TIME == 0 && is_cancelled() {
                return Err(Cancelled);
            }
            let woken = wakings.of_node(ordinal);
            let own = &gaps.of(ordinal)[woken.gaps..];
            let waking = own.partition_point(|gap| millis(gap.start()) < woken.up_ms);
            all.refuse(ordinal, &own[..waking], &Refusal::StillWaking);
            all.look_at(problem, rental, ordinal, &own[waking..]);
        }
        Ok(all)
    }

    fn look_at(
        &mut self,
        problem: &PowerProblem,
        rental: &SkiRental<'_>,
        ordinal: u32,
        gaps: &[Span],
    ) {
        let permits = self.finder.permits_of[ordinal as usize] as usize;
        let refusal = match problem.switchable(ordinal) {
            None => Refusal::NotSwitchable,
            Some(_) if self.finder.permits[permits].is_empty() => Refusal::NoRight,
            Some(node) => {
                let kind = self.finder.kind(node);
                return self.look_at_gaps(problem, rental, (ordinal, kind, permits), gaps);
            }
        };
        self.refuse(ordinal, gaps, &refusal);
    }

    fn refuse(&mut self, node: u32, gaps: &[Span], because: &Refusal) {
        let refused = |gap: &Span| RefusedGap { node, gap: *gap, because: because.clone() };
        self.refused.extend(gaps.iter().map(refused));
    }

    fn look_at_gaps(
        &mut self,
        problem: &PowerProblem,
        rental: &SkiRental<'_>,
        (node, kind, permits): (u32, usize, usize),
        gaps: &[Span],
    ) {
        let first = self.wanted.len();
        let switchable = self.finder.kinds[kind].node;
        let least_ms = switchable.off_ms() + switchable.lead_ms();
        let is_long = |span: Span| millis(span.end()) - millis(span.start()) >= least_ms;
        for &gap in gaps {
            let within = rental.within(problem, (node, &switchable), gap);
            let Some(within) = within.filter(|within| is_long(*within) || !is_long(gap)) else {
                self.refuse(node, &[gap], &Refusal::NotIdleForLong);
                continue;
            };
            match self.finder.best(kind, permits, within, &[within]) {
                Ok((sleep, worth)) if worth > [0; 3] => {
                    self.wanted.push(Wanted { node, gap, within, sleep, worth, kind, permits });
                }
                Ok((sleep, worth)) => {
                    let because = self.finder.does_not_pay(problem, kind, sleep, worth);
                    self.refused.push(RefusedGap { node, gap, because });
                }
                Err(because) => self.refused.push(RefusedGap { node, gap, because }),
            }
        }
        if let Some(most) = problem.most_switches_per_day {
            self.keep_days(first, most);
        }
    }

    /// Of the sleeps from one on, all of one node, keeps those that are worth the most where so many may begin on a day.
    fn keep_days(&mut self, first: usize, most: u32) {
        let own = self.wanted.split_off(first);
        let day = |wanted: &Wanted| wanted.sleep.times.off_ms.div_euclid(DAY_MS);
        let most_of_a_day =
            own.chunk_by(|one, other| day(one) == day(other)).map(<[Wanted]>::len).max();
        if most_of_a_day.unwrap_or(0) <= most as usize {
            self.wanted.extend(own);
            return;
        }
        let options: Vec<Vec<DayOption<Wanted>>> =
            own.iter().map(|wanted| self.by_day(*wanted)).collect();
        for (wanted, chosen) in own.into_iter().zip(choose(&options, most)) {
            match chosen {
                Some(chosen) => self.wanted.push(chosen),
                None => self.refused.push(RefusedGap {
                    node: wanted.node,
                    gap: wanted.gap,
                    because: Refusal::MostSwitches { most },
                }),
            }
        }
    }

    /// The sleeps that a gap may have, by the day on which they begin.
    fn by_day(&self, wanted: Wanted) -> Vec<DayOption<Wanted>> {
        let Wanted { within, kind, permits, .. } = wanted;
        let on_day = |day: i64| {
            let (sleep, worth) = self.finder.best_on_day(kind, permits, &[within], day)?;
            (worth > [0; 3]).then_some(DayOption {
                day,
                worth,
                sleep: Wanted { sleep, worth, ..wanted },
            })
        };
        days_of(within).filter_map(on_day).collect()
    }
}
