//! Why the ledger does not tell, as problems.

use axum::http::StatusCode;

use super::Problem;
use crate::service::ledger::LedgerError;

impl From<LedgerError> for Problem {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::AnothersRows => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", error.to_string())
            }
            LedgerError::NoMonth => Self::invalid_parameter("month", error.to_string()),
            LedgerError::Fault(fault) => fault.into(),
        }
    }
}
