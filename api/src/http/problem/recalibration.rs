//! Why proposals of calibration are not decided on, as problems.

use super::Problem;
use crate::service::recalibration::RecalibrationError;

impl From<RecalibrationError> for Problem {
    fn from(error: RecalibrationError) -> Self {
        match error {
            RecalibrationError::NotProposed(_) => {
                Self::conflict("not_proposed", "Nothing is proposed", &error)
            }
            RecalibrationError::OverCap => {
                Self::conflict("over_cap", "Reservations would not fit under the cap", &error)
            }
            RecalibrationError::Invalid(detail) => Self::contradicting(detail),
            RecalibrationError::BookChanged => Self::book_changed(&error),
            RecalibrationError::Fault(fault) => fault.into(),
        }
    }
}
