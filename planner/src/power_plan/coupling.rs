//! What nodes do to each other: some stay warm, and those that switch do so under the cap.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::burst::Burst;
use super::days::DAY_MS;
use super::gaps::{Gaps, free_changes};
use super::kind::{BestSleep, Kind, SleepTimes};
use super::refusal::Refusal;
use super::sleeps::{Finder, Sleeps, Wanted, days_of};
use super::steps::Steps;
use super::tariff::millis;
use super::{KeepWarm, PlannedSleep, PowerPlan, PowerProblem, RefusedGap};
use crate::agenda::Agenda;
use crate::book::{BookedSpan, Booking};
use crate::cap_scope::CapScope;
use crate::decimal::Fraction;
use crate::order::{NodeOrder, Preference};
use crate::quantity::Power;
use crate::reserved_power::power_profile;
use crate::search::Cancelled;
use crate::time::{Span, Timestamp};

/// A gap in which others leave more parts than this is looked at in so many of them.
const MOST_PARTS: usize = 64;

/// So many sleeps are gone through before it is asked whether to stop.
const SLEEPS_AT_A_TIME: usize = 1000;

/// The plan of sleeps that are wanted, as far as nodes leave each other room.
///
/// The sleep that saves most a second comes first. One that is in the way of those before it is put where it saves most
/// of what they leave, and waits for its turn again.
pub(super) fn coupled(
    problem: &PowerProblem,
    gaps: &Gaps,
    wanted: Sleeps<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PowerPlan, Cancelled> {
    let Sleeps { finder, wanted, refused } = wanted;
    let mut room = Room::new(problem, gaps, &finder, &wanted);
    let mut plan = PowerPlan { sleeps: Vec::with_capacity(wanted.len()), refused };
    if room.is_endless() {
        plan.sleeps.extend(wanted.iter().map(|wanted| planned(problem, &finder, wanted)));
        plan.refused.sort_unstable_by_key(|it| (it.node, it.gap));
        return Ok(plan);
    }
    let mut turns: BinaryHeap<Turn> = wanted.into_iter().map(Turn::of).collect();
    let mut taken = 0;
    while let Some(Turn { wanted, .. }) = turns.pop() {
        taken += 1;
        if taken % SLEEPS_AT_A_TIME == 0 && is_cancelled() {
            return Err(Cancelled);
        }
        match room.settle(&finder, &wanted) {
            Ok(sleep) if sleep == wanted.sleep => {
                room.take(&finder, &wanted);
                plan.sleeps.push(planned(problem, &finder, &wanted));
            }
            Ok(sleep) => {
                room.begin_on(&wanted, Some(day(sleep.times)));
                let worth = Kind::worth(&sleep, finder.cycle);
                turns.push(Turn::of(Wanted { sleep, worth, ..wanted }));
            }
            Err(because) => {
                room.begin_on(&wanted, None);
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

/// A sleep in the order of what it saves a second; of equals the node that comes first, and its first gap.
struct Turn {
    /// Only the order of turns rests on it, which any order would do.
    a_second: [f64; 3],
    wanted: Wanted,
}

impl Turn {
    fn of(wanted: Wanted) -> Self {
        let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
        let length = (wake_ms - off_ms).max(1) as f64;
        Self { a_second: wanted.worth.map(|part| part as f64 / length), wanted }
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        let savings = self.a_second.iter().zip(&other.a_second);
        let by_savings = savings.map(|(own, its)| own.total_cmp(its)).find(|it| it.is_ne());
        let place = |turn: &Self| (turn.wanted.node, turn.wanted.gap);
        by_savings.unwrap_or_else(|| place(other).cmp(&place(self)))
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

/// What sleeps leave for others.
struct Room<'a> {
    /// How often nodes are switched off on days, where that is bounded.
    switches: HashMap<(u32, i64), u32>,
    warm: Vec<(&'a KeepWarm, Steps)>,
    burst: Option<Burst>,
    cap_scope: CapScope,
}

impl<'a> Room<'a> {
    fn new(problem: &'a PowerProblem, gaps: &Gaps, finder: &Finder<'_>, wanted: &[Wanted]) -> Self {
        let warm = problem.keep_warm.iter().filter(|rule| rule.nodes > 0);
        let burst = problem.agendas.power_cap.as_ref().map(|cap| Burst::new(limits(problem, cap)));
        let mut switches = HashMap::new();
        if finder.most_switches.is_some() {
            for it in wanted {
                *switches.entry((it.node, day(it.sleep.times))).or_default() += 1;
            }
        }
        Self {
            switches,
            warm: warm.map(|rule| (rule, may_be_away(rule, gaps, finder, wanted))).collect(),
            burst,
            cap_scope: problem.cap_scope,
        }
    }

    /// Whether no node is in the way of another.
    const fn is_endless(&self) -> bool {
        self.warm.is_empty() && self.burst.is_none()
    }

    /// The sleep that there is room for in the place of one that is wanted, which may be the same.
    fn settle(&self, finder: &Finder<'_>, wanted: &Wanted) -> Result<BestSleep, Refusal> {
        let away = away(finder, wanted);
        let full = |(rule, left): &&(&KeepWarm, Steps)| {
            rule.among.contains(wanted.node) && left.least(away) <= 0
        };
        if let Some((rule, _)) = self.warm.iter().find(full) {
            let parts = self.parts(wanted);
            let kept = || Refusal::KeptWarm { among: rule.name.clone(), nodes: rule.nodes };
            return self.best_of(finder, wanted, &parts).ok_or_else(kept);
        }
        self.under_the_cap(finder, wanted).ok_or(Refusal::PowerCap)
    }

    /// The parts of a gap in which the node may be away.
    fn parts(&self, wanted: &Wanted) -> Vec<Span> {
        let mut parts = vec![wanted.gap];
        for (_, left) in self.warm.iter().filter(|(rule, _)| rule.among.contains(wanted.node)) {
            parts = parts.into_iter().flat_map(|part| left.runs(part, MOST_PARTS)).collect();
        }
        parts
    }

    /// The sleep that is worth the most in the parts of a gap in which the node may be away.
    fn best_of(&self, finder: &Finder<'_>, wanted: &Wanted, parts: &[Span]) -> Option<BestSleep> {
        let Wanted { kind, permits, gap, .. } = *wanted;
        let best = match finder.most_switches {
            Some(_) => {
                let days = days_of(gap).filter(|day| self.may_begin_on(finder, wanted, *day));
                days.filter_map(|day| finder.best_on_day(kind, permits, parts, day))
                    .max_by_key(|it| it.1)
            }
            None => finder.best(kind, permits, gap, parts).ok(),
        };
        best.filter(|(_, worth)| *worth > [0; 3]).map(|(sleep, _)| sleep)
    }

    /// Whether a sleep may begin on a day: it does already, or the node may be switched off once more.
    fn may_begin_on(&self, finder: &Finder<'_>, wanted: &Wanted, on: i64) -> bool {
        let begun = || self.switches.get(&(wanted.node, on)).copied().unwrap_or(0);
        day(wanted.sleep.times) == on || finder.most_switches.is_none_or(|most| begun() < most)
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
    fn under_the_cap(&self, finder: &Finder<'_>, wanted: &Wanted) -> Option<BestSleep> {
        let Some(burst) = &self.burst else { return Some(wanted.sleep) };
        let kind = &finder.kinds[wanted.kind];
        let (down, up) = (kind.node.off_ms(), kind.node.on_ms());
        let (down_power, up_power) = self.switching(kind);
        let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
        let off_ms = burst.earliest_start(off_ms, wake_ms - down, down, down_power)?;
        let wake_ms = burst.latest_start(wake_ms, off_ms + down, up, up_power)?;
        let times = SleepTimes { off_ms, wake_ms };
        if times == wanted.sleep.times {
            return Some(wanted.sleep);
        }
        let is_on_its_day = self.may_begin_on(finder, wanted, day(times));
        let is_permitted = finder.permits[wanted.permits].permits(second(off_ms));
        let sleep = kind.sleep(times);
        let pays = Kind::worth(&sleep, finder.cycle) > [0; 3];
        (is_on_its_day && is_permitted && pays).then_some(sleep)
    }

    /// The microwatts that switching a node off and on counts against the cap.
    fn switching(&self, kind: &Kind<'_>) -> (i64, i64) {
        let base = match self.cap_scope {
            CapScope::ReservedNodes => Power::ZERO,
            CapScope::AllNodes => kind.node.idle,
        };
        let sleep = kind.node.sleep;
        let above = |power: Power| (power - base).max(Power::ZERO).as_microwatts();
        (above(sleep.switching_off.power), above(sleep.switching_on.power))
    }

    fn take(&mut self, finder: &Finder<'_>, wanted: &Wanted) {
        let away = away(finder, wanted);
        for (rule, left) in &mut self.warm {
            if rule.among.contains(wanted.node) {
                left.take(away);
            }
        }
        let kind = &finder.kinds[wanted.kind];
        let (down, up) = self.switching(kind);
        let Some(burst) = &mut self.burst else { return };
        let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
        burst.take(off_ms..off_ms + kind.node.off_ms(), down);
        burst.take(wake_ms..wake_ms + kind.node.on_ms(), up);
    }
}

/// The seconds from the order to switch off until the node is counted on to be up.
fn away(finder: &Finder<'_>, wanted: &Wanted) -> Span {
    let SleepTimes { off_ms, wake_ms } = wanted.sleep.times;
    let up_ms = wake_ms + finder.kinds[wanted.kind].node.lead_ms();
    Span::new(second(off_ms), second(up_ms + 999)).unwrap_or(wanted.gap)
}

/// The second that a millisecond lies in.
const fn second(ms: i64) -> Timestamp {
    Timestamp::from_unix_seconds(ms.div_euclid(1000))
}

/// The day on which a node is switched off.
const fn day(times: SleepTimes) -> i64 {
    times.off_ms.div_euclid(DAY_MS)
}

/// How many nodes of a rule may be away, over time: as many as nobody has less those that are kept.
fn may_be_away(rule: &KeepWarm, gaps: &Gaps, finder: &Finder<'_>, wanted: &[Wanted]) -> Steps {
    let changes = free_changes(gaps, &rule.among);
    let own = wanted.iter().filter(|it| rule.among.contains(it.node));
    let own = own.map(|it| away(finder, it)).flat_map(|span| [span.start(), span.end()]);
    let mut edges: Vec<Timestamp> = changes.iter().map(|it| it.0).chain(own).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut free = Vec::with_capacity(changes.len());
    let mut count = 0;
    for (at, change) in &changes {
        count += change;
        free.push((*at, count));
    }
    let free_at = move |at: Timestamp| {
        let next = free.partition_point(|it| it.0 <= at);
        next.checked_sub(1).map_or(0, |last| free[last].1)
    };
    Steps::new(edges, move |at| free_at(at) - i64::from(rule.nodes))
}

/// The power that is left for switching beside what is reserved, where a cap is known.
fn limits(problem: &PowerProblem, cap: &Agenda<Power>) -> Vec<(Range<i64>, i64)> {
    let scope = problem.cap_scope;
    let order =
        NodeOrder::of(&problem.nodes, Preference::FirstListed, Fraction::ONE, scope, |_| true);
    let booking =
        |it: &BookedSpan| Booking::new(Arc::clone(&it.id), it.span, order.ranks(&it.nodes), &order);
    let bookings: Vec<Booking> = problem.reservations.iter().map(booking).collect();
    let bookings: Vec<&Booking> = bookings.iter().collect();
    let base = scope.base_power(&problem.nodes);
    let profile = power_profile(&bookings, &[], &order, cap, problem.horizon);
    let left = profile.into_iter().filter_map(|step| {
        let left = step.cap? - base - step.reserved;
        // What exceeds the cap already leaves room for what draws no more.
        let during = millis(step.span.start())..millis(step.span.end());
        Some((during, left.max(Power::ZERO).as_microwatts()))
    });
    left.collect()
}
