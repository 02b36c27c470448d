//! What is stored of simulations as JSON, read.

use serde_json::Value;

use crate::service::shared::Fault;

/// What was stored as text.
///
/// # Errors
/// It cannot be read.
pub fn parsed(text: &str) -> Result<Value, Fault> {
    serde_json::from_str(text).map_err(Fault::internal)
}

/// Whether something is varied in an experiment.
pub fn is_sweep(experiment: &Value) -> bool {
    experiment["vary"].as_object().is_some_and(|vary| !vary.is_empty())
}
