//! When little will be consumed, so that the supplier can switch a polluting source off.
//!
//! The rule: what is expected stays below a threshold for long enough, not counting what could not be
//! announced early enough. A span that has been announced stays announced while it holds, however
//! near it comes.

use crate::quantity::Power;
use crate::time::{Seconds, Span, Timestamp};

use super::{PlannedInterval, PowerOver};

/// When consumption is low, and what is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietRule {
    /// Low is what is expected below this.
    pub below: Power,
    /// It is announced at least so long before it begins.
    pub notice: Seconds,
    /// It is announced if it lasts at least so long.
    pub at_least: Seconds,
}

/// The low spans of a plan that are to be announced at `now`, each with the most that is expected in
/// it. `announced` are those announced before.
pub fn quiet_spans(
    plan: &[PlannedInterval],
    rule: QuietRule,
    now: Timestamp,
    announced: &[Span],
) -> Vec<PowerOver> {
    let known = |span: Span| announced.iter().any(|before| before.overlaps(span));
    let mut quiet: Vec<PowerOver> = Vec::new();
    let low = plan.iter().filter(|interval| interval.expected < rule.below);
    for interval in low.filter(|it| known(it.span) || it.span.start() >= now + rule.notice) {
        let (span, power) = (interval.span, interval.expected);
        match quiet.last_mut() {
            Some(last) if last.span.end() == span.start() => {
                last.span = Span::new(last.span.start(), span.end()).unwrap_or(last.span);
                last.power = last.power.max(power);
            }
            _ => quiet.push(PowerOver { span, power }),
        }
    }
    quiet.retain(|it| known(it.span) || it.span.length() >= rule.at_least);
    quiet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    const fn watts(watts: i64) -> Power {
        Power::from_microwatts(watts * 1_000_000)
    }

    /// By the hour: 900, 100, 120, 100, 900, 50, 900 W. Below 150 W for two hours and announced an
    /// hour before: hours 1 to 3, of at most 120 W; hour 5 is too short.
    #[test]
    fn a_quiet_night_is_announced_before_it_happens() {
        let expected = [900, 100, 120, 100, 900, 50, 900];
        let plan: Vec<PlannedInterval> = (0..)
            .zip(expected)
            .map(|(hour, expected)| PlannedInterval {
                span: span(hour * 3600, (hour + 1) * 3600),
                reserved_max: watts(expected),
                expected: watts(expected),
            })
            .collect();
        let (notice, at_least) = (Seconds::new(3600), Seconds::new(7200));
        let rule = QuietRule { below: watts(150), notice, at_least };
        let night = PowerOver { span: span(3600, 4 * 3600), power: watts(120) };
        let at = Timestamp::from_unix_seconds;
        assert_eq!(quiet_spans(&plan, rule, at(0), &[]), [night]);
        let rest = PowerOver { span: span(2 * 3600, 4 * 3600), power: watts(120) };
        assert_eq!(quiet_spans(&plan, rule, at(1), &[]), [rest], "what is early enough");
        assert_eq!(quiet_spans(&plan, rule, at(3601), &[]), [], "an hour is too short");
        assert_eq!(quiet_spans(&plan, rule, at(1), &[night.span]), [night], "it still holds");
        let busy: Vec<PlannedInterval> =
            plan.iter().map(|it| PlannedInterval { expected: watts(500), ..*it }).collect();
        assert_eq!(quiet_spans(&busy, rule, at(0), &[night.span]), [], "withdrawn");
    }
}
