//! Projects: who is in them, and who says so.

mod error;

use std::sync::Arc;

use planner::project::{Project, ProjectEdit, ProjectError, Projects};
use planner::rights::Action;
use storage::EditedProjects;

use super::shared::{Access, Shared, SiteState};

pub use error::ProjectsError;

/// Shows and changes projects.
pub struct ProjectService {
    shared: Arc<Shared>,
}

/// A project as somebody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenProject {
    /// Its name.
    pub name: String,
    /// What is known of it; of its members only the caller, where they do not manage it.
    pub project: Project,
}

impl ProjectService {
    /// On the database.
    pub const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The projects that a caller sees, by name: all for operators, for others those that they are in or manage.
    pub fn seen(&self, access: Access<'_>, state: &SiteState) -> Vec<SeenProject> {
        seen_of(access, state.callers().projects())
    }

    /// One project.
    ///
    /// # Errors
    /// `Unknown` where there is none, or the caller does not see it.
    pub fn project(
        &self,
        access: Access<'_>,
        name: &str,
        state: &SiteState,
    ) -> Result<SeenProject, ProjectsError> {
        let project = state.callers().projects().get(name);
        let seen = project.and_then(|project| seen(access, name, project));
        seen.ok_or_else(|| ProjectError::Unknown(name.to_owned()).into())
    }

    /// Changes projects; all as they were and are.
    ///
    /// # Errors
    /// `Refused` where it cannot be; `NotManaged` where the caller manages not what is changed, or it is for operators.
    pub async fn edit(
        &self,
        access: Access<'_>,
        edit: &ProjectEdit,
    ) -> Result<EditedProjects, ProjectsError> {
        check_right(access, edit)?;
        let (by_manager, now) = (!access.is_operator(), self.shared.now());
        Ok(self.shared.database.edit_projects(edit, by_manager, now).await?)
    }
}

/// Operators change what they want; managers say who is in what they manage, and make nobody a manager.
fn check_right(access: Access<'_>, edit: &ProjectEdit) -> Result<(), ProjectsError> {
    if access.is_operator() {
        return Ok(());
    }
    match edit {
        ProjectEdit::PutMember { project, is_manager: false, .. }
        | ProjectEdit::RemoveMember { project, .. }
            if access.manages(project) =>
        {
            Ok(())
        }
        ProjectEdit::PutMember { project, is_manager: true, .. } if access.manages(project) => {
            Err(ProjectsError::ManagersByOperators)
        }
        ProjectEdit::PutMember { project, .. } | ProjectEdit::RemoveMember { project, .. } => {
            Err(ProjectsError::NotManaged(project.clone()))
        }
        // A rule of the site gave it to them.
        ProjectEdit::Put { .. } | ProjectEdit::Remove { .. } | ProjectEdit::Import { .. }
            if access.action == Some(Action::ProjectChange) =>
        {
            Ok(())
        }
        ProjectEdit::Put { .. } | ProjectEdit::Remove { .. } | ProjectEdit::Import { .. } => {
            Err(ProjectsError::ForOperators)
        }
    }
}

/// What a caller sees of projects.
pub fn seen_of(access: Access<'_>, projects: &Projects) -> Vec<SeenProject> {
    projects.iter().filter_map(|(name, project)| seen(access, name, project)).collect()
}

/// A project as a caller sees it; `None` where they do not.
fn seen(access: Access<'_>, name: &str, project: &Project) -> Option<SeenProject> {
    let mut project = project.clone();
    if !access.manages(name) {
        if !access.projects.is_some_and(|projects| projects.of.own.contains(name)) {
            return None;
        }
        project.members.retain(|user, _| user == access.owner);
    }
    Some(SeenProject { name: name.to_owned(), project })
}
