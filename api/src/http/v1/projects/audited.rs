//! What is recorded of projects that are changed.

use planner::project::{Project, ProjectMember, Projects};
use serde_json::{Value, json};
use storage::EditedProjects;

use crate::http::audit::AuditNote;

/// The projects that differ, as they were and are, each with the members who differ.
pub(super) fn audited(edited: &EditedProjects) -> AuditNote {
    let EditedProjects { before, after } = edited;
    AuditNote::of_change(differing(before, after), differing(after, before))
}

/// What of some projects is not so among others; `None` where all is.
fn differing(projects: &Projects, others: &Projects) -> Option<Value> {
    let differ = projects.iter().filter(|(name, it)| others.get(name) != Some(*it));
    let states: Vec<Value> =
        differ.map(|(name, project)| state(name, project, others.get(name))).collect();
    (!states.is_empty()).then(|| Value::from(states))
}

fn state(name: &str, project: &Project, other: Option<&Project>) -> Value {
    let is_other = |user: &String, member: &ProjectMember| {
        other.and_then(|it| it.members.get(user)) != Some(member)
    };
    let members = project.members.iter().filter(|(user, member)| is_other(user, member));
    let members = members.map(|(user, member)| {
        json!({ "person": user, "manager": member.is_manager, "source": member.source.word() })
    });
    json!({
        "project": name,
        "parent": project.parent,
        "source": project.source.word(),
        "members": members.collect::<Vec<Value>>(),
    })
}
