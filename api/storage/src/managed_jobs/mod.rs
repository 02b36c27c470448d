//! Jobs that the resource manager ran, or will run, in reservations of ours.

mod repository;
mod row;
pub mod sql;
