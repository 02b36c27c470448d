//! Jobs that the resource manager ran, or will run, in reservations of ours.

mod repository;
pub(crate) mod row;
pub mod sql;
