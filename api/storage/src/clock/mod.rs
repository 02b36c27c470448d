//! The clock of a database, and how often operators said that clocks are right though they jumped.

mod reading;
mod repository;
pub mod sql;
