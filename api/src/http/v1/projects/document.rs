//! Projects as JSON, out and in.

use std::collections::BTreeMap;

use planner::json::Reader;
use planner::project::{ImportedProject, ProjectEdit, ProjectMember, ProjectSource};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::http::problem::Problem;
use crate::service::projects::SeenProject;

/// Projects.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ProjectsDocument {
    /// By name.
    pub items: Vec<ProjectDocument>,
}

/// A project.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ProjectDocument {
    /// Its name.
    #[schema(example = "ocean")]
    pub name: String,
    /// The project that it is a part of; null at the top.
    #[schema(example = "physics")]
    pub parent: Option<String>,
    /// Who says that there is such a project: `api`, `file` or `slurm`.
    #[schema(example = "api")]
    pub source: String,
    /// Who is in it, by name; of others only who manages it and operators are told.
    pub members: Vec<MemberDocument>,
}

/// A user in a project.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct MemberDocument {
    /// The user's name.
    #[schema(example = "ada")]
    pub user: String,
    /// Whether they manage it, and all that is part of it.
    pub manager: bool,
    /// Who says that they are in it: `api`, `file` or `slurm`.
    #[schema(example = "api")]
    pub source: String,
}

/// A project to be.
#[derive(Serialize, ToSchema)]
pub struct ProjectRequest {
    /// The project that it is a part of; null, as unless given, at the top.
    #[schema(example = "physics")]
    pub parent: Option<String>,
}

/// A user in a project, to be.
#[derive(Serialize, ToSchema)]
pub struct MemberRequest {
    /// Whether they manage it; not, unless given.
    pub manager: Option<bool>,
}

/// All that a source says of projects.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ProjectsImport {
    /// `file` or `slurm`.
    #[schema(example = "slurm")]
    pub source: String,
    /// The projects.
    pub projects: Vec<ImportedProjectDocument>,
}

/// A project as a source has it.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ImportedProjectDocument {
    /// Its name.
    pub name: String,
    /// The project that it is a part of; null at the top.
    pub parent: Option<String>,
    /// Who is in it; nobody unless said.
    #[serde(default)]
    pub members: Vec<ImportedMemberDocument>,
}

/// A user in a project, as a source has them.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ImportedMemberDocument {
    /// The user's name.
    pub user: String,
    /// Whether they manage it; not, unless given.
    #[serde(default)]
    pub manager: bool,
}

impl From<SeenProject> for ProjectDocument {
    fn from(SeenProject { name, project }: SeenProject) -> Self {
        let member = |(user, member): (String, ProjectMember)| MemberDocument {
            user,
            manager: member.is_manager,
            source: member.source.word().to_owned(),
        };
        Self {
            name,
            parent: project.parent,
            source: project.source.word().to_owned(),
            members: project.members.into_iter().map(member).collect(),
        }
    }
}

impl From<Vec<SeenProject>> for ProjectsDocument {
    fn from(projects: Vec<SeenProject>) -> Self {
        Self { items: projects.into_iter().map(ProjectDocument::from).collect() }
    }
}

impl ProjectsDocument {
    /// One of them; a problem where it is not there any more.
    pub(super) fn one(self, name: &str) -> Result<ProjectDocument, Problem> {
        let found = self.items.into_iter().find(|it| it.name == name);
        found.ok_or_else(|| Problem::not_found(format!("project {name:?}")))
    }
}

/// A project that is to be.
pub(super) fn project(
    reader: &mut Reader,
    raw: &RawValue,
    name_in_path: &str,
) -> Option<ProjectEdit> {
    let object = reader.object(raw, &["parent"])?;
    let parent = reader.optional(&object, "parent", name)?;
    Some(ProjectEdit::Put { name: name_in_path.to_owned(), parent })
}

/// Whether a member is to manage the project.
pub(super) fn is_manager(reader: &mut Reader, raw: &RawValue) -> Option<bool> {
    let object = reader.object(raw, &["manager"])?;
    Some(reader.optional(&object, "manager", Reader::boolean)?.unwrap_or_default())
}

/// All that a source says of projects.
pub(super) fn import(reader: &mut Reader, raw: &RawValue) -> Option<ProjectEdit> {
    let object = reader.object(raw, &["source", "projects"])?;
    let source = reader.required(&object, "source", source);
    let projects =
        reader.required(&object, "projects", |reader, raw| reader.array(raw, imported_project));
    Some(ProjectEdit::Import { source: source?, projects: projects? })
}

fn source(reader: &mut Reader, raw: &RawValue) -> Option<ProjectSource> {
    match reader.string(raw)?.as_str() {
        "file" => Some(ProjectSource::File),
        "slurm" => Some(ProjectSource::Slurm),
        _ => {
            reader.error("must be \"file\" or \"slurm\"");
            None
        }
    }
}

fn imported_project(reader: &mut Reader, raw: &RawValue) -> Option<ImportedProject> {
    let object = reader.object(raw, &["name", "parent", "members"])?;
    let named = reader.required(&object, "name", name);
    let parent = reader.optional(&object, "parent", name);
    let members =
        reader.optional(&object, "members", |reader, raw| reader.array(raw, imported_member));
    let listed = members?.unwrap_or_default();
    let count = listed.len();
    let members: BTreeMap<String, bool> = listed.into_iter().collect();
    if members.len() < count {
        reader.error_at("members", "has a user twice");
    }
    Some(ImportedProject { name: named?, parent: parent?, members })
}

fn imported_member(reader: &mut Reader, raw: &RawValue) -> Option<(String, bool)> {
    let object = reader.object(raw, &["user", "manager"])?;
    let user = reader.required(&object, "user", name);
    let is_manager = reader.optional(&object, "manager", Reader::boolean);
    Some((user?, is_manager?.unwrap_or_default()))
}

fn name(reader: &mut Reader, raw: &RawValue) -> Option<String> {
    reader.name(raw).map(String::from)
}
