//! When nodes that are off at the start of the horizon are woken.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::amounts::{PerSecond, difference};
use super::begun::{BegunSleep, begun_sleeps};
use super::finder::Finder;
use super::gaps::Gaps;
use super::kind::Kind;
use super::room::{Room, away_of_waking};
use super::tariff::{ceil_second, millis};
use super::{PlannedWaking, PowerProblem};
use crate::cancelled::Cancelled;
use crate::time::{Span, Timestamp};

/// So many nodes are gone through before it is asked whether to stop.
const NODES_AT_A_TIME: usize = 1000;

/// The wakings of nodes that are off, and since when they are up.
#[derive(Default)]
pub(super) struct Wakings {
    /// By node and time.
    pub planned: Vec<PlannedWaking>,
    woken: HashMap<u32, Woken>,
}

/// What is left of the gaps of a node that was off.
#[derive(Clone, Copy, Default)]
pub(super) struct Woken {
    /// In how many of its gaps, from the first one on, it is off or being woken.
    pub gaps: usize,
    /// The millisecond at which it is counted on to be up.
    pub up_ms: i64,
}

/// A sleep that has begun, and its turn.
struct WakingTurn<'a> {
    begun: &'a BegunSleep,
    kind: usize,
    /// What staying off saves a second; `None` where the node is to be woken at once.
    a_second: Option<PerSecond>,
}

