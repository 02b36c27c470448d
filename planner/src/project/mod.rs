//! Projects: who shares budgets and sees each other's reservations.
//!
//! Projects form a tree. A user is a member or a manager of any number of them; who manages a project manages
//! all that are part of it.

mod edit;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use edit::{ImportedProject, ProjectEdit, ProjectError};

/// The most projects that a site keeps.
pub const MOST_PROJECTS: usize = 100_000;

/// All projects of a site, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projects {
    by_name: BTreeMap<String, Project>,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The project that it is a part of; `None` at the top.
    pub parent: Option<String>,
    /// Who says that there is such a project.
    pub source: ProjectSource,
    /// Who is in it, by name.
    pub members: BTreeMap<String, ProjectMember>,
}

/// A user in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectMember {
    /// Whether they manage it.
    pub is_manager: bool,
    /// Who says that they are in it.
    pub source: ProjectSource,
}

/// Who says what is known of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProjectSource {
    /// Somebody who asked the service.
    Api,
    /// A file that was imported.
    File,
    /// The accounts of Slurm, as they were imported.
    Slurm,
}

impl ProjectSource {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Api, Self::File, Self::Slurm];

    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::File => "file",
            Self::Slurm => "slurm",
        }
    }

    /// The source that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}

/// The projects of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectsOfUser {
    /// Those that they are a member or a manager of, by name.
    pub own: BTreeSet<String>,
    /// Those that they manage, with all that are part of them.
    pub managed: BTreeSet<String>,
}

impl ProjectsOfUser {
    /// Whether a user may book for a project.
    pub fn include(&self, project: &str) -> bool {
        self.own.contains(project) || self.managed.contains(project)
    }
}

impl Projects {
    /// Projects as they were kept.
    pub const fn new(by_name: BTreeMap<String, Project>) -> Self {
        Self { by_name }
    }

    /// Whether the site keeps none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// A project.
    pub fn get(&self, name: &str) -> Option<&Project> {
        self.by_name.get(name)
    }

    /// All projects, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Project)> {
        self.by_name.iter().map(|(name, project)| (name.as_str(), project))
    }

    /// The projects of everybody who is in one, by user.
    pub fn of_users(&self) -> BTreeMap<String, ProjectsOfUser> {
        let mut found: BTreeMap<String, ProjectsOfUser> = BTreeMap::new();
        for (name, project) in &self.by_name {
            for user in project.members.keys() {
                found.entry(user.clone()).or_default().own.insert(name.clone());
            }
            for above in std::iter::once(name.as_str()).chain(self.above(name)) {
                let members = self.by_name.get(above).into_iter().flat_map(|it| &it.members);
                for (user, _) in members.filter(|(_, member)| member.is_manager) {
                    found.entry(user.clone()).or_default().managed.insert(name.clone());
                }
            }
        }
        found
    }

    /// The projects that a project is a part of, the nearest first. Ends on a circle, which edits never make.
    pub fn above<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let parent = |name: &str| self.by_name.get(name)?.parent.as_deref();
        std::iter::successors(parent(name), move |name| parent(name)).take(self.by_name.len())
    }
}
