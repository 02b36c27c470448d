//! `/api/v1/nodes`

pub mod list;
pub mod powers;
pub mod put;
