//! The time of networks, which is not of whole microseconds, as the simulation tells it.

use crate::time::Time;

/// What is nearly a whole microsecond is one, seconds.
pub(crate) const ROUNDING_S: f64 = 1e-10;

/// To the next whole microsecond.
#[expect(
    clippy::cast_possible_truncation,
    reason = "casts saturate, at longer than can be simulated"
)]
pub(crate) fn rounded_up(seconds: f64) -> Time {
    Time::from_micros(((seconds - ROUNDING_S) * 1e6).ceil().max(0.0) as i64)
}
