//! Projects, and who is in each.

pub(crate) mod repository;
mod row;
pub mod sql;

use planner::project::{ProjectError, Projects};

use crate::error::StorageError;

/// Projects before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedProjects {
    /// As they were.
    pub before: Projects,
    /// As they are.
    pub after: Projects,
}

/// Why projects were not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditProjectsError {
    /// They cannot be changed so.
    #[error(transparent)]
    Refused(#[from] ProjectError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<sqlx::Error> for EditProjectsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error.into())
    }
}
