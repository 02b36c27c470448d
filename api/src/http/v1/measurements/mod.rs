//! `/api/v1/measurements`

pub mod create;
pub mod list;
