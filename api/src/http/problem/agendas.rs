//! Why an agenda is not taken, as problems.

use super::Problem;
use crate::service::agendas::AgendaError;

impl From<AgendaError> for Problem {
    fn from(error: AgendaError) -> Self {
        match error {
            AgendaError::Empty | AgendaError::Mixed => Self::contradicting(error.to_string()),
            AgendaError::Fault(fault) => fault.into(),
        }
    }
}
