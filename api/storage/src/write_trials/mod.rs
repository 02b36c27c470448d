//! Whether the database can be written.

mod repository;
pub mod sql;
