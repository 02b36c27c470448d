//! What will be consumed as planned: the book by the supplier's intervals.

use crate::agenda::{Agenda, Piece};
use crate::quantity::{Energy, Power};
use crate::time::{Seconds, Span};

use crate::headroom::Headroom;

/// A confirmed reservation as a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// The time for which it holds nodes.
    pub span: Span,
    /// The sum of its nodes' maximum power.
    pub max_power: Power,
    /// What it is expected to draw on average.
    pub draw: Power,
    /// What its nodes would draw idle.
    pub idle: Power,
}

/// What is planned for an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedInterval {
    /// The interval.
    pub span: Span,
    /// The most that may be drawn at any instant of it: all reserved nodes at their maximum power,
    /// the others idle.
    pub reserved_max: Power,
    /// What is expected on average: reserved nodes at their expected draw, the others idle.
    pub expected: Power,
}

/// The plan over `window` by intervals of that length; the last may be shorter. `idle` is what the
/// whole cluster draws idle. `O(n log n)` in consumers and intervals.
pub fn planned_consumption(
    consumers: &[Consumer],
    idle: Power,
    window: Span,
    interval: Seconds,
) -> Vec<PlannedInterval> {
    let most = curve(consumers, idle, window, |it| it.max_power - it.idle);
    let expected = curve(consumers, idle, window, |it| it.draw - it.idle);
    let mut plan = Vec::new();
    let mut start = window.start();
    while start < window.end() {
        let Some(span) = Span::new(start, (start + interval).min(window.end())) else { break };
        let steps = most.overlapping(span).iter();
        plan.push(PlannedInterval {
            span,
            reserved_max: steps.map(|piece| piece.value).max().unwrap_or(idle),
            expected: mean(&expected, span),
        });
        start = span.end();
    }
    plan
}

/// The sum of `idle` and what consumers add to it over time.
fn curve(
    consumers: &[Consumer],
    idle: Power,
    window: Span,
    adds: impl Fn(&Consumer) -> Power,
) -> Agenda<Power> {
    let whole = Agenda::constant(window, idle);
    let spans = consumers.iter().map(|it| it.span);
    let mut headroom = Headroom::before_claims(&whole, Power::ZERO, window, spans);
    headroom.give_all(consumers.iter().map(|it| (it.span, adds(it))));
    let pieces = headroom.steps().iter().map(|&(span, value)| Piece { span, value }).collect();
    Agenda::new(pieces).unwrap_or(whole)
}

/// The mean over a span that the agenda covers, rounded down to the microwatt.
fn mean(agenda: &Agenda<Power>, span: Span) -> Power {
    let during = |piece: &Piece<Power>| Some((piece.span.intersection(span)?, piece.value));
    let pieces = agenda.overlapping(span).iter().filter_map(during);
    let energy = pieces.map(|(during, power)| (power * during.length()).as_microjoules()).sum();
    mean_power(Energy::from_microjoules(energy), span)
}

/// The power that makes up an energy over a span, rounded down to the microwatt.
pub fn mean_power(energy: Energy, span: Span) -> Power {
    let microwatts = energy.as_microjoules() / i128::from(span.length().get());
    Power::from_microwatts(i64::try_from(microwatts).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use crate::time::Timestamp;

    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    const fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    /// Ten nodes of 50 W idle and 100 W at most: 500 W idle. Four of them reserved over
    /// [600, 1800) draw 80 W each: at most 6 x 50 + 4 x 100 = 700 W, expected 6 x 50 + 4 x 80 =
    /// 620 W. By 900 s from 0: [0, 900) has 300 s of it, 500 + 120 / 3 = 540 W; [900, 1800) all of
    /// it, 620 W; [1800, 2000) none.
    #[test]
    fn reserved_nodes_draw_and_the_others_idle() {
        let consumer = Consumer {
            span: span(600, 1800),
            max_power: watts(400),
            draw: watts(320),
            idle: watts(200),
        };
        let plan = planned_consumption(&[consumer], watts(500), span(0, 2000), Seconds::new(900));
        let interval = |start, end, most, expected| PlannedInterval {
            span: span(start, end),
            reserved_max: watts(most),
            expected: watts(expected),
        };
        let planned = [
            interval(0, 900, 700, 540),
            interval(900, 1800, 700, 620),
            interval(1800, 2000, 500, 500),
        ];
        assert_eq!(plan, planned);
    }
}
