//! Why an agenda is not taken, as problems.

use super::Problem;
use crate::service::agendas::PutAgendaError;

impl From<PutAgendaError> for Problem {
    fn from(error: PutAgendaError) -> Self {
        match error {
            PutAgendaError::Empty | PutAgendaError::Mixed { .. } => {
                Self::contradicting(error.to_string())
            }
            PutAgendaError::Fault(fault) => fault.into(),
        }
    }
}
