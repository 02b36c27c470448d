//! The load of a queue beside: so many nodes stay on that its work is done within a load horizon.
//!
//! The liquid load horizon (Batsim thesis, 7.4.1; the batch simulator's `policy::core::load`) is how long it takes until
//! everything that waits is computed, if it could be poured over the machines that are free.

use std::borrow::Cow;

use super::gaps::{Gaps, free_changes};
use super::{KeepWarm, PowerProblem};
use crate::node_set::NodeSet;
use crate::time::{Seconds, Timestamp};

/// The most work that may wait: with it every product is far inside 128 bits.
pub const MAX_QUEUED_NODE_S: i64 = 1_000_000_000_000;

/// A queue beside, whose jobs nobody announced, and by when its work is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueLoad {
    /// How its nodes are told, such as `partition "batch"`.
    pub name: Box<str>,
    /// The nodes that its jobs may have, by ordinal.
    pub among: NodeSet,
    /// The work that waits, node-seconds.
    pub queued_node_s: i64,
    /// The longest load horizon: the nodes that stay on do the work in this time.
    pub horizon: Seconds,
}

/// From an instant on so many nodes are free.
type Step = (Timestamp, i64);

impl QueueLoad {
    /// The fewest nodes over which the work can be poured within the load horizon, and until when they are needed: nodes that
    /// nobody has count, and after the plan's horizon all do. Where even all take longer, all are needed until the work is done.
    pub fn needed(&self, problem: &PowerProblem) -> (u32, Timestamp) {
        self.needed_in(&problem.gaps(), problem)
    }

    fn needed_in(&self, gaps: &Gaps, problem: &PowerProblem) -> (u32, Timestamp) {
        let now = problem.horizon.start();
        if self.queued_node_s <= 0 || self.among.is_empty() {
            return (0, now);
        }
        let steps = self.free(gaps, problem);
        let by = now + self.horizon;
        let most = i64::from(self.among.count());
        let (mut too_few, mut enough) = (0, most);
        while enough - too_few > 1 {
            let nodes = i64::midpoint(too_few, enough);
            let is_enough = self.done_at(&steps, nodes) <= by;
            (too_few, enough) = if is_enough { (too_few, nodes) } else { (nodes, enough) };
        }
        (u32::try_from(enough).unwrap_or(u32::MAX), self.done_at(&steps, enough))
    }

    /// How many nodes nobody has, over time; the last step has no end.
    fn free(&self, gaps: &Gaps, problem: &PowerProblem) -> Vec<Step> {
        let mut count = 0;
        let mut steps: Vec<Step> = vec![(problem.horizon.start(), 0)];
        for (at, change) in free_changes(gaps, &self.among) {
            count += change;
            match steps.last_mut().filter(|last| last.0 == at) {
                Some(last) => last.1 = count,
                None => steps.push((at, count)),
            }
        }
        steps.retain(|step| step.0 < problem.horizon.end());
        steps.push((problem.horizon.end(), i64::from(self.among.count())));
        steps
    }

    /// The first second at which the work is done that is poured over so many free nodes at the most, which are one or more.
    fn done_at(&self, steps: &[Step], nodes: i64) -> Timestamp {
        let mut left = self.queued_node_s;
        for (step, next) in steps.iter().zip(&steps[1..]) {
            let used = step.1.min(nodes);
            let done =
                i128::from(used) * i128::from(next.0.as_unix_seconds() - step.0.as_unix_seconds());
            if done >= i128::from(left) {
                return step.0 + Seconds::new((left + used - 1) / used);
            }
            left -= i64::try_from(done).unwrap_or(left);
        }
        let (last, free) = steps[steps.len() - 1];
        let used = free.min(nodes);
        last + Seconds::new((left + used - 1) / used)
    }
}

