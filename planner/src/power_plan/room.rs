//! The room that nodes leave each other: how many more may be away, and the power that is left for switching.

use std::ops::Range;
use std::sync::Arc;

use super::burst::Burst;
use super::gaps::{Gaps, free_changes};
use super::kind::{Kind, SleepTimes};
use super::steps::Steps;
use super::tariff::{ceil_second, millis};
use super::{KeepWarm, PlannedWaking, PowerProblem};
use crate::agenda::Agenda;
use crate::book::{BookedSpan, Booking};
use crate::cap_scope::CapScope;
use crate::decimal::Fraction;
use crate::order::{NodeOrder, Preference};
use crate::quantity::Power;
use crate::reserved_power::power_profile;
use crate::time::{Span, Timestamp};

/// A gap in which others leave more parts than this is looked at in so many of them.
const MOST_PARTS: usize = 64;

/// What sleeps leave for others.
pub(super) struct Room<'a> {
    warm: Vec<(&'a KeepWarm, Steps)>,
    burst: Option<Burst>,
    cap_scope: CapScope,
}

impl<'a> Room<'a> {
    /// The room where no node is away yet; spans in which nodes may come to be away are told to the second.
    pub fn new(
        problem: &'a PowerProblem,
        gaps: &Gaps,
        away: impl Iterator<Item = (u32, Span)>,
    ) -> Self {
        let rules = problem.keep_warm.iter().filter(|rule| rule.nodes > 0);
        let mut edges: Vec<(&KeepWarm, Vec<Timestamp>)> =
            rules.map(|rule| (rule, Vec::new())).collect();
        for (node, span) in away {
            for (rule, edges) in &mut edges {
                if rule.among.contains(node) {
                    edges.extend([span.start(), span.end()]);
                }
            }
        }
        let steps = |(rule, edges)| (rule, may_be_away(rule, gaps, edges));
        Self {
            warm: edges.into_iter().map(steps).collect(),
            burst: problem.agendas.power_cap.as_ref().map(|cap| Burst::new(limits(problem, cap))),
            cap_scope: problem.cap_scope,
        }
    }

    /// The rule that keeps a node warm in a part of a span.
    pub fn full(&self, node: u32, away: Span) -> Option<&KeepWarm> {
        let full =
            |(rule, left): &&(&KeepWarm, Steps)| rule.among.contains(node) && left.least(away) <= 0;
        self.warm.iter().find(full).map(|(rule, _)| *rule)
    }

    /// The first instant of a span at which a rule keeps a node warm.
    pub fn first_full(&self, node: u32, span: Span) -> Option<Timestamp> {
        let own = self.warm.iter().filter(|(rule, _)| rule.among.contains(node));
        own.filter_map(|(_, left)| left.first_without(span)).min()
    }

    /// The parts of a gap in which a node may be away.
    pub fn parts(&self, node: u32, gap: Span) -> Vec<Span> {
        let mut parts = vec![gap];
        for (_, left) in self.warm.iter().filter(|(rule, _)| rule.among.contains(node)) {
            parts = parts.into_iter().flat_map(|part| left.runs(part, MOST_PARTS)).collect();
        }
        parts
    }

    /// The orders of a sleep, switched off later and woken earlier where other nodes switch.
    pub fn under_the_cap(&self, kind: &Kind<'_>, times: SleepTimes) -> Option<SleepTimes> {
        let Some(burst) = &self.burst else { return Some(times) };
        let (down, up) = (kind.node.off_ms(), kind.node.on_ms());
        let (down_power, up_power) = self.switching(kind);
        let SleepTimes { off_ms, wake_ms } = times;
        let off_ms = burst.earliest_start(off_ms, wake_ms - down, down, down_power)?;
        let wake_ms = burst.latest_start(wake_ms, off_ms + down, up, up_power)?;
        Some(SleepTimes { off_ms, wake_ms })
    }

