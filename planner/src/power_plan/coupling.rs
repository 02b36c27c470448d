//! What nodes do to each other: some stay warm, and those that switch do so under the cap.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::amounts::PerSecond;
use super::days::DAY_MS;
use super::finder::{Finder, days_of};
use super::gaps::Gaps;
use super::kind::{BestSleep, Kind, SleepTimes};
use super::refusal::Refusal;
use super::room::{Room, away_of_waking};
use super::sleeps::{Sleeps, Wanted};
use super::tariff::{ceil_second, second};
use super::wakings::Wakings;
use super::{PlannedSleep, PowerPlan, PowerProblem, RefusedGap};
use crate::cancelled::Cancelled;
use crate::time::Span;

/// So many sleeps are gone through before it is asked whether to stop.
const SLEEPS_AT_A_TIME: usize = 1000;

/// The plan of sleeps that are wanted, as far as nodes leave each other room.
///
/// The sleep that saves most a second comes first. One that is in the way of those before it is put where it saves most
/// of what they leave, and waits for its turn again.
pub(super) fn coupled(
    problem: &PowerProblem,
    gaps: &Gaps,
    wakings: Wakings,
    wanted: Sleeps<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PowerPlan, Cancelled> {
    let Sleeps { finder, wanted, refused } = wanted;
    let sleeps = Vec::with_capacity(wanted.len());
    let mut plan = PowerPlan { sleeps, wakings: wakings.planned, refused };
    if Room::is_endless(problem) {
        plan.sleeps.extend(wanted.iter().map(|wanted| planned(problem, &finder, wanted)));
        plan.refused.sort_unstable_by_key(|it| (it.node, it.gap));
        return Ok(plan);
    }
    let mut packing = Packing::new(problem, gaps, finder, &plan, &wanted);
    let mut wanted = wanted;
    let mut turns = Turns::of(&wanted);
    let mut taken = 0;
    while let Some(Turn { place, .. }) = turns.pop() {
        taken += 1;
        if taken % SLEEPS_AT_A_TIME == 0 && is_cancelled() {
            return Err(Cancelled);
        }
        let wanted = &mut wanted[place];
        match packing.settle(wanted) {
            Ok(sleep) if sleep == wanted.sleep => {
                packing.take(wanted);
                plan.sleeps.push(planned(problem, &packing.finder, wanted));
            }
            Ok(sleep) => {
                packing.begin_on(wanted, Some(day(sleep.times)));
                wanted.sleep = sleep;
                wanted.worth = Kind::worth(&sleep, packing.finder.cycle);
                turns.again.push(Turn::of((place, wanted)));
            }
            Err(because) => {
                packing.begin_on(wanted, None);
                plan.refused.push(RefusedGap { node: wanted.node, gap: wanted.gap, because });
            }
        }
    }
    plan.sleeps.sort_unstable_by_key(|it| (it.node, it.gap));
    plan.refused.sort_unstable_by_key(|it| (it.node, it.gap));
    Ok(plan)
}

fn planned(problem: &PowerProblem, finder: &Finder<'_>, wanted: &Wanted) -> PlannedSleep {
    let times = wanted.sleep.times;
    PlannedSleep {
        node: wanted.node,
        gap: wanted.gap,
        times,
        level: finder.permits[wanted.permits].level(second(times.off_ms)),
        saves: finder.kinds[wanted.kind].saves(wanted.sleep) - problem.cycle_cost(),
    }
}

/// The turns of sleeps, those that save most a second first.
struct Turns {
    /// The first turns of all, the last one first.
    first: Vec<Turn>,
    /// Those of sleeps that were in the way of others.
    again: BinaryHeap<Turn>,
}

impl Turns {
    fn of(wanted: &[Wanted]) -> Self {
        let mut first: Vec<Turn> = wanted.iter().enumerate().map(Turn::of).collect();
        first.sort_unstable();
        Self { first, again: BinaryHeap::new() }
    }

    fn pop(&mut self) -> Option<Turn> {
        let is_again = self.again.peek() > self.first.last();
        if is_again { self.again.pop() } else { self.first.pop() }
    }
}

/// A sleep in the order of what it saves a second; of equals the one that comes first by node and gap.
struct Turn {
    a_second: PerSecond,
    /// Its place among all, which are in the order of nodes and gaps.
    place: usize,
}

impl Turn {
    fn of((place, wanted): (usize, &Wanted)) -> Self {
        let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
        Self { a_second: PerSecond::of(wanted.worth, wake_ms - off_ms), place }
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.a_second.compare(&other.a_second).then_with(|| other.place.cmp(&self.place))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Turn {}

/// Sleeps that are taken one after the other, and what they leave for the next.
struct Packing<'a> {
    finder: Finder<'a>,
    room: Room<'a>,
    /// How often nodes are switched off on days, where that is bounded.
    switches: HashMap<(u32, i64), u32>,
}

impl<'a> Packing<'a> {
    /// The room that the wakings of a plan leave for sleeps that are wanted.
    fn new(
        problem: &'a PowerProblem,
        gaps: &Gaps,
        mut finder: Finder<'a>,
        plan: &PowerPlan,
        wanted: &[Wanted],
    ) -> Self {
        let switchable = |node| problem.switchable(node).map(|it| finder.kind(it));
        let kinds: Vec<Option<usize>> =
            plan.wakings.iter().map(|it| it.node).map(switchable).collect();
        let woken = || {
            let kinds = kinds.iter().map(|kind| kind.map(|kind| &finder.kinds[kind]));
            plan.wakings.iter().zip(kinds).filter_map(|(waking, kind)| Some((waking, kind?)))
        };
        let asleep = woken().flat_map(|(waking, kind)| {
            away_of_waking(waking, gaps, kind).map(|span| (waking.node, span))
        });
        let own = wanted.iter().map(|it| (it.node, away(&finder, it)));
        let mut room = Room::new(problem, gaps, asleep.chain(own));
        for (waking, kind) in woken() {
            room.take_waking(waking, gaps, kind);
        }
        let mut switches = HashMap::new();
        if finder.most_switches.is_some() {
            for it in wanted {
                *switches.entry((it.node, day(it.sleep.times))).or_default() += 1;
            }
        }
        Self { finder, room, switches }
    }

    /// The sleep that there is room for in the place of one that is wanted, which may be the same.
    fn settle(&self, wanted: &Wanted) -> Result<BestSleep, Refusal> {
        if let Some(rule) = self.room.full(wanted.node, away(&self.finder, wanted)) {
            let parts = self.room.parts(wanted.node, wanted.within);
            let kept = || Refusal::KeptWarm { among: rule.name.clone(), nodes: rule.nodes };
            return self.best_of(wanted, &parts).ok_or_else(kept);
        }
        self.under_the_cap(wanted).ok_or(Refusal::PowerCap)
    }

    /// The sleep that is worth the most in the parts of a gap in which the node may be away.
    fn best_of(&self, wanted: &Wanted, parts: &[Span]) -> Option<BestSleep> {
        let Wanted { kind, permits, within, .. } = *wanted;
        let best = match self.finder.most_switches {
            Some(_) => {
                let days = days_of(within).filter(|day| self.may_begin_on(wanted, *day));
                days.filter_map(|day| self.finder.best_on_day(kind, permits, parts, day))
                    .max_by_key(|it| it.1)
            }
            None => self.finder.best(kind, permits, within, parts).ok(),
        };
        best.filter(|(_, worth)| *worth > [0; 3]).map(|(sleep, _)| sleep)
    }

    /// Whether a sleep may begin on a day: it does already, or the node may be switched off once more.
    fn may_begin_on(&self, wanted: &Wanted, on: i64) -> bool {
        let begun = || self.switches.get(&(wanted.node, on)).copied().unwrap_or(0);
        day(wanted.sleep.times) == on || self.finder.most_switches.is_none_or(|most| begun() < most)
    }

    /// Notes that a sleep begins on another day, or on none.
    fn begin_on(&mut self, wanted: &Wanted, on: Option<i64>) {
        if let Some(begun) = self.switches.get_mut(&(wanted.node, day(wanted.sleep.times))) {
            *begun -= 1;
            if let Some(on) = on {
                *self.switches.entry((wanted.node, on)).or_default() += 1;
            }
        }
    }

    /// The sleep, switched off later and woken earlier where other nodes switch.
    fn under_the_cap(&self, wanted: &Wanted) -> Option<BestSleep> {
        let kind = &self.finder.kinds[wanted.kind];
        let times = self.room.under_the_cap(kind, wanted.sleep.times)?;
        if times == wanted.sleep.times {
            return Some(wanted.sleep);
        }
        let is_on_its_day = self.may_begin_on(wanted, day(times));
        let is_permitted = self.finder.permits[wanted.permits].permits(second(times.off_ms));
        let sleep = kind.sleep(times);
        let pays = Kind::worth(&sleep, self.finder.cycle) > [0; 3];
        (is_on_its_day && is_permitted && pays).then_some(sleep)
    }

    fn take(&mut self, wanted: &Wanted) {
        let kind = &self.finder.kinds[wanted.kind];
        let away = away(&self.finder, wanted);
        self.room.take(wanted.node, kind, wanted.sleep.times, away);
    }
}

/// The seconds from the order to switch off until the node is counted on to be up.
fn away(finder: &Finder<'_>, wanted: &Wanted) -> Span {
    let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
    let up_ms = wake_ms + finder.kinds[wanted.kind].node.lead_ms();
    Span::new(second(off_ms), ceil_second(up_ms)).unwrap_or(wanted.gap)
}

/// The day on which a node is switched off.
const fn day(times: SleepTimes) -> i64 {
    times.off_ms.div_euclid(DAY_MS)
}
