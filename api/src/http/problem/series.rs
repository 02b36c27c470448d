//! Why a series is not made, shown or changed, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::series::SeriesError;

impl From<SeriesError> for Problem {
    fn from(error: SeriesError) -> Self {
        match error {
            SeriesError::NoSeries(id) => Self::not_found(format!("series {id}")),
            SeriesError::NoOccurrence(ref name) => {
                Self::not_found(format!("occurrence {name:?} of the series"))
            }
            SeriesError::NotTheirs { .. } => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not permitted", error.to_string())
            }
            SeriesError::Over(_) => Self::conflict("wrong_state", "Not in this state", &error),
            SeriesError::Invalid(errors) => Self::invalid_json(errors),
            SeriesError::Refused { .. } => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "Not all occurrences are possible");
                Self::new(status, "impossible", title, error.to_string())
            }
            SeriesError::TooMany(_) => {
                Self::too_many("too_many_series", "Too many series", &error, 3600)
                    .of_limit("series_per_user")
            }
            SeriesError::ReceiverHasTooMany { .. } => {
                Self::conflict("too_many_series", "Too many series", &error)
            }
            SeriesError::VersionMismatch => {
                let (status, title) =
                    (StatusCode::PRECONDITION_FAILED, "Changed since it was read");
                Self::new(status, "version_mismatch", title, error.to_string())
            }
            SeriesError::Changed => Self::book_changed(&error),
            SeriesError::Key(error) => error.into(),
            SeriesError::Booking(error) => error.into(),
            SeriesError::Fault(fault) => fault.into(),
        }
    }
}
