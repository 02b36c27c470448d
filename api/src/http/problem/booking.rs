//! Why nothing is booked, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::ServiceError;
use crate::service::shared::Fault;

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Invalid(errors) => Self::contradicting_all(errors),
            ServiceError::NoNegotiation(id) => Self::not_found(format!("negotiation {id}")),
            ServiceError::NoGrant(id) => Self::not_found(format!("grant {id}")),
            ServiceError::NoReservation(id) => Self::not_found(format!("reservation {id}")),
            ServiceError::NotAsked(_) => Self::conflict("not_asked", "Nothing is asked", &error),
            ServiceError::NoGain { .. } => Self::conflict("no_gain", "Not worth moving", &error),
            ServiceError::Impossible(ref decision) | ServiceError::NotNegotiated(ref decision) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "The reservation is not possible");
                let problem = Self::new(status, "impossible", title, error.to_string());
                problem.with(decision.as_ref())
            }
            ServiceError::OffersExpired(ref decision) => {
                Self::conflict("offers_expired", "The offers have expired", &error)
                    .with(decision.as_ref())
            }
            ServiceError::OfferChanged { ref decision, .. } => {
                let title = "The offer is not what was expected";
                let problem = Self::conflict("offer_changed", title, &error);
                match decision {
                    Some(decision) => problem.with(decision.as_ref()),
                    None => problem,
                }
            }
            ServiceError::Busy => Self::book_changed(&error),
            ServiceError::WrongState { .. } => {
                Self::conflict("wrong_state", "Not in this state", &error)
            }
            ServiceError::IdempotencyKeyReused => {
                let title = "The idempotency key was used before";
                Self::conflict("idempotency_key_reused", title, &error)
            }
            ServiceError::UnknownOffer => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "No such offer");
                Self::new(status, "unknown_offer", title, error.to_string())
            }
            ServiceError::VersionMismatch => {
                let (status, title) =
                    (StatusCode::PRECONDITION_FAILED, "Changed since it was read");
                Self::new(status, "version_mismatch", title, error.to_string())
            }
            ServiceError::TooManyHolds { retry_after_s, .. }
            | ServiceError::TooMuchHeld { retry_after_s, .. } => {
                Self::too_many("too_many_holds", "Too much is held", &error, retry_after_s)
            }
            ServiceError::TooManyPlans => {
                Self::too_many("too_many_plans", "Too many plans", &error, 1)
            }
            ServiceError::Overloaded => {
                Self::busy("overloaded", "Too many plans are waiting", &error, 1)
            }
            ServiceError::TimeLimit => {
                Self::busy("time_limit", "Planning took too long", &error, 5)
            }
            ServiceError::Unavailable(source) => Fault::Unavailable(source).into(),
            ServiceError::Internal(source) => Fault::Internal(source).into(),
        }
    }
}
