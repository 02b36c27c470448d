//! Nodes that are off at the start: what a plan says of them, second by second.

use planner::agenda::Agenda;
use planner::criterion::Criterion;
use planner::power_plan::{PlannedWaking, PowerPlan, Switching};
use planner::quantity::Rate;
use planner::time::Span;

use super::{Oracle, Worth, integral, ms};

/// When a node that was off is away: from one millisecond until another, and when waking it draws power.
#[derive(Clone, Copy, Debug)]
pub(super) struct BegunAway {
    pub node: u32,
    pub from: i64,
    pub up: i64,
    pub wake: Option<i64>,
    pub exceeds_cap: bool,
    /// Until then it cannot be up.
    pub earliest_up: i64,
    /// Whether it is in its first gap.
    pub is_first: bool,
}

fn length(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap()
}

impl Oracle<'_> {
    fn lead(&self, node: u32) -> Option<i64> {
        let Switching { sleep, boot } = self.problem.switching[node as usize]?;
        Some(length(boot).max(length(sleep.switching_on.time)))
    }

    /// The first second at which somebody has a node that is not out of service.
    fn needed(&self, node: u32) -> Option<i64> {
        self.seconds().find(|second| {
            let at = planner::time::Timestamp::from_unix_seconds(*second);
            let has = |span: Span, nodes: &planner::node_set::NodeSet| {
                span.contains(at) && nodes.contains(node)
            };
            self.problem.reservations.iter().any(|it| has(it.span, &it.nodes))
                && !self.problem.outages.iter().any(|it| has(it.span, &it.nodes))
        })
    }

    /// The gaps of a node that is asleep in which a plan says something of waking it, and the millisecond at which it is up.
    fn told_of<'b>(&self, plan: &'b PowerPlan, node: u32) -> (Vec<&'b PlannedWaking>, i64) {
        let told: Vec<&PlannedWaking> = plan.wakings.iter().filter(|it| it.node == node).collect();
        let woken = told.last().and_then(|last| last.wake_ms);
        let lead = self.lead(node).unwrap_or(0);
        (told, woken.map_or(i64::MIN, |wake| wake + lead))
    }

    /// Whether a gap of a node begins with the node up.
    pub fn begins_up(&self, plan: &PowerPlan, node: u32, gap: Span) -> bool {
        let (told, up) = self.told_of(plan, node);
        told.iter().all(|it| it.gap != Some(gap)) && up <= ms(gap.start())
    }

    /// What being off in a gap saves; what is not known is worth nothing.
    fn begun_worth(&self, node: u32, gap: Span, wake: Option<i64>) -> Worth {
        let saves = self.begun_saves(node, (ms(gap.start()), wake, ms(gap.end())));
        let mut worth = [0; 3];
        for (place, criterion) in self.problem.rank_by.criteria().enumerate() {
            worth[place] = saves[criterion as usize].0;
        }
        worth
    }

    /// What being off saves by criterion as far as rates are known, and whether they are throughout.
    fn begun_saves(
        &self,
        node: u32,
        (from, wake, end): (i64, Option<i64>, i64),
    ) -> [(i128, bool); 3] {
        let Switching { sleep, .. } = self.problem.switching[node as usize].unwrap();
        let idle = self.problem.nodes.as_slice()[node as usize].idle();
        let up = length(sleep.switching_on.time);
        let mut parts = vec![(from, wake.unwrap_or(end), sleep.off)];
        parts.extend(wake.map(|wake| (wake, wake + up, sleep.switching_on.power)));
        let agendas = &self.problem.agendas;
        Criterion::ALL.map(|criterion| {
            let (mut saved, mut is_known) = (0, true);
            for (from, until, power) in &parts {
                let lower = i128::from(idle.as_microwatts() - power.as_microwatts());
                let (sum, known) = match criterion {
                    Criterion::Energy => (i128::from(until - from), true),
                    Criterion::Cost => sum_of_known(agendas.price.agenda(), *from, *until),
                    Criterion::Co2 => sum_of_known(agendas.co2.agenda(), *from, *until),
                };
                saved += lower * sum;
                is_known &= known;
            }
            (saved, is_known)
        })
    }

    /// Whether what a plan says of nodes that are off is right: each gap in its turn until the node is woken, in time for what
    /// is booked, and where `is_alone` at the best of all instants on a grid of half seconds.
    pub fn check_begun(&self, plan: &PowerPlan, is_alone: bool) {
        let mut count = 0;
        for node in self.problem.asleep.positions() {
            let Some(lead) = self.lead(node) else { continue };
            let (told, _) = self.told_of(plan, node);
            count += told.len();
            let needed = self.needed(node);
            let before = |gap: &Span| needed.is_none_or(|at| gap.start().as_unix_seconds() < at);
            let gaps: Vec<Span> = self.gaps_of(node).into_iter().filter(before).collect();
            let is_long = |gap: &&Span| ms(gap.end()) - ms(gap.start()) >= lead;
            let in_time = gaps.iter().rev().find(is_long);
            let chance = in_time.or(gaps.last()).filter(|_| needed.is_some());
            for (waking, place) in told.iter().zip(0..) {
                assert!(place == 0 || told[place - 1].wake_ms.is_none(), "{told:?}");
                assert_eq!(waking.gap, gaps.get(place).copied(), "{told:?}");
                let up = waking.wake_ms.map(|wake| wake + lead);
                let late = up.zip(needed).map_or(0, |(up, needed)| (up - needed * 1000).max(0));
                assert_eq!(waking.late_ms, late, "{waking:?}");
                assert!(late == 0 || in_time.is_none(), "{waking:?}");
                assert!(!waking.exceeds_cap || needed.is_some(), "{waking:?}");
                let Some(gap) = waking.gap else {
                    assert_eq!(waking.wake_ms, needed.map(|at| at * 1000));
                    continue;
                };
                assert!(chance != Some(&gap) || waking.wake_ms.is_some(), "{waking:?}");
                self.check_waking(waking, (gap, lead), chance == Some(&gap), is_alone);
            }
            let is_woken = told.last().is_some_and(|last| last.wake_ms.is_some());
            assert!(is_woken || needed.is_none() && told.len() == gaps.len(), "{told:?}");
        }
        assert_eq!(plan.wakings.len(), count, "{:?}", plan.wakings);
    }

    fn check_waking(
        &self,
        waking: &PlannedWaking,
        (gap, lead): (Span, i64),
        is_last_chance: bool,
        is_alone: bool,
    ) {
        let (start, last) = (ms(gap.start()), ms(gap.end()) - lead);
        let node = waking.node;
        if let Some(wake) = waking.wake_ms {
            let is_late = last < start && is_last_chance && wake == start;
            assert!(is_late || (start..=last).contains(&wake), "{waking:?}");
        }
        let end = waking.wake_ms.map_or(0, |wake| wake + lead);
        if end <= ms(self.problem.horizon.end()) {
            let saves = self.begun_saves(node, (start, waking.wake_ms, ms(gap.end())));
            let told = Criterion::ALL.map(|criterion| waking.saves.thousandths(criterion));
            assert_eq!(told, saves.map(|(sum, is_known)| is_known.then_some(sum)), "{waking:?}");
        }
        if is_alone && start <= last {
            let wakes = (start..=last).step_by(500).map(Some);
            let stays = (!is_last_chance).then_some(None);
            let best = wakes.chain(stays).map(|wake| self.begun_worth(node, gap, wake)).max();
            assert_eq!(Some(self.begun_worth(node, gap, waking.wake_ms)), best, "{waking:?}");
        }
    }

    /// When nodes that were off are away by a plan.
    pub(super) fn begun_away(&self, plan: &PowerPlan) -> Vec<BegunAway> {
        let away = |it: &PlannedWaking| {
            let lead = self.lead(it.node).unwrap();
            let from = it.gap.map_or_else(|| it.wake_ms.unwrap(), |gap| ms(gap.start()));
            BegunAway {
                node: it.node,
                from,
                up: it.wake_ms.map_or_else(|| ms(it.gap.unwrap().end()), |wake| wake + lead),
                wake: it.wake_ms,
                exceeds_cap: it.exceeds_cap,
                earliest_up: from + lead,
                is_first: plan.wakings.iter().find(|other| other.node == it.node) == Some(it),
            }
        };
        plan.wakings.iter().map(away).collect()
    }

    /// In a second, so many nodes of a rule may be away, and more are: whether some of those that were off could be up.
    pub(super) fn could_be_up(begun: &[&BegunAway], second: i64) -> bool {
        let earliest = |it: &&&BegunAway| second * 1000 < it.earliest_up;
        let later_ones_cannot = begun.iter().filter(earliest).any(|it| !it.is_first);
        !later_ones_cannot && begun.iter().any(|it| !earliest(&it))
    }
}

/// The integral of a rate as far as it is known, and whether it is throughout.
fn sum_of_known<R: Rate>(agenda: &Agenda<R>, from: i64, until: i64) -> (i128, bool) {
    let known = |(start, end): (i64, i64)| integral(agenda, start, end);
    let millis = (from..until).step_by(500).map(|at| (at, (at + 500).min(until)));
    let sum = millis.filter_map(known).sum();
    (sum, integral(agenda, from, until).is_some())
}
