//! Grants of extra power, which raise the cap that plans rest on.

pub(crate) mod repository;
mod row;
pub mod sql;
