//! `/api/v1/site-reservations`

pub mod cancel;
pub mod create;
pub mod document;
pub mod get;
pub mod list;
pub mod schema;
