//! `/api/v1/site-offers`

pub mod create;
pub mod document;
pub mod schema;
