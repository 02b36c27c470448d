//! Projects from a file.
//!
//! ```toml
//! [[projects]]
//! name = "ocean"
//! parent = "physics"     # left out at the top
//! managers = ["mary"]
//! members = ["ada", "bob"]
//! ```

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use planner::project::ProjectSource;
use serde::Deserialize;

use crate::http::v1::projects::document::{
    ImportedMemberDocument, ImportedProjectDocument, ProjectsImport,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    projects: Vec<ProjectFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFields {
    name: String,
    parent: Option<String>,
    #[serde(default)]
    managers: Vec<String>,
    #[serde(default)]
    members: Vec<String>,
}

/// The projects of a file; of standard input where it is `-`.
///
/// # Errors
/// It cannot be read, with the place.
pub(super) fn read(path: &Path) -> anyhow::Result<ProjectsImport> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
    } else {
        text = std::fs::read_to_string(path)
            .with_context(|| format!("the file {} cannot be read", path.display()))?;
    }
    parse(&text).with_context(|| format!("in {}", path.display()))
}

fn parse(text: &str) -> anyhow::Result<ProjectsImport> {
    let file: File = toml::from_str(text)?;
    let source = ProjectSource::File.word().to_owned();
    Ok(ProjectsImport { source, projects: file.projects.into_iter().map(imported).collect() })
}

fn imported(fields: ProjectFields) -> ImportedProjectDocument {
    let ProjectFields { name, parent, managers, mut members } = fields;
    members.retain(|user| !managers.contains(user));
    let member = |manager| move |user| ImportedMemberDocument { user, manager };
    let members =
        managers.into_iter().map(member(true)).chain(members.into_iter().map(member(false)));
    ImportedProjectDocument { name, parent, members: members.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_manages_a_project_need_not_be_among_its_members() {
        let read = parse(
            "[[projects]]\nname = \"physics\"\n\
             [[projects]]\nname = \"ocean\"\nparent = \"physics\"\nmanagers = [\"mary\"]\n\
             members = [\"ada\", \"mary\"]\n",
        )
        .unwrap();
        assert_eq!(read.source, "file");
        let of = |at: usize| {
            let members = read.projects[at].members.iter();
            members.map(|it| (it.user.as_str(), it.manager)).collect::<Vec<_>>()
        };
        assert!(of(0).is_empty());
        assert_eq!(of(1), [("mary", true), ("ada", false)]);
        assert_eq!(read.projects[1].parent.as_deref(), Some("physics"));
    }

    #[test]
    fn an_error_has_its_line() {
        let error = format!("{:#}", parse("[[projects]]\nnam = \"a\"\n").map(drop).unwrap_err());
        assert!(error.contains("line 2") && error.contains("nam"), "{error}");
    }
}
