//! Why quotas are not adjusted, as problems.

use super::Problem;
use crate::service::quotas::QuotaError;

impl From<QuotaError> for Problem {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::NoQuotas => Self::conflict("no_quotas", "There are no quotas", &error),
            QuotaError::Invalid(errors) => Self::contradicting_all(errors),
            QuotaError::NoAdjustment(id) => Self::not_found(format!("quota adjustment {id}")),
            QuotaError::Ended(_) => Self::conflict("wrong_state", "It has ended", &error),
            QuotaError::Changed => Self::conflict("book_changed", "Changed meanwhile", &error),
            QuotaError::Fault(fault) => fault.into(),
        }
    }
}
