//! Experiments being played: what the command line and the service share.
//!
//! * [`inputs`]: a cell of an experiment from its variant and the tables that it names.
//! * [`document`]: an experiment that carries its inputs with it.
//! * [`pool`]: runs on threads, a sample of their plans judged by the independent checker.
//! * `parquet`: tables of results as Parquet, under the feature of this name.
//! * [`results`]: the files that come of it. The same experiment and seed give the same bytes,
//!   whoever plays it.

pub mod document;
mod forecasts;
pub mod inputs;
mod judge;
mod keep;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pool;
pub mod progress;
pub mod results;
