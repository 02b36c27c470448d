//! Changes of projects. A change that cannot be changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::{MOST_PROJECTS, Project, ProjectMember, ProjectSource, Projects};

/// A change of projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectEdit {
    /// There is such a project, as a part of another or at the top; who is in it stays.
    Put {
        /// Its name.
        name: String,
        /// What it is a part of.
        parent: Option<String>,
    },
    /// There is no such project any more.
    Remove {
        /// Its name.
        name: String,
    },
    /// A user is in a project.
    PutMember {
        /// The project.
        project: String,
        /// The user.
        user: String,
        /// Whether they manage it.
        is_manager: bool,
    },
    /// A user is in a project no more.
    RemoveMember {
        /// The project.
        project: String,
        /// The user.
        user: String,
    },
    /// What a source says is exactly this; what others say stays.
    Import {
        /// The source.
        source: ProjectSource,
        /// All that it says.
        projects: Vec<ImportedProject>,
    },
}

/// A project as a source has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedProject {
    /// Its name.
    pub name: String,
    /// What it is a part of: a project of the import, or one that is kept.
    pub parent: Option<String>,
    /// Who is in it, and whether they manage it.
    pub members: BTreeMap<String, bool>,
}

/// Why projects cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    /// There is no such project.
    #[error("there is no project {0:?}")]
    Unknown(String),
    /// What it should be a part of is not there.
    #[error("project {project:?}: its parent {parent:?} is no project")]
    NoParent {
        /// The project.
        project: String,
        /// What it should be a part of.
        parent: String,
    },
    /// A project would be a part of itself.
    #[error("project {0:?} would be a part of itself")]
    Circle(String),
    /// Others are part of it.
    #[error("project {project:?} cannot be removed while {part:?} is a part of it")]
    HasParts {
        /// The project.
        project: String,
        /// The first of them.
        part: String,
    },
    /// A source names a project twice.
    #[error("project {0:?} is there twice")]
    Twice(String),
    /// The user is not in the project.
    #[error("{user:?} is not in the project {project:?}")]
    NoMember {
        /// The project.
        project: String,
        /// The user.
        user: String,
    },
    /// Who manages a project is for others to say than its managers.
    #[error("{user:?} manages the project {project:?}; only operators say who does, ask one")]
    ManagerStays {
        /// The project.
        project: String,
        /// The user.
        user: String,
    },
    /// More than a site keeps.
    #[error("a site keeps at most {MOST_PROJECTS} projects")]
    TooMany,
}

impl Projects {
    /// The projects after a change.
    ///
    /// # Errors
    /// It cannot be.
    pub fn after(&self, edit: &ProjectEdit) -> Result<Self, ProjectError> {
        let mut next = self.clone();
        match edit {
            ProjectEdit::Put { name, parent } => next.put(name, parent.as_deref()),
            ProjectEdit::Remove { name } => next.remove(name)?,
            ProjectEdit::PutMember { project, user, is_manager } => {
                let member = ProjectMember { is_manager: *is_manager, source: ProjectSource::Api };
                next.project(project)?.members.insert(user.clone(), member);
            }
            ProjectEdit::RemoveMember { project, user } => {
                if next.project(project)?.members.remove(user).is_none() {
                    let (project, user) = (project.clone(), user.clone());
                    return Err(ProjectError::NoMember { project, user });
                }
            }
            ProjectEdit::Import { source, projects } => next.import(*source, projects)?,
        }
        next.check_tree()?;
        Ok(next)
    }

    /// The projects after a change that a manager of the project makes: they add members and take them out, and no managers.
    ///
    /// # Errors
    /// It cannot be, or is not for managers.
    pub fn after_by_manager(&self, edit: &ProjectEdit) -> Result<Self, ProjectError> {
        if let ProjectEdit::PutMember { project, user, .. }
        | ProjectEdit::RemoveMember { project, user } = edit
            && self
                .get(project)
                .is_some_and(|it| it.members.get(user).is_some_and(|it| it.is_manager))
        {
            let (project, user) = (project.clone(), user.clone());
            return Err(ProjectError::ManagerStays { project, user });
        }
        self.after(edit)
    }

    fn project(&mut self, name: &str) -> Result<&mut Project, ProjectError> {
        self.by_name.get_mut(name).ok_or_else(|| ProjectError::Unknown(name.to_owned()))
    }

    fn put(&mut self, name: &str, parent: Option<&str>) {
        let parent = parent.map(str::to_owned);
        let (source, members) = (ProjectSource::Api, BTreeMap::new());
        let project = self.by_name.entry(name.to_owned());
        let project = project.or_insert(Project { parent: None, source, members });
        // Whoever says it now is who says it, so that no import takes it back.
        (project.parent, project.source) = (parent, source);
    }

    fn remove(&mut self, name: &str) -> Result<(), ProjectError> {
        self.project(name)?;
        let is_part = |(_, other): &(&String, &Project)| other.parent.as_deref() == Some(name);
        if let Some((part, _)) = self.by_name.iter().find(is_part) {
            let (project, part) = (name.to_owned(), part.clone());
            return Err(ProjectError::HasParts { project, part });
        }
        self.by_name.remove(name);
        Ok(())
    }

    fn import(
        &mut self,
        source: ProjectSource,
        projects: &[ImportedProject],
    ) -> Result<(), ProjectError> {
        let mut named = BTreeSet::new();
        for it in projects {
            if !named.insert(it.name.as_str()) {
                return Err(ProjectError::Twice(it.name.clone()));
            }
        }
        for project in self.by_name.values_mut() {
            project.members.retain(|_, member| member.source != source);
        }
        let all = std::mem::take(&mut self.by_name);
        let (former, kept): (BTreeMap<_, _>, _) =
            all.into_iter().partition(|(_, project)| project.source == source);
        self.by_name = kept;
        for it in projects {
            let imported = Project { parent: it.parent.clone(), source, members: BTreeMap::new() };
            let project = self.by_name.entry(it.name.clone()).or_insert(imported);
            for (user, &is_manager) in &it.members {
                let member = ProjectMember { is_manager, source };
                // What somebody else says of them stays.
                project.members.entry(user.clone()).or_insert(member);
            }
        }
        self.keep_what_others_say(former);
        Ok(())
    }

    /// Keeps of a source's former projects what others say: who is in them, and what is a part of them.
    fn keep_what_others_say(&mut self, former: BTreeMap<String, Project>) {
        let parents = self.by_name.values().filter_map(|project| project.parent.clone());
        let parents: BTreeSet<String> = parents.collect();
        for (name, project) in former {
            if let Some(imported) = self.by_name.get_mut(&name) {
                imported.members.extend(project.members);
            } else if !project.members.is_empty() || parents.contains(&name) {
                let parent = project.parent.filter(|parent| self.by_name.contains_key(parent));
                let kept = Project { parent, source: ProjectSource::Api, ..project };
                self.by_name.insert(name, kept);
            }
        }
    }

    fn check_tree(&self) -> Result<(), ProjectError> {
        if self.by_name.len() > MOST_PROJECTS {
            return Err(ProjectError::TooMany);
        }
        for (name, project) in &self.by_name {
            let Some(parent) = &project.parent else { continue };
            if !self.by_name.contains_key(parent) {
                let (project, parent) = (name.clone(), parent.clone());
                return Err(ProjectError::NoParent { project, parent });
            }
            if self.above(name).any(|above| above == name) {
                return Err(ProjectError::Circle(name.clone()));
            }
        }
        Ok(())
    }
}
