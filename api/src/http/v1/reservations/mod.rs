//! `/api/v1/reservations`

pub mod cancel;
pub mod choose;
pub mod create;
pub mod document;
pub mod get;
pub mod jobs;
pub mod list;
pub mod managed;
