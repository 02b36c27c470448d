//! Why there is no calendar feed, as problems.

use super::Problem;
use crate::service::calendar::CalendarError;

impl From<CalendarError> for Problem {
    fn from(error: CalendarError) -> Self {
        match error {
            CalendarError::NoSuchFeed => Self::not_found(
                "calendar at this address; `wattbook calendar --renew` makes a new one",
            ),
            CalendarError::Fault(fault) => fault.into(),
        }
    }
}
