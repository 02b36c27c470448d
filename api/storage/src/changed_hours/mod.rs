//! Stated hours of which something was heard late: measurements, or jobs that ran unseen. They are to be stated anew.

pub(crate) mod repository;
pub mod sql;
