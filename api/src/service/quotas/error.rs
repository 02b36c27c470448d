//! Why quotas are not adjusted.

use planner::identity::QuotaAdjustmentId;
use storage::StorageError;

use crate::service::shared::Fault;

/// Why quotas are not adjusted.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The site has none.
    #[error("the site has no quotas to be adjusted; its settings have no [quotas]")]
    NoQuotas,
    /// What is asked for contradicts itself, or is over.
    #[error("the adjustment is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// There is no such adjustment.
    #[error("there is no quota adjustment {0}")]
    NoAdjustment(QuotaAdjustmentId),
    /// It is over.
    #[error("the quota adjustment {0} has ended, and stays as it is; make another one")]
    Ended(QuotaAdjustmentId),
    /// Others change it all the time.
    #[error("the quota adjustment was changed meanwhile, again and again; try again")]
    Changed,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for QuotaError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
