//! `/api/v1/outages`

pub mod change;
pub mod create;
pub mod document;
pub mod end;
pub mod list;
