//! `/api/v1/predictions`

pub mod create;
pub mod schema;
