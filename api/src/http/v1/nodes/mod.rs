//! `/api/v1/nodes`

pub mod list;
pub mod put;
