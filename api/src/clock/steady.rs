//! A clock that nobody sets, and that goes on while the machine sleeps.

use std::ops::Add;
use std::time::Duration;

/// An instant of a clock that nobody sets. On Linux it goes on while the machine sleeps (`CLOCK_BOOTTIME`); elsewhere it may stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SteadyInstant(Duration);

impl SteadyInstant {
    /// Now.
    pub fn now() -> Self {
        Self(since_origin())
    }

    /// How long after another instant this one is; nothing where it is before.
    pub const fn saturating_duration_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// How long ago it was.
    pub fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

impl Add<Duration> for SteadyInstant {
    type Output = Self;

    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(length))
    }
}

/// Since the machine was started.
#[cfg(target_os = "linux")]
fn since_origin() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let nanos = u32::try_from(now.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), nanos)
}

/// Since this was first asked.
#[cfg(not(target_os = "linux"))]
fn since_origin() -> Duration {
    static ORIGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    ORIGIN.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// While the machine is awake it goes as the monotonic clock does.
    #[test]
    fn it_goes_on_and_never_back() {
        let (began, steady) = (Instant::now(), SteadyInstant::now());
        std::thread::sleep(Duration::from_millis(20));
        let at_least = steady.elapsed();
        let at_most = began.elapsed() + Duration::from_millis(1);
        assert!(at_least >= Duration::from_millis(19) && at_least <= at_most, "{at_least:?}");
        let later = steady + Duration::from_mins(5);
        assert_eq!(later.saturating_duration_since(steady), Duration::from_mins(5));
        assert_eq!(steady.saturating_duration_since(later), Duration::ZERO);
    }
}
