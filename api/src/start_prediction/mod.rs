//! When would it start? What the command line and the service share: the state of a queue from a document or from the resource
//! manager, and the answer as a document. The prediction itself is `batch::start_prediction`.

pub mod document;
pub mod managed;
mod predicted_starts;
pub mod question;
pub mod state;

pub use predicted_starts::{Learned, PredictedStarts, PredictionAsker, PredictionError, predictor};
