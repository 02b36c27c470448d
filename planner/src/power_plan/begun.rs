//! Sleeps that have begun when the horizon starts: the gaps in which a node that is off may be woken.

use std::collections::HashMap;

use super::gaps::Gaps;
use super::tariff::millis;
use super::{PowerProblem, SwitchableNode};
use crate::time::{Span, Timestamp};

/// A node that is off when the horizon starts. It stays so over outages, and is woken for its first reservation.
pub(super) struct BegunSleep {
    /// The node, by ordinal.
    pub node: u32,
    pub switchable: SwitchableNode,
    /// The first instant at which it is reserved and not out of service, if there is one.
    pub needed: Option<Timestamp>,
    /// In how many of its gaps, from the first one on, it may be off. Where it is needed, the last of them is the last one in
    /// which it can be woken in time, or where there is none the last one before it is needed.
    pub gaps: usize,
}

/// The sleeps that have begun, by node.
pub(super) fn begun_sleeps(problem: &PowerProblem, gaps: &Gaps) -> Vec<BegunSleep> {
    let needed = first_needed(problem);
    let asleep = problem.asleep.positions().take_while(|it| *it < problem.nodes.count());
    let begun = asleep.filter_map(|node| {
        let switchable = problem.switchable(node)?;
        let needed = needed.get(&node).copied();
        let gaps = gaps_before(gaps.of(node), needed, switchable.lead_ms());
        Some(BegunSleep { node, switchable, needed, gaps })
    });
    begun.collect()
}

fn gaps_before(gaps: &[Span], needed: Option<Timestamp>, lead_ms: i64) -> usize {
    let Some(needed) = needed else { return gaps.len() };
    let before = gaps.partition_point(|gap| gap.start() < needed);
    let is_in_time = |gap: &Span| millis(gap.end()) - millis(gap.start()) >= lead_ms;
    gaps[..before].iter().rposition(is_in_time).map_or(before, |last| last + 1)
}

/// For nodes that are asleep, the first instant at which each is reserved and not out of service.
fn first_needed(problem: &PowerProblem) -> HashMap<u32, Timestamp> {
    let mut out: HashMap<u32, Vec<Span>> = HashMap::new();
    let mut needed: HashMap<u32, Timestamp> = HashMap::new();
    if problem.asleep.is_empty() {
        return needed;
    }
    for outage in &problem.outages {
        for node in outage.nodes.intersection(&problem.asleep).positions() {
            out.entry(node).or_default().push(outage.span);
        }
    }
    for spans in out.values_mut() {
        spans.sort_unstable();
    }
    for reservation in &problem.reservations {
        let Some(span) = reservation.span.intersection(problem.horizon) else { continue };
        for node in reservation.nodes.intersection(&problem.asleep).positions() {
            let out = out.get(&node).map_or(&[][..], Vec::as_slice);
            let Some(first) = first_outside(span, out) else { continue };
            needed.entry(node).and_modify(|it| *it = first.min(*it)).or_insert(first);
        }
    }
    needed
}

/// The first instant of a span that is in none of others, which are in order.
fn first_outside(span: Span, others: &[Span]) -> Option<Timestamp> {
    let mut first = span.start();
    for other in others.iter().filter(|other| other.end() > span.start()) {
        if other.start() > first {
            break;
        }
        first = first.max(other.end());
    }
    (first < span.end()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        let at = Timestamp::from_unix_seconds;
        Span::new(at(start), at(end)).unwrap()
    }

    /// Gaps of 9, 4 and 2 s, and a node that takes 4 s to wake. It can be woken for 30 in the second gap, not in the third;
    /// for 10 in the first. Where it takes 20 s, it is late in any case, and least so in the last.
    #[test]
    fn the_last_gap_that_is_long_enough_is_the_last_chance() {
        let gaps = [span(1, 10), span(20, 24), span(28, 30), span(40, 50)];
        let before = |second: Option<i64>, lead: i64| {
            gaps_before(&gaps, second.map(Timestamp::from_unix_seconds), lead * 1000)
        };
        assert_eq!([before(Some(30), 4), before(Some(10), 4), before(Some(0), 4)], [2, 1, 0]);
        assert_eq!([before(Some(30), 20), before(None, 20)], [3, 4]);
    }

    /// Out until 12 and again from 12 to 15: reserved from 10 on, it is needed at 15. Reserved until 15, it never is.
    #[test]
    fn a_node_that_is_out_of_service_is_not_needed() {
        let out = [span(0, 3), span(5, 12), span(12, 15), span(18, 20)];
        let needed = |start, end| first_outside(span(start, end), &out);
        let at = |second| Some(Timestamp::from_unix_seconds(second));
        assert_eq!([needed(10, 17), needed(10, 15), needed(3, 9)], [at(15), None, at(3)]);
    }
}
