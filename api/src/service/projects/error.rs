//! Why projects are not shown or changed.

use planner::project::ProjectError;
use storage::EditProjectsError;

use crate::service::shared::Fault;

/// Why projects are not shown or changed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectsError {
    /// They cannot be changed so, or there is no such project.
    #[error(transparent)]
    Refused(#[from] ProjectError),
    /// The caller does not manage the project.
    #[error("you do not manage the project {0:?}; its managers and operators say who is in it")]
    NotManaged(String),
    /// Managers make no managers.
    #[error("only operators say who manages a project; ask one")]
    ManagersByOperators,
    /// Only operators do that.
    #[error("only operators make, move and remove projects; ask one")]
    ForOperators,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<EditProjectsError> for ProjectsError {
    fn from(error: EditProjectsError) -> Self {
        match error {
            EditProjectsError::Refused(error) => Self::Refused(error),
            EditProjectsError::Storage(error) => Self::Fault(error.into()),
        }
    }
}
