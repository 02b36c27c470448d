//! Who asks, and what they may see and change.

use std::collections::BTreeSet;
use std::sync::Arc;

use planner::project::ProjectsOfUser;
use planner::reservation::{Receiver, Reservation, Role, SharedRight};
use planner::rights::{Action, Asker};

use super::Callers;
use crate::config::projects::{Concession, ProjectSettings};

/// Who asks: sees and changes what is theirs, what their projects let them, or everyone's.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The caller's name.
    pub owner: &'a str,
    /// What they may see, and what limits them.
    pub kind: CallerKind,
    /// Their projects; `None` where they have none, or projects do not matter.
    pub projects: Option<&'a CallerProjects>,
    /// What they do; `None` for the site itself.
    pub action: Option<Action>,
}

/// What somebody who asks is at the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// One of many, with what is theirs.
    User,
    /// They run the cluster: they see and change everyone's, and hold as much as they want.
    Operator,
    /// The only one there is, who may do everything; limits among users do not concern them.
    LocalUser,
    /// The service itself, on somebody's behalf.
    Site,
}

/// The projects of somebody who asks, and what the site lets them do there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerProjects {
    /// Their projects; where a manager acts for them, those within which that is.
    pub of: Arc<ProjectsOfUser>,
    /// Their projects whoever acts for them: the rules of rights concern them by these.
    all: Arc<ProjectsOfUser>,
    settings: ProjectSettings,
    /// Whether they book for projects of theirs alone.
    limited: bool,
    /// Projects whose reservations a rule of the site lets them see.
    shown: BTreeSet<String>,
    /// The projects within which another acts for them, where one does that is no operator.
    within: Option<BTreeSet<String>>,
}

/// No projects.
static NO_PROJECTS: BTreeSet<String> = BTreeSet::new();

impl CallerProjects {
    /// Those of a user as the site keeps them, with those that their issuer vouches for. Where neither has any, they
    /// call their projects what they want.
    pub fn new(
        callers: &Callers,
        settings: ProjectSettings,
        user: &str,
        vouched: &[String],
    ) -> Self {
        let mut of = callers.projects_of(user);
        if !vouched.is_empty() {
            Arc::make_mut(&mut of).own.extend(vouched.iter().cloned());
        }
        let limited = !callers.projects().is_empty() || !vouched.is_empty();
        let all = Arc::clone(&of);
        Self { of, all, settings, limited, shown: BTreeSet::new(), within: None }
    }

    /// Those of a user who does not ask: as the site keeps them, with those that their issuer vouched for when they last did.
    pub fn of_absent(callers: &Callers, settings: ProjectSettings, user: &str) -> Self {
        Self::new(callers, settings, user, callers.vouched_for(user))
    }

    /// These, with the reservations of other projects to be seen.
    #[must_use]
    pub fn showing(self, shown: BTreeSet<String>) -> Self {
        Self { shown, ..self }
    }

    /// The part of these in which a manager acts for them: what they are in and the manager manages. `None` where there is
    /// none, or the site does not let managers act.
    pub fn managed_by(&self, manager: &Self) -> Option<Self> {
        let both = self.of.own.intersection(&manager.of.managed);
        let within: BTreeSet<String> =
            both.filter(|project| manager.acts_as_manager(project)).cloned().collect();
        let of = ProjectsOfUser { own: within.clone(), managed: BTreeSet::new() };
        let (of, limited, within) = (Arc::new(of), true, (!within.is_empty()).then_some(within)?);
        let (settings, shown) = (self.settings, BTreeSet::new());
        let all = Arc::clone(&self.all);
        Some(Self { of, all, settings, limited, shown, within: Some(within) })
    }

    /// The projects within which another acts for them; `None` where that is not bounded.
    pub fn within(&self) -> Option<Vec<String>> {
        self.within.as_ref().map(|within| within.iter().cloned().collect())
    }

    /// Whether they may book for a project.
    pub fn include(&self, project: &str) -> bool {
        !self.limited || self.of.include(project)
    }

    /// What they may do with reservations of a project that are not theirs.
    pub fn concession(&self, project: &str) -> Concession {
        let of_members =
            if self.of.own.contains(project) { self.settings.members } else { Concession::None };
        let of_managers = if self.of.managed.contains(project) {
            self.settings.managers
        } else {
            Concession::None
        };
        let shown = if self.shown.contains(project) { Concession::See } else { Concession::None };
        of_members.max(of_managers).max(shown)
    }

