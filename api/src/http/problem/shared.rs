//! What any service may meet, as problems.

use super::Problem;
use crate::service::shared::{Fault, KeyError, PlanningError};

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
