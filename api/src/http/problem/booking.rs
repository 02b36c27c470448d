//! Why nothing is booked, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::booking::{BookingError, QuoteError};

impl From<QuoteError> for Problem {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::Invalid(errors) => Self::contradicting_all(errors),
            QuoteError::Planning(error) => error.into(),
        }
    }
}

impl From<BookingError> for Problem {
    fn from(error: BookingError) -> Self {
        match error {
            BookingError::NoReservation(id) => Self::not_found(format!("reservation {id}")),
            BookingError::NoGain { .. } => Self::conflict("no_gain", "Not worth moving", &error),
            BookingError::Impossible(ref decision) | BookingError::NotNegotiated(ref decision) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "The reservation is not possible");
                let problem = Self::new(status, "impossible", title, error.to_string());
                problem.with(decision.as_ref())
            }
            BookingError::NotExtended(ref refusal) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "The extension is not possible");
                let problem = Self::new(status, "impossible", title, error.to_string());
                problem.with(refusal.as_ref())
            }
            BookingError::InvalidRequest(errors) => Self::invalid_json(errors),
            BookingError::PriorityIsForOperators => {
                let status = StatusCode::FORBIDDEN;
                Self::new(status, "forbidden", "Not permitted", error.to_string())
            }
            BookingError::UnknownOwner(_) => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "Nobody of this name");
                Self::new(status, "unknown_owner", title, error.to_string())
            }
            BookingError::OffersExpired(ref decision) => {
                Self::conflict("offers_expired", "The offers have expired", &error)
                    .with(decision.as_ref())
            }
            BookingError::OfferChanged { ref decision, .. } => {
                let title = "The offer is not what was expected";
                let problem = Self::conflict("offer_changed", title, &error);
                match decision {
                    Some(decision) => problem.with(decision.as_ref()),
                    None => problem,
                }
            }
            BookingError::BookChanged => Self::book_changed(&error),
            BookingError::HasJobs { .. } => {
                Self::conflict("has_jobs", "Jobs run or wait in it", &error)
            }
            BookingError::WrongState { .. } => {
                Self::conflict("wrong_state", "Not in this state", &error)
            }
            BookingError::UnknownOffer => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "No such offer");
                Self::new(status, "unknown_offer", title, error.to_string())
            }
            BookingError::VersionMismatch => {
                let (status, title) =
                    (StatusCode::PRECONDITION_FAILED, "Changed since it was read");
                Self::new(status, "version_mismatch", title, error.to_string())
            }
            BookingError::TooManyHolds { retry_after_s, .. }
            | BookingError::TooMuchHeld { retry_after_s, .. } => {
                Self::too_many("too_many_holds", "Too much is held", &error, retry_after_s)
            }
            BookingError::Key(error) => error.into(),
            BookingError::Quote(error) => error.into(),
            BookingError::Fault(fault) => fault.into(),
        }
    }
}
