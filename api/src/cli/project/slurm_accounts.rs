//! Projects from the accounts of Slurm, as `sacctmgr` tells them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};
use planner::project::ProjectSource;

use crate::http::v1::projects::document::{
    ImportedMemberDocument, ImportedProjectDocument, ProjectsImport,
};

/// The account that all others are part of; it is no project.
const ROOT: &str = "root";

/// What is asked for: of each account what it is a part of, and of each user their account.
const ASSOCIATIONS: [&str; 5] =
    ["--noheader", "--parsable2", "show", "associations", "format=Account,ParentName,User"];

/// And who coordinates each account.
const COORDINATORS: [&str; 6] =
    ["--noheader", "--parsable2", "show", "account", "withcoord", "format=Account,Coordinators"];

/// The projects that the accounts of Slurm are.
///
/// # Errors
/// `sacctmgr` cannot be started, says no, or something else than it should.
pub(super) fn read(sacctmgr: &Path, cluster: Option<&str>) -> anyhow::Result<ProjectsImport> {
    let of_cluster = cluster.map(|cluster| format!("cluster={cluster}"));
    let associations = asked(sacctmgr, ASSOCIATIONS.into_iter().chain(of_cluster.as_deref()))?;
    let coordinators = asked(sacctmgr, COORDINATORS)?;
    projects(&associations, &coordinators)
}

fn asked<'a>(
    sacctmgr: &Path,
    arguments: impl IntoIterator<Item = &'a str>,
) -> anyhow::Result<String> {
    let output = Command::new(sacctmgr).args(arguments).output();
    let output = output.with_context(|| format!("cannot start {}", sacctmgr.display()))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        bail!("{} says: {}", sacctmgr.display(), why.trim());
    }
    String::from_utf8(output.stdout).context("what sacctmgr says is no UTF-8")
}

fn projects(associations: &str, coordinators: &str) -> anyhow::Result<ProjectsImport> {
    let mut parents: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut members: BTreeMap<&str, BTreeMap<&str, bool>> = BTreeMap::new();
    for line in associations.lines().filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split('|').collect();
        let [account, parent, user] = fields[..] else {
            bail!("sacctmgr says {line:?} where an account, its parent and a user should be");
        };
        match user {
            _ if account == ROOT => {}
            "" => {
                let parent = Some(parent).filter(|parent| !["", ROOT].contains(parent));
                let known = parents.insert(account, parent);
                ensure!(
                    known.is_none_or(|known| known == parent),
                    "account {account:?} is in several places; name one cluster by --cluster"
                );
            }
            user => drop(members.entry(account).or_default().insert(user, false)),
        }
    }
    for line in coordinators.lines() {
        let Some((account, users)) = line.split_once('|') else { continue };
        let users: BTreeSet<&str> = users.split(',').filter(|user| !user.is_empty()).collect();
        members.entry(account).or_default().extend(users.into_iter().map(|user| (user, true)));
    }
    let project = |(name, parent): (&str, Option<&str>)| ImportedProjectDocument {
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        members: members.get(name).into_iter().flatten().map(member).collect(),
    };
    let source = ProjectSource::Slurm.word().to_owned();
    Ok(ProjectsImport { source, projects: parents.into_iter().map(project).collect() })
}

fn member((user, manager): (&&str, &bool)) -> ImportedMemberDocument {
    ImportedMemberDocument { user: (*user).to_owned(), manager: *manager }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Of Slurm 22.05 with an account for all, one of physics, and ocean as a part of it.
    const ASSOCIATIONS: &str = "root||\nroot||root\nall|root|\nall||ada\nphysics|root|\nphysics||mary\n\
                                ocean|physics|\nocean||ada\nocean||bob\n";

    #[test]
    fn accounts_are_projects_and_coordinators_manage_them() {
        let read = projects(ASSOCIATIONS, "all|\nocean|bob\nphysics|mary,ivan\nroot|\n").unwrap();
        let member = |user: &str, manager: bool| json!({ "user": user, "manager": manager });
        let told = json!({ "source": "slurm", "projects": [
            { "name": "all", "parent": null, "members": [member("ada", false)] },
            { "name": "ocean", "parent": "physics", "members": [member("ada", false), member("bob", true)] },
            { "name": "physics", "parent": null, "members": [member("ivan", true), member("mary", true)] },
        ] });
        assert_eq!(serde_json::to_value(&read).unwrap(), told);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let error = projects("ocean|root\n", "").map(drop).unwrap_err().to_string();
        assert!(error.contains("\"ocean|root\""), "{error}");
        let error = projects("a|root|\na|b|\nb|root|\n", "").map(drop).unwrap_err().to_string();
        assert!(error.contains("\"a\"") && error.contains("--cluster"), "{error}");
    }
}
