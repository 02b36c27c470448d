//! What any service may meet, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::shared::{Exceeded, Fault, KeyError, PlanningError};

impl From<Fault> for Problem {
    fn from(error: Fault) -> Self {
        match error {
            Fault::Unavailable(ref source) => {
                let source = anyhow::Error::from(std::sync::Arc::clone(source));
                tracing::warn!(error = format!("{source:#}"), "no database");
                Self::busy("unavailable", "The database is unavailable", &error, 1)
            }
            Fault::Internal(source) => Self::internal(&source),
        }
    }
}

impl From<PlanningError> for Problem {
    fn from(error: PlanningError) -> Self {
        match error {
            PlanningError::Overloaded => {
                Self::busy("overloaded", "Too many plans are waiting", &error, 1)
            }
            PlanningError::TimeLimit => {
                Self::busy("time_limit", "Planning took too long", &error, 5)
            }
            PlanningError::TooManyPlans => {
                Self::too_many("too_many_plans", "Too many plans", &error, 1)
            }
            PlanningError::Fault(fault) => fault.into(),
        }
    }
}

impl From<KeyError> for Problem {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Reused => {
                let title = "The idempotency key was used before";
                Self::conflict("idempotency_key_reused", title, &error)
            }
            KeyError::Fault(fault) => fault.into(),
        }
    }
}

impl Problem {
    /// There is no room for more bytes, of all or of the one who asks: the limit and what to do about it, for either.
    pub fn no_room(
        exceeded: Exceeded,
        title: &'static str,
        of_all: (&'static str, &'static str),
        of_user: (&'static str, &'static str),
    ) -> Self {
        let (status, code, (limit, detail)) = match exceeded {
            Exceeded::All => (StatusCode::SERVICE_UNAVAILABLE, "overloaded", of_all),
            Exceeded::User => (StatusCode::TOO_MANY_REQUESTS, "too_many_bytes", of_user),
        };
        Self::new(status, code, title, detail).retry_after(1).of_limit(limit)
    }
}
