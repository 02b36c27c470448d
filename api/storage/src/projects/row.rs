//! Rows of projects, and their way into the domain.

use std::collections::BTreeMap;

use planner::project::{Project, ProjectMember, ProjectSource, Projects};
use sqlx::FromRow;

use crate::error::StorageError;
use crate::row::RowPlace;

#[derive(FromRow)]
pub(crate) struct ProjectRow {
    name: String,
    parent: Option<String>,
    source: String,
}

#[derive(FromRow)]
pub(crate) struct MemberRow {
    project: String,
    user_name: String,
    is_manager: bool,
    source: String,
}

/// Projects with who is in them.
pub(crate) fn projects(
    rows: Vec<ProjectRow>,
    members: Vec<MemberRow>,
) -> Result<Projects, StorageError> {
    let mut by_name = BTreeMap::new();
    for row in rows {
        let place = RowPlace { table: "projects", row: &row.name };
        let source = place.word("source", &row.source, ProjectSource::from_word)?;
        let project = Project { parent: row.parent, source, members: BTreeMap::new() };
        by_name.insert(row.name, project);
    }
    for row in members {
        let place = RowPlace { table: "project_members", row: &row.user_name };
        let source = place.word("source", &row.source, ProjectSource::from_word)?;
        let project = place.readable("project", by_name.get_mut(&row.project))?;
        let member = ProjectMember { is_manager: row.is_manager, source };
        project.members.insert(row.user_name, member);
    }
    Ok(Projects::new(by_name))
}
