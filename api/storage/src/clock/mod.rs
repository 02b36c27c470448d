//! The clock of a database, how often operators said that clocks are right though they jumped, and what was told of a jump.

mod reading;
mod repository;
pub mod sql;