impl Wakings {
    /// Finds when to wake each node that is off, as far as nodes leave each other room. The nodes that are late come first,
    /// then those that save most a second by staying off.
    pub fn of(
        problem: &PowerProblem,
        gaps: &Gaps,
        finder: &mut Finder<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, Cancelled> {
        let begun = begun_sleeps(problem, gaps);
        let mut wakings = Self::default();
        if begun.is_empty() {
            return Ok(wakings);
        }
        let turn = |begun| WakingTurn::of(begun, gaps, finder);
        let mut turns: Vec<WakingTurn<'_>> = begun.iter().map(turn).collect();
        turns.sort_by(WakingTurn::compare);
        let away = turns.iter().flat_map(|turn| turn.may_be_away(gaps, finder));
        let mut room = Room::new(problem, gaps, away);
        for turn in &turns {
            // It cannot be up before, whatever is decided.
            room.be_away(turn.begun.node, turn.head(gaps, &finder.kinds[turn.kind]));
        }
        for (done, turn) in turns.iter().enumerate() {
            if done % NODES_AT_A_TIME == 0 && is_cancelled() {
                return Err(Cancelled);
            }
            wakings.settle(turn, gaps, &finder.kinds[turn.kind], &mut room);
        }
        wakings.planned.sort_unstable_by_key(|it| (it.node, it.gap));
        Ok(wakings)
    }

    /// What is left of the gaps of a node: all of them where it was not off.
    pub fn of_node(&self, node: u32) -> Woken {
        self.woken.get(&node).copied().unwrap_or(Woken { gaps: 0, up_ms: i64::MIN })
    }

    fn settle(&mut self, turn: &WakingTurn<'_>, gaps: &Gaps, kind: &Kind<'_>, room: &mut Room<'_>) {
        let BegunSleep { node, needed, gaps: count, .. } = *turn.begun;
        let own = &gaps.of(node)[..count];
        for (place, gap) in own.iter().enumerate() {
            let needed = needed.filter(|_| place + 1 == count);
            let (wake_ms, exceeds_cap) = waking_in(*gap, needed, (node, kind), room);
            let waking = PlannedWaking {
                node,
                gap: Some(*gap),
                wake_ms,
                late_ms: late_ms(kind, wake_ms, needed),
                exceeds_cap,
                saves: kind.saves_begun(millis(gap.start()), wake_ms, millis(gap.end())),
            };
            let head = turn.head(gaps, kind).filter(|_| place == 0);
            self.add(waking, head, (gaps, kind), room);
            if wake_ms.is_some() {
                return;
            }
        }
        // A node that is booked and has no gap before is woken as soon as it is not out of service.
        if let (Some(needed), true) = (needed, own.is_empty()) {
            let wake_ms = Some(millis(needed));
            let waking = PlannedWaking {
                node,
                gap: None,
                wake_ms,
                late_ms: late_ms(kind, wake_ms, Some(needed)),
                exceeds_cap: !room.lets_wake_at(millis(needed), kind),
                saves: kind.saves_begun(millis(needed), wake_ms, millis(needed)),
            };
            self.add(waking, None, (gaps, kind), room);
        }
    }

    /// Adds a waking, and takes its room but that of a head, which is taken already.
    fn add(
        &mut self,
        waking: PlannedWaking,
        head: Option<Span>,
        (gaps, kind): (&Gaps, &Kind<'_>),
        room: &mut Room<'_>,
    ) {
        room.wake(&waking, kind);
        for away in away_of_waking(&waking, gaps, kind) {
            let after = head.map_or(away.start(), |head| away.start().max(head.end()));
            room.be_away(waking.node, Span::new(after, away.end()));
        }
        self.planned.push(waking);
        let up_ms = waking.wake_ms.map_or(i64::MAX, |wake_ms| wake_ms + kind.node.lead_ms());
        let woken = self.woken.entry(waking.node).or_default();
        woken.gaps += usize::from(waking.gap.is_some());
        woken.up_ms = up_ms;
    }
}

/// By how many milliseconds a node is up after it is needed.
fn late_ms(kind: &Kind<'_>, wake_ms: Option<i64>, needed: Option<Timestamp>) -> i64 {
    let late = |(wake_ms, needed)| wake_ms + kind.node.lead_ms() - millis(needed);
    wake_ms.zip(needed).map_or(0, late).max(0)
}

/// When a node is woken in a gap, if it is, and whether that exceeds the cap. Where it is needed, it is woken in this gap.
fn waking_in(
    gap: Span,
    needed: Option<Timestamp>,
    (node, kind): (u32, &Kind<'_>),
    room: &Room<'_>,
) -> (Option<i64>, bool) {
    let lead_ms = kind.node.lead_ms();
    let (from, last) = (millis(gap.start()), millis(gap.end()) - lead_ms);
    if last < from {
        let is_needed = needed.is_some();
        return (is_needed.then_some(from), is_needed && !room.lets_wake_at(from, kind));
    }
    let earliest_up = ceil_second(from + lead_ms);
    let kept_warm = Span::new(earliest_up, gap.end())
        .and_then(|span| room.first_full(node, span))
        .map(|at| if at == earliest_up { from } else { millis(at) - lead_ms });
    let (wake_ms, cost) = kind.best_wake(from, kept_warm.unwrap_or(last));
    let may_stay_off = needed.is_none() && kept_warm.is_none();
    if may_stay_off && kind.never_woken(millis(gap.end())) <= cost {
        return (None, false);
    }
    match room.waking_near(wake_ms, (from, last), kind) {
        Some(wake_ms) => (Some(wake_ms), false),
        None => (needed.map(|_| wake_ms), needed.is_some()),
    }
}

impl<'a> WakingTurn<'a> {
    fn of(begun: &'a BegunSleep, gaps: &Gaps, finder: &mut Finder<'_>) -> Self {
        let place = finder.kind(begun.switchable);
        let kind = &finder.kinds[place];
        let first = gaps.of(begun.node)[..begun.gaps].first();
        let a_second = first.and_then(|gap| {
            let (from, last) = (millis(gap.start()), millis(gap.end()) - kind.node.lead_ms());
            let (wake_ms, cost) = kind.best_wake(from, last.max(from));
            let saved = difference(kind.never_woken(from), cost);
            (from <= last).then(|| PerSecond::of(saved, wake_ms - from))
        });
        Self { begun, kind: place, a_second }
    }

    /// The part of its first gap in which the node cannot be up.
    fn head(&self, gaps: &Gaps, kind: &Kind<'_>) -> Option<Span> {
        let first = gaps.of(self.begun.node)[..self.begun.gaps].first()?;
        let up = ceil_second(millis(first.start()) + kind.node.lead_ms());
        Span::new(first.start(), up.min(first.end()))
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_savings = match (&self.a_second, &other.a_second) {
            (Some(own), Some(its)) => its.compare(own),
            (own, its) => own.is_some().cmp(&its.is_some()),
        };
        by_savings.then_with(|| self.begun.node.cmp(&other.begun.node))
    }

    /// Spans whose ends are those between which the node may be away.
    fn may_be_away<'b>(
        &self,
        gaps: &'b Gaps,
        finder: &'b Finder<'_>,
    ) -> impl Iterator<Item = (u32, Span)> + 'b {
        let (node, kind) = (self.begun.node, &finder.kinds[self.kind]);
        let lead_ms = kind.node.lead_ms();
        gaps.of(node).iter().flat_map(move |gap| {
            let (from, last) = (millis(gap.start()), millis(gap.end()) - lead_ms);
            let wake_ms = kind.best_wake(from, last.max(from)).0;
            let ends = [from, wake_ms].map(|at| ceil_second(at + lead_ms).min(gap.end()));
            ends.into_iter().filter_map(move |end| Some((node, Span::new(gap.start(), end)?)))
        })
    }
}
