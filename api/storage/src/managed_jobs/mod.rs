//! Jobs that the resource manager ran, or will run, in reservations of ours, and those that it ran on our nodes outside
//! of them.

mod outside;
pub(crate) mod repository;
pub(crate) mod row;
pub mod sql;
