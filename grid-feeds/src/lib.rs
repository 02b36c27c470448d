//! The supplier's and the meters' side: agendas, nodes and power samples in, as tables or JSON.
//!
//! Pure so far: texts in, values or errors with their places out.

pub mod demonstration;
mod local_time;
mod power_sample;
pub mod table;

pub use power_sample::power_samples_json;