    /// The order to wake that fits under the cap: the last one up to an instant, or else the first one after it.
    pub fn waking_near(
        &self,
        wake_ms: i64,
        (first, last): (i64, i64),
        kind: &Kind<'_>,
    ) -> Option<i64> {
        let Some(burst) = &self.burst else { return Some(wake_ms) };
        let (up, power) = (kind.node.on_ms(), self.switching(kind).1);
        let earlier = burst.latest_start(wake_ms, first, up, power);
        earlier.or_else(|| burst.earliest_start(wake_ms, last, up, power))
    }

    /// Whether a node that is woken at an instant fits under the cap.
    pub fn lets_wake_at(&self, wake_ms: i64, kind: &Kind<'_>) -> bool {
        self.waking_near(wake_ms, (wake_ms, wake_ms), kind).is_some()
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

    /// Takes the room of a node that sleeps.
    pub fn take(&mut self, node: u32, kind: &Kind<'_>, times: SleepTimes, away: Span) {
        self.be_away(node, Some(away));
        let (down, up) = self.switching(kind);
        let Some(burst) = &mut self.burst else { return };
        let SleepTimes { off_ms, wake_ms } = times;
        burst.take(off_ms..off_ms + kind.node.off_ms(), down);
        burst.take(wake_ms..wake_ms + kind.node.on_ms(), up);
    }

    /// Takes the room of a node that was off, until it is counted on to be up.
    pub fn take_waking(&mut self, waking: &PlannedWaking, gaps: &Gaps, kind: &Kind<'_>) {
        for away in away_of_waking(waking, gaps, kind) {
            self.be_away(waking.node, Some(away));
        }
        self.wake(waking, kind);
    }

    /// Takes the power of a node that is woken.
    pub fn wake(&mut self, waking: &PlannedWaking, kind: &Kind<'_>) {
        let power = self.switching(kind).1;
        if let (Some(burst), Some(wake_ms)) = (&mut self.burst, waking.wake_ms) {
            burst.take(wake_ms..wake_ms + kind.node.on_ms(), power);
        }
    }

    /// Takes the room of a node that is away for a time.
    pub fn be_away(&mut self, node: u32, away: Option<Span>) {
        let Some(away) = away else { return };
        for (rule, left) in &mut self.warm {
            if rule.among.contains(node) {
                left.take(away);
            }
        }
    }

    /// Whether no node is in the way of another.
    pub fn is_endless(problem: &PowerProblem) -> bool {
        problem.keep_warm.iter().all(|rule| rule.nodes == 0) && problem.agendas.power_cap.is_none()
    }
}

/// The parts of its gaps in which a node that was off is away: one gap, and where it is late perhaps a part of the next ones.
pub(super) fn away_of_waking<'b>(
    waking: &PlannedWaking,
    gaps: &'b Gaps,
    kind: &Kind<'_>,
) -> impl Iterator<Item = Span> + 'b {
    let woken = waking.wake_ms.map(|wake_ms| ceil_second(wake_ms + kind.node.lead_ms()));
    let start = waking.gap.map(Span::start).or(waking.wake_ms.map(ceil_second));
    let end = woken.or(waking.gap.map(Span::end));
    let away = start.zip(end).and_then(|(start, end)| Span::new(start, end));
    gaps.of(waking.node).iter().filter_map(move |gap| gap.intersection(away?))
}

/// How many nodes of a rule may be away, over time: as many as nobody has less those that are kept. Nodes may come to be
/// away, or not to be, at the edges.
fn may_be_away(rule: &KeepWarm, gaps: &Gaps, mut edges: Vec<Timestamp>) -> Steps {
    let changes = free_changes(gaps, &rule.among);
    edges.extend(changes.iter().map(|it| it.0));
    edges.extend(rule.until);
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
    let kept = |at| rule.until.is_none_or(|until| at < until);
    Steps::new(edges, move |at| free_at(at) - if kept(at) { i64::from(rule.nodes) } else { 0 })
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
