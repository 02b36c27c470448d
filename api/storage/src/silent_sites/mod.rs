//! Other sites of which it was told that they do not answer.

mod repository;
pub mod sql;
