//! Why the ledger does not tell.

use crate::service::shared::Fault;

/// Why the ledger does not tell what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It is another user's.
    #[error("only operators see what is another user's; leave the parameter user out")]
    AnothersRows,
    /// A name that is no month's.
    #[error("must be a month such as 2026-03")]
    NoMonth,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}
