//! `/api/v1/estimates`

pub mod create;
pub mod schema;
