//! The time axis: seconds since the simulation's beginning, told by the clock where it is known what that was.

use planner::time::Timestamp;

use crate::time::Time;
use charts::scale::{plain, ticks};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;
/// Lengths between two ticks, s.
const STEPS: [i64; 12] = [
    1,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
];
/// Lengths between ticks where they are whole months.
const MONTHS: [u32; 7] = [1, 2, 3, 6, 12, 24, 60];

/// Where ticks are, in seconds of the simulation, with what stands there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub ticks: Vec<(f64, String)>,
    /// What the figures are: a unit, or the time zone.
    pub name: &'static str,
}

impl Axis {
    /// From one instant to another, about `count` ticks; the simulation began at `zero`.
    pub(super) fn of(from: Time, end: Time, zero: Option<Timestamp>, count: f64) -> Self {
        zero.map_or_else(
            || Self::of_numbers(from, end, count),
            |zero| of_dates(from, end, zero, count),
        )
    }

    fn of_numbers(from: Time, end: Time, count: f64) -> Self {
        let (by, name) = unit(end - from);
        let (first, last) = (from.as_seconds() / by, end.as_seconds() / by);
        let all = ticks(first, last, count);
        let step = all.get(1).map_or(1.0, |second| second - all[0]);
        let inside = all.into_iter().filter(|tick| (first..=last).contains(tick));
        Self { ticks: inside.map(|tick| (tick * by, plain(tick, step))).collect(), name }
    }
}

/// Days or hours, by what there is.
fn unit(length: Time) -> (f64, &'static str) {
    let steps = [(86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let fits = |(by, _): &&(f64, &str)| length.as_seconds() / by >= 3.0;
    steps.iter().find(fits).copied().unwrap_or((1.0, "seconds"))
}

fn of_dates(from: Time, end: Time, zero: Timestamp, count: f64) -> Axis {
    let at = |time: Time| zero.as_unix_seconds() + time.as_micros().div_euclid(1_000_000);
    let (first, last) = (at(from), at(end));
    let length = (last - first).max(1);
    let instants: Vec<i64> = match STEPS.iter().find(|step| length as f64 / **step as f64 <= count)
    {
        Some(step) => {
            let numbers = first.div_euclid(*step)..=last.div_euclid(*step);
            numbers.map(|number| number * step).collect()
        }
        None => months(first, last, count),
    };
    let within_days = instants.windows(2).any(|pair| pair[1] - pair[0] < DAY);
    let label = |instant: i64| {
        let text = Timestamp::from_unix_seconds(instant).to_string();
        if within_days { text[5..16].replace('T', " ") } else { text[..10].to_owned() }
    };
    let inside = instants.into_iter().filter(|instant| (first..=last).contains(instant));
    let since = |instant: i64| (instant - zero.as_unix_seconds()) as f64;
    Axis { ticks: inside.map(|instant| (since(instant), label(instant))).collect(), name: "UTC" }
}

/// Firsts of months from about `first` to `last`.
fn months(first: i64, last: i64, count: f64) -> Vec<i64> {
    let month = 30.44 * DAY as f64;
    let fits = |step: &&u32| (last - first) as f64 / month / f64::from(**step) <= count;
    let step = MONTHS.iter().find(fits).copied().unwrap_or(120);
    let begin = Timestamp::from_unix_seconds(first).to_string();
    let year: u32 = begin[..4].parse().unwrap_or(1970);
    let instant = |number: u32| {
        let text = format!("{:04}-{:02}-01T00:00:00Z", year + number / 12, number % 12 + 1);
        Timestamp::parse(&text).ok().map(Timestamp::as_unix_seconds)
    };
    let all = (0..).step_by(step as usize).map_while(instant);
    all.take_while(|at| *at <= last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from_s: i64, end_s: i64, zero: Option<&str>) -> (Vec<(i64, String)>, &'static str) {
        let zero = zero.map(|zero| Timestamp::parse(zero).unwrap());
        let axis = Axis::of(Time::from_seconds(from_s), Time::from_seconds(end_s), zero, 6.0);
        #[expect(clippy::cast_possible_truncation, reason = "whole seconds of a year")]
        let whole = axis.ticks.into_iter().map(|(at, label)| (at as i64, label)).collect();
        (whole, axis.name)
    }

    #[test]
    fn without_a_beginning_there_are_units() {
        let (ticks, name) = labels(0, 4 * 86_400, None);
        assert_eq!((ticks[1].clone(), name), ((86_400, "1".to_owned()), "days"));
        let (ticks, name) = labels(7_200, 18_000, None);
        assert_eq!((ticks[0].clone(), name), ((7_200, "2.0".to_owned()), "hours"));
    }

    /// The simulation begins at noon of 30 April: its first midnight is twelve hours later.
    #[test]
    fn with_a_beginning_there_are_dates() {
        let zero = Some("2000-04-30T12:00:00Z");
        let (ticks, name) = labels(0, 4 * 86_400, zero);
        assert_eq!((ticks[0].clone(), name), ((43_200, "2000-05-01".to_owned()), "UTC"));
        assert_eq!(ticks.len(), 4);
        let (ticks, _) = labels(0, 20_000, zero);
        assert_eq!(ticks[1], (3_600, "04-30 13:00".to_owned()));
        let (ticks, _) = labels(0, 400 * 86_400, zero);
        let (two_months, name) = (43_200 + 61 * 86_400, "2000-07-01".to_owned());
        assert!(ticks.contains(&(two_months, name)), "{ticks:?}");
    }
}
