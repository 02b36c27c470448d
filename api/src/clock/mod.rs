//! The one place where the service reads the time.
//!
//! For replays the clock may be set: `REAL=VIRTUAL@RATE` says that at the instant `REAL` it showed
//! `VIRTUAL`, and that since then `RATE` seconds pass in one. It depends on nothing but the machine's
//! clock, so that processes agree and one that was killed goes on where it should. Watches that
//! measure how long something takes, such as leases and time-outs, are not affected.
//!
//! Where it is not set, the service's clock is guarded: a jump of what it reads is doubted at first (`guard`).

mod guard;
mod steady;

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use guard::{ClockGuard, ClockJump, DOUBTED_FOR, DoubtEnd};
use planner::time::Timestamp;
pub use steady::SteadyInstant;

/// The fastest a clock may be set.
const FASTEST: i64 = 1_000_000;

/// The current instant, to the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    replay: Option<Replay>,
    guard: Option<&'static ClockGuard>,
}

/// A clock that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Replay {
    real: Timestamp,
    shown: Timestamp,
    rate: i64,
}

/// Why a text sets no clock.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "{0:?} sets no clock; REAL=VIRTUAL@RATE does, such as \
     2026-11-21T08:00:00Z=2026-03-01T00:00:00Z@60"
)]
pub struct ClockError(String);

impl Clock {
    /// This clock, which doubts jumps unless it is set for a replay.
    #[must_use]
    pub fn guarded(self) -> Self {
        let guard = self.replay.is_none().then(ClockGuard::of_process);
        Self { guard, ..self }
    }

    /// What guards it.
    pub const fn guard(self) -> Option<&'static ClockGuard> {
        self.guard
    }

    /// The jump that is doubted, if there is one.
    pub fn jump(self) -> Option<ClockJump> {
        self.guard?.jump()
    }

    /// Microseconds since 1970, as is believed.
    fn real_us(self) -> i64 {
        self.guard.map_or_else(machine_us, ClockGuard::now_us)
    }

    /// Now, rounded down to the second.
    pub fn now(self) -> Timestamp {
        Timestamp::from_unix_seconds(self.at(self.real_us() / 1000).div_euclid(1000))
    }

    /// Microseconds since 1970 now; a clock that is set shows whole milliseconds.
    pub fn now_us(self) -> i64 {
        match self.replay {
            None => self.real_us(),
            Some(_) => self.at(self.real_us() / 1000).saturating_mul(1000),
        }
    }

    /// How long it is until the clock shows `instant`.
    pub fn until(self, instant: Timestamp) -> Duration {
        let left = instant.as_unix_seconds().saturating_mul(1000) - self.at(self.real_us() / 1000);
        let rate = self.replay.map_or(1, |replay| replay.rate);
        // Rounded up: who wakes up then finds that the instant has come.
        let left = left.max(0).unsigned_abs().div_ceil(rate.unsigned_abs());
        Duration::from_millis(left)
    }

    /// Seconds that it shows in one of the machine's clock.
    #[cfg(feature = "supplier")]
    pub fn rate(self) -> i64 {
        self.replay.map_or(1, |replay| replay.rate)
    }

    /// Whether the clock is set for a replay.
    pub const fn is_set(self) -> bool {
        self.replay.is_some()
    }

    /// What it shows at so many milliseconds of the machine's clock, in milliseconds.
    fn at(self, real_ms: i64) -> i64 {
        let Some(Replay { real, shown, rate }) = self.replay else { return real_ms };
        let passed = real_ms - real.as_unix_seconds() * 1000;
        shown.as_unix_seconds() * 1000 + passed.saturating_mul(rate)
    }
}

/// Microseconds since 1970 by the machine's clock.
#[expect(clippy::disallowed_methods, reason = "the service's only clock")]
fn machine_us() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    let elapsed = since_epoch.map_or(0, |elapsed| elapsed.as_micros());
    i64::try_from(elapsed).unwrap_or(i64::MAX)
}

impl FromStr for Clock {
    type Err = ClockError;
    fn from_str(text: &str) -> Result<Self, ClockError> {
        let parsed = text.split_once('=').and_then(|(real, rest)| {
            let (shown, rate) = rest.split_once('@')?;
            let rate = rate.parse().ok().filter(|rate| (1..=FASTEST).contains(rate))?;
            let instant = |text| Timestamp::parse(text).ok();
            Some(Replay { real: instant(real)?, shown: instant(shown)?, rate })
        });
        let replay = parsed.ok_or_else(|| ClockError(text.to_owned()))?;
        Ok(Self { replay: Some(replay), guard: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half a second after `REAL` a clock of rate 60 has moved on by 30 s.
    #[test]
    fn a_clock_that_is_set_runs_at_its_rate() {
        let clock: Clock = "2026-11-21T08:00:00Z=2026-03-01T00:00:00Z@60".parse().unwrap();
        let real = Timestamp::parse("2026-11-21T08:00:00Z").unwrap().as_unix_seconds() * 1000;
        let shown = Timestamp::parse("2026-03-01T00:00:30Z").unwrap().as_unix_seconds() * 1000;
        assert_eq!(clock.at(real + 500), shown);
        assert_eq!(Clock::default().at(5), 5);
        assert_eq!(clock.until(Timestamp::MIN), Duration::ZERO);
    }

    #[test]
    fn what_sets_no_clock_is_refused() {
        for text in ["", "2026-01-01T00:00:00Z", "x=y@1", "2026-01-01T00:00:00Z=x@0"] {
            assert!(text.parse::<Clock>().is_err(), "{text}");
        }
    }
}