    /// Whether they manage a project, and the site lets managers act.
    fn acts_as_manager(&self, project: &str) -> bool {
        self.of.managed.contains(project) && self.settings.managers == Concession::Act
    }

    /// The projects that they are in: what is shared with these is shared with them.
    pub fn own(&self) -> Vec<String> {
        self.of.own.iter().cloned().collect()
    }

    /// The projects whose reservations they see.
    pub fn seen(&self) -> Vec<String> {
        let all = self.of.own.iter().chain(&self.of.managed).chain(&self.shown);
        let seen = all.filter(|project| self.concession(project) >= Concession::See);
        seen.cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl<'a> Access<'a> {
    /// Somebody whose projects do not matter.
    pub const fn of(owner: &'a str, kind: CallerKind) -> Self {
        Self { owner, kind, projects: None, action: None }
    }

    /// Who asks, as the rules of rights see them; `None` for the only user, whom no rule concerns.
    pub fn asker(self) -> Option<Asker<'a>> {
        let role = match self.kind {
            CallerKind::LocalUser => return None,
            CallerKind::Operator => Role::Operator,
            CallerKind::User | CallerKind::Site => Role::User,
        };
        let (own, managed) = match self.projects {
            Some(CallerProjects { all, .. }) => (&all.own, &all.managed),
            None => (&NO_PROJECTS, &NO_PROJECTS),
        };
        Some(Asker { name: self.owner, role, own, managed })
    }

    /// Whether what is of a project is within what they act in, if that is bounded.
    fn reaches(self, project: &str) -> bool {
        let within = self.projects.and_then(|projects| projects.within.as_ref());
        within.is_none_or(|within| within.contains(project))
    }

    /// Whether they run the cluster.
    pub const fn is_operator(&self) -> bool {
        matches!(self.kind, CallerKind::Operator | CallerKind::LocalUser)
    }

    /// Whether they may see and change what belongs to `owner`, and to no project.
    pub fn permits(self, owner: &str) -> bool {
        self.is_operator() || owner == self.owner
    }

    /// Whether they may see a reservation.
    pub fn sees(self, reservation: &Reservation) -> bool {
        let Reservation { owner, project, .. } = reservation;
        self.concession_of(owner, project) >= Concession::See
            || (self.reaches(project) && self.shared_right(reservation).is_some())
    }

    /// Whether they may change a reservation.
    pub fn may_change(self, reservation: &Reservation) -> bool {
        self.may_share(reservation)
            || (self.reaches(&reservation.project)
                && self.shared_right(reservation) == Some(SharedRight::Act))
    }

    /// Whether they may share a reservation with others: its owner, and who acts on those of its project. Those with whom
    /// it is shared do not share it further.
    pub fn may_share(self, reservation: &Reservation) -> bool {
        self.concession_of(&reservation.owner, &reservation.project) == Concession::Act
    }

    /// Whether they may give a reservation to another owner.
    pub fn may_give_away(self, reservation: &Reservation) -> bool {
        self.may_give_away_of(&reservation.owner, &reservation.project)
    }

    /// Whether they may give what is somebody's and of a project to another owner: its owner, and who manages its project as the
    /// site lets them.
    pub fn may_give_away_of(self, owner: &str, project: &str) -> bool {
        let manages = || self.projects.is_some_and(|projects| projects.acts_as_manager(project));
        self.reaches(project) && (self.permits(owner) || manages())
    }

    /// Whether they manage a project.
    pub fn manages(self, project: &str) -> bool {
        self.is_operator() || self.projects.is_some_and(|it| it.of.managed.contains(project))
    }

    /// The most that a reservation is shared with them for, by name or as somebody in a project.
    fn shared_right(self, reservation: &Reservation) -> Option<SharedRight> {
        let is_theirs = |receiver: &Receiver| match receiver {
            Receiver::User(name) => name == self.owner,
            Receiver::Project(name) => self.projects.is_some_and(|it| it.of.own.contains(name)),
        };
        let shared = reservation.shared_with.iter().filter(|it| is_theirs(&it.receiver));
        shared.map(|it| it.may).max()
    }

    /// What they may do with what is somebody's and of a project, where it is shared with nobody.
    pub fn concession_of(self, owner: &str, project: &str) -> Concession {
        if !self.reaches(project) {
            Concession::None
        } else if self.permits(owner) {
            Concession::Act
        } else {
            self.projects.map_or(Concession::None, |projects| projects.concession(project))
        }
    }
}
