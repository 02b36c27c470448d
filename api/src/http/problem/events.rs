//! Why somebody may not watch, as problems.

use super::Problem;
use crate::service::events::WatchError;

impl From<WatchError> for Problem {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::TooManyWatchers => {
                Self::busy("overloaded", "Too many are watching", &error, 30).of_limit("streams")
            }
            WatchError::TooManyStreams(_) => {
                Self::too_many("too_many_streams", "Too many streams", &error, 30)
                    .of_limit("streams_per_user")
            }
        }
    }
}
