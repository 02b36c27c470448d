//! `/api/v1/power-actions`

pub mod decide;
pub mod document;
pub mod list;
pub mod log;
