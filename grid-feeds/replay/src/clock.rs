//! The virtual clock: it stands still, or runs at a multiple of real time.

use std::time::Instant;

use jiff::ToSpan;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use planner::time::{Seconds, Timestamp};

/// When a supplier is asked on the eve of a clock change: the prices of that day are out.
const EVENING: i8 = 18;

/// A time and how fast it runs from there.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// The virtual time ...
    set_to: Timestamp,
    /// ... at this real one.
    set_at: Instant,
    /// Virtual seconds in a real one.
    rate: f64,
}

impl Clock {
    pub fn standing(now: Timestamp) -> Self {
        Self { set_to: now, set_at: Instant::now(), rate: 0.0 }
    }

    pub fn now(&self) -> Timestamp {
        self.after(self.set_at.elapsed().as_secs_f64())
    }

    /// The virtual time so many real seconds after it was set.
    #[expect(clippy::cast_possible_truncation, reason = "saturates; the sum is held to its range")]
    fn after(&self, seconds: f64) -> Timestamp {
        let passed = (seconds * self.rate) as i64;
        let most = Timestamp::MAX - self.set_to;
        self.set_to + Seconds::new(passed.min(most.get()))
    }

    /// Goes on from `now` at the same rate.
    pub fn set(&mut self, now: Timestamp) {
        *self = Self { rate: self.rate, ..Self::standing(now) };
    }

    /// Goes on at another rate.
    pub fn set_rate(&mut self, rate: f64) {
        *self = Self { rate, ..Self::standing(self.now()) };
    }
}

/// The first evening from `from` on before a day of 23 or 25 hours in Paris; `None` where the
/// calendar ends.
pub fn eve_of_clock_change(from: Timestamp) -> Option<Timestamp> {
    let paris: TimeZone = TimeZoneDatabase::bundled().get("Europe/Paris").ok()?;
    let start = jiff::Timestamp::from_second(from.as_unix_seconds()).ok()?;
    let eves = paris.following(start).take(2).filter_map(|change| {
        let day = change.timestamp().to_zoned(paris.clone()).date();
        let eve = day.checked_sub(1.day()).ok()?.at(EVENING, 0, 0, 0);
        let evening = eve.to_zoned(paris.clone()).ok()?.timestamp();
        Some(Timestamp::from_unix_seconds(evening.as_second()))
    });
    eves.into_iter().find(|eve| *eve >= from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn a_clock_stands_until_it_has_a_rate_and_keeps_it_when_it_is_set() {
        let mut clock = Clock::standing(at("2026-03-01T00:00:00Z"));
        assert_eq!(clock.after(1e6), at("2026-03-01T00:00:00Z"));
        clock.set_rate(3600.0);
        clock.set(at("2026-03-01T12:00:00Z"));
        assert_eq!(clock.after(1.5), at("2026-03-01T13:30:00Z"));
        clock.set_rate(f64::MAX);
        assert_eq!(clock.after(1.0), Timestamp::MAX);
    }

    /// The last Sundays of October and March: 18:00 in Paris is 16:00Z in summer, 17:00Z in winter.
    #[test]
    fn the_eve_of_a_clock_change_is_found_and_a_past_one_is_passed_over() {
        let eve = |from| eve_of_clock_change(at(from)).unwrap().to_string();
        assert_eq!(eve("2026-07-01T00:00:00Z"), "2026-10-24T16:00:00Z");
        assert_eq!(eve("2026-10-24T16:00:00Z"), "2026-10-24T16:00:00Z");
        assert_eq!(eve("2026-10-24T16:00:01Z"), "2027-03-27T17:00:00Z");
        assert_eq!(eve("2026-11-21T00:00:00Z"), "2027-03-27T17:00:00Z");
    }
}
