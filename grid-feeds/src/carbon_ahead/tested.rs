//! The error of estimates, by estimating past days as they would have been the evening before.

use planner::time::{Seconds, Timestamp};

use super::TracedZone;
use super::hourly::{HOUR, floor, hours};
use super::zone::BEFORE;

const DAY: Seconds = Seconds::new(86_400);

const HOURS: usize = 24;

/// Hours before and after one whose errors count as its own.
const BESIDE: usize = 1;

/// The part of errors beyond each end of the band.
const TAIL: f64 = 0.1;

/// A band of fewer errors says nothing.
const FEWEST_ERRORS: usize = 20;

/// How far estimates of past days were off, in g/kWh: what came less what was expected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastErrors {
    by_hour: [Vec<f64>; HOURS],
    days: usize,
}

impl PastErrors {
    /// The errors of the whole days before `now`.
    pub(super) fn of(zone: &TracedZone, now: Timestamp) -> Self {
        let mut errors = Self::default();
        let Some(first) = zone.own.lessons.first() else { return errors };
        let mut day = floor(first.hour, DAY) + DAY;
        while day + DAY <= now {
            let expected = zone.expectations(day - BEFORE, hours(day, day + DAY));
            errors.learn(
                expected
                    .into_iter()
                    .filter_map(|(hour, expected)| Some((hour, zone.measured(hour)? - expected))),
            );
            day = day + DAY;
        }
        errors
    }

    fn learn(&mut self, errors: impl Iterator<Item = (Timestamp, f64)>) {
        let mut is_tested = false;
        for (hour, error) in errors {
            self.by_hour[hour_of_day(hour)].push(error);
            is_tested = true;
        }
        self.days += usize::from(is_tested);
    }

    /// The days that were estimated and came.
    pub fn days(&self) -> usize {
        self.days
    }

    /// The mean of the errors without their signs, in g/kWh; `None` before the first day.
    pub fn mean(&self) -> Option<f64> {
        let count = self.by_hour.iter().map(Vec::len).sum::<usize>();
        let sum: f64 = self.by_hour.iter().flatten().map(|error| error.abs()).sum();
        (count > 0).then(|| sum / count as f64)
    }

    /// The tenth and the ninetieth percentile of all errors, in g/kWh; `None` of too few.
    pub fn spread(&self) -> Option<(f64, f64)> {
        percentiles(self.by_hour.iter().flatten().copied().collect())
    }

    /// What to add to an estimate of an hour for the ends of the band that eight of ten values stay in, in g/kWh: the
    /// tenth and the ninetieth percentile of errors at that time of the day. `None` of too few days.
    pub fn band(&self, hour: Timestamp) -> Option<(f64, f64)> {
        let hour = hour_of_day(hour);
        let near = (0..=2 * BESIDE).map(|it| (hour + HOURS - BESIDE + it) % HOURS);
        let (low, high) =
            percentiles(near.flat_map(|near| &self.by_hour[near]).copied().collect())?;
        // The estimate itself is in its band.
        Some((low.min(0.0), high.max(0.0)))
    }
}

/// The tenth and the ninetieth by nearest rank outwards.
fn percentiles(mut errors: Vec<f64>) -> Option<(f64, f64)> {
    if errors.len() < FEWEST_ERRORS {
        return None;
    }
    errors.sort_unstable_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
    let beyond = (TAIL * errors.len() as f64) as usize;
    Some((errors[beyond], errors[errors.len() - 1 - beyond]))
}

/// From 0 to 23, in UTC.
fn hour_of_day(hour: Timestamp) -> usize {
    let seconds = hour.as_unix_seconds().rem_euclid(DAY.get());
    usize::try_from(seconds / HOUR.get()).unwrap_or(0)
}
