//! `/api/v1/negotiations`

pub mod answer;
pub mod document;
pub mod get;
pub mod list;
