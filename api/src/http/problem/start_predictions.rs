//! Why no start is predicted, as problems.

use super::{PlacedError, Problem};
use crate::service::start_predictions::StartPredictionError;
use crate::start_prediction::PredictionError;

impl From<StartPredictionError> for Problem {
    fn from(error: StartPredictionError) -> Self {
        match error {
            StartPredictionError::NoQueue => {
                Self::conflict("no_queue", "There is no queue", &error)
            }
            StartPredictionError::NoAnswer(_) => {
                Self::busy("slurm_unreachable", "Slurm does not answer", &error, 5)
            }
            StartPredictionError::Question(error) => {
                let pointer = match &error {
                    PredictionError::Policy { .. } => "/policy",
                    PredictionError::NoPartition { .. } => "/partition",
                    PredictionError::TooManyNodes { .. } => "/shapes",
                    PredictionError::Cancelled(_) => "",
                };
                let (pointer, detail) = (Some(pointer.to_owned()), error.to_string());
                Self::invalid_body(vec![PlacedError { pointer, place: None, detail }])
            }
            StartPredictionError::Planning(error) => error.into(),
            StartPredictionError::Fault(fault) => fault.into(),
        }
    }
}
