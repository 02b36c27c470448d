//! Calibration epochs: since when which nodes are counted in which order.

pub(crate) mod repository;
pub(crate) mod row;
pub mod sql;
