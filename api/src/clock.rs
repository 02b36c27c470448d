//! The one place where the service reads the time.

use planner::time::Timestamp;

/// The current instant, to the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Now, rounded down to the second.
    #[expect(clippy::disallowed_methods, reason = "the service's only clock")]
    pub fn now(self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |elapsed| elapsed.as_secs());
        Timestamp::from_unix_seconds(i64::try_from(since_epoch).unwrap_or(i64::MAX))
    }
}
