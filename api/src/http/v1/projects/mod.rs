//! Projects, and who is in them. See `docs/PROJECTS.md`.

pub mod audited;
pub mod document;
pub mod get;
pub mod import;
pub mod list;
pub mod put;
pub mod put_member;
pub mod remove;
pub mod remove_member;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use planner::node::{NAME_RULE, is_name};

use crate::http::App;
use crate::http::by::By;
use crate::http::caller::Caller;
use crate::http::problem::Problem;
use crate::http::v1::path::part;
use crate::service::projects::ProjectsError;

/// The project in the path.
pub struct ProjectInPath(pub String);

/// The project and the user in the path, of a caller who says who is in the project.
pub struct MemberInPath {
    /// Who calls: an operator, or a manager of the project.
    pub caller: Caller,
    /// The project.
    pub project: String,
    /// The user.
    pub user: String,
}

impl<S: Send + Sync> FromRequestParts<S> for ProjectInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(Self(name(parts, state, "name").await?))
    }
}

impl FromRequestParts<App> for MemberInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let By { caller, .. } = By::from_request_parts(parts, app).await?;
        let project = name(parts, app, "name").await?;
        if !caller.access().manages(&project) {
            return Err(ProjectsError::NotManaged(project).into());
        }
        Ok(Self { caller, project, user: name(parts, app, "user").await? })
    }
}

async fn name<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    place: &'static str,
) -> Result<String, Problem> {
    let name = part(parts, state, place).await;
    if is_name(&name) { Ok(name) } else { Err(Problem::invalid_parameter(place, NAME_RULE)) }
}