/// The problem in which queues keep nodes warm for their load.
pub(super) fn with_loads<'a>(problem: &'a PowerProblem, gaps: &Gaps) -> Cow<'a, PowerProblem> {
    if problem.loads.is_empty() {
        return Cow::Borrowed(problem);
    }
    let mut problem = problem.clone();
    for load in std::mem::take(&mut problem.loads) {
        let (nodes, until) = load.needed_in(gaps, &problem);
        let QueueLoad { name, among, .. } = load;
        problem.keep_warm.push(KeepWarm { name, among, nodes, until: Some(until) });
    }
    Cow::Owned(problem)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::agenda::{Agenda, Agendas, RateAgenda};
    use crate::book::BookedSpan;
    use crate::cap_scope::CapScope;
    use crate::criterion::Criterion;
    use crate::node::{Node, Nodes};
    use crate::power_plan::{
        CriteriaAmounts, PowerPlan, RankBy, Right, RightAction, RightLevel, Switching, plan_power,
    };
    use crate::power_states::{Sleep, Transition};
    use crate::quantity::Power;
    use crate::time::Span;

    fn watts(watts: f64) -> Power {
        Power::from_watts(watts).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_unix_seconds(second)
    }

    fn load(nodes: u32, queued_node_s: i64, horizon: i64) -> QueueLoad {
        let among = NodeSet::from_positions(0..nodes);
        QueueLoad { name: "all".into(), among, queued_node_s, horizon: Seconds::new(horizon) }
    }

    /// Nodes of 95 W idle that switch in 10 s and in 20 s, and are booked from some second on until another.
    fn problem(end: i64, booked: &[Option<(i64, i64)>], loads: Vec<QueueLoad>) -> PowerProblem {
        let count = u32::try_from(booked.len()).unwrap();
        let node = Node::new(watts(95.0), watts(190.0), None).unwrap();
        let transition =
            |s| Transition { power: watts(100.0), time: std::time::Duration::from_secs(s) };
        let sleep = Sleep {
            number: 1,
            off: watts(10.0),
            switching_off: transition(10),
            switching_on: transition(20),
        };
        let booked = (0..).zip(booked).filter_map(|(place, span)| {
            let (start, end) = (*span)?;
            Some(BookedSpan {
                id: Arc::from(place.to_string()),
                span: Span::new(at(start), at(end))?,
                nodes: NodeSet::from_positions([place]),
            })
        });
        PowerProblem {
            horizon: Span::new(at(0), at(end)).unwrap(),
            nodes: Arc::new(Nodes::numbered(vec![node; count as usize]).unwrap()),
            asleep: NodeSet::new(),
            switching: vec![
                Some(Switching { sleep, boot: sleep.switching_on.time });
                count as usize
            ],
            reservations: booked.collect(),
            outages: Vec::new(),
            agendas: Agendas {
                price: RateAgenda::new(Agenda::new(Vec::new()).unwrap()),
                co2: RateAgenda::new(Agenda::new(Vec::new()).unwrap()),
                power_cap: None,
            },
            cap_scope: CapScope::ReservedNodes,
            rights: vec![Right {
                nodes: NodeSet::from_positions(0..count),
                level: RightLevel::Automatic,
                actions: vec![RightAction::Off],
                windows: Vec::new(),
            }],
            keep_warm: Vec::new(),
            unannounced: NodeSet::new(),
            loads,
            idle_since: BTreeMap::new(),
            most_switches_per_day: None,
            rank_by: RankBy::new(&[Criterion::Energy]).unwrap(),
            wear: CriteriaAmounts::ZERO,
            failure: (0, CriteriaAmounts::ZERO),
        }
    }

    fn planned(problem: &PowerProblem) -> PowerPlan {
        plan_power(problem, &|| false).unwrap()
    }

    /// 3,000 node-seconds in 1,000 s take 3 of 4 nodes, until 1,000 s; in 1,100 s they take 3 as well, since 2 do 2,200. The fourth sleeps
    /// at once, the others from 1,000 s on. Where one of the four is booked until 600 s, the nodes do 3 x 600 = 1,800 and then
    /// 1,200 more: 3 of them by 1,000 s. Where three are, one does 600, and 2,400 are left for 400 s: even 4 take 600 s, to 1,200 s.
    #[test]
    fn so_many_nodes_stay_on_that_the_queue_is_done_in_time() {
        let asked = |booked: &[Option<(i64, i64)>], horizon| {
            load(4, 3_000, horizon).needed(&problem(10_000, booked, Vec::new()))
        };
        assert_eq!(asked(&[None; 4], 1_000), (3, at(1_000)));
        assert_eq!(asked(&[None; 4], 1_100), (3, at(1_000)));
        assert_eq!(asked(&[None; 4], 3_000), (1, at(3_000)));
        let until_600 = Some((0, 600));
        assert_eq!(asked(&[until_600, None, None, None], 1_000), (3, at(1_000)));
        assert_eq!(asked(&[until_600, until_600, until_600, None], 1_000), (4, at(1_200)));
        let plan = planned(&problem(10_000, &[None; 4], vec![load(4, 3_000, 1_000)]));
        let mut off: Vec<i64> = plan.sleeps.iter().map(|it| it.times.off_ms).collect();
        off.sort_unstable();
        assert_eq!(off, [0, 1_000_000, 1_000_000, 1_000_000]);
        // Without work everybody sleeps at once.
        let plan = planned(&problem(10_000, &[None; 4], vec![load(4, 0, 1_000)]));
        assert!(plan.sleeps.len() == 4 && plan.sleeps.iter().all(|it| it.times.off_ms == 0));
    }

    /// A node that is off is woken for the work of a queue: one node does 500 node-seconds in 1,000 s, two take 500 s.
    #[test]
    fn nodes_that_are_off_are_woken_for_a_queue() {
        let woken = |horizon| {
            let asleep = NodeSet::from_positions([1]);
            let problem = problem(10_000, &[None; 2], vec![load(2, 1_000, horizon)]);
            planned(&PowerProblem { asleep, ..problem }).wakings[0].wake_ms
        };
        assert_eq!((woken(1_000), woken(500)), (None, Some(0)));
    }

    proptest! {
        /// Second by second: so many nodes do the work until the instant that is told, one fewer does not by the load horizon;
        /// and at every second before as many that nobody has are up, or all of them.
        #[test]
        fn as_many_stay_on_as_it_takes_and_no_more(
            booked in prop::collection::vec(prop::option::of((0_i64..200, 1_i64..200)), 1..6),
            (queued, horizon) in (0_i64..900, 1_i64..300),
        ) {
            let booked: Vec<Option<(i64, i64)>> =
                booked.into_iter().map(|it| it.map(|(start, length)| (start, start + length))).collect();
            let count = i64::try_from(booked.len()).unwrap();
            let is_free = |node: usize, second: i64| {
                second >= 300 || !booked[node].is_some_and(|(start, end)| (start..end).contains(&second))
            };
            let free = |second: i64| (0..booked.len()).filter(|node| is_free(*node, second)).count();
            let done = |nodes: i64| {
                let mut left = queued;
                // One node alone does it all within 900 s of being free.
                (0..=1_200).find(|second| {
                    let is_done = left <= 0;
                    left -= i64::try_from(free(*second)).unwrap().min(nodes);
                    is_done
                })
            };
            let load = load(u32::try_from(count).unwrap(), queued, horizon);
            let problem = problem(300, &booked, vec![load.clone()]);
            let (nodes, until) = load.needed(&problem);
            if queued == 0 {
                prop_assert_eq!((nodes, until), (0, at(0)));
                return Ok(());
            }
            prop_assert_eq!(done(nodes.into()), Some(until.as_unix_seconds()));
            prop_assert!(until <= at(horizon) || i64::from(nodes) == count);
            prop_assert!(nodes == 1 || done(i64::from(nodes) - 1) > Some(horizon));
            let plan = planned(&problem);
            let is_away = |node: usize, second: i64| plan.sleeps.iter().any(|it| {
                let up_ms = it.times.wake_ms + 20_000;
                it.node as usize == node && (it.times.off_ms..up_ms).contains(&(second * 1000))
            });
            for second in 0..until.as_unix_seconds().min(300) {
                let up = (0..booked.len()).filter(|node| is_free(*node, second) && !is_away(*node, second));
                prop_assert!(up.count() >= free(second).min(nodes as usize), "second {}", second);
            }
        }
    }
}
