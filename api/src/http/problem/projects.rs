//! Why projects are not shown or changed, as problems.

use axum::http::StatusCode;
use planner::project::ProjectError;

use super::Problem;
use crate::service::projects::ProjectsError;

impl From<ProjectsError> for Problem {
    fn from(error: ProjectsError) -> Self {
        match error {
            ProjectsError::Refused(ProjectError::Unknown(name)) => {
                Self::not_found(format!("project {name:?}"))
            }
            ProjectsError::Refused(ref refused @ ProjectError::NoMember { .. }) => {
                Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", refused.to_string())
            }
            ProjectsError::Refused(ref refused @ ProjectError::ManagerStays { .. }) => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not permitted", refused.to_string())
            }
            ProjectsError::Refused(ref refused @ ProjectError::HasParts { .. }) => {
                Self::conflict("has_parts", "Others are part of it", refused)
            }
            ProjectsError::Refused(ref refused) => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "Projects cannot be so");
                Self::new(status, "invalid_projects", title, refused.to_string())
            }
            ProjectsError::NotManaged(_)
            | ProjectsError::ManagersByOperators
            | ProjectsError::ForOperators => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not permitted", error.to_string())
            }
            ProjectsError::Fault(fault) => fault.into(),
        }
    }
}
