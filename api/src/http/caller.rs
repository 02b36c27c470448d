//! A user who calls, and what is known of them.

use std::sync::Arc;

use axum::Extension;
use planner::reservation::{Reservation, Role};
use planner::rights::{Action, Asker, Latitude};
use planner::time::Timestamp;
use storage::TokenId;

use super::audit::AuditNote;
use crate::clock::Clock;
use crate::service::shared::{Access, CallerKind, CallerProjects, SiteState};
use crate::service::sign_in::SignedIn;
use crate::service::tokens::TokenMaker;

/// Stands for all users where it is noted whose something is.
const EVERYBODY: &str = "*";

/// The user who sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name under which the user's reservations are kept.
    pub owner: String,
    /// What the user may do; `None` for the one local user, who may do everything.
    pub role: Option<Role>,
    /// What let them in.
    pub credential: Credential,
    /// The projects that they are in; `None` for the one local user.
    pub projects: Option<Arc<CallerProjects>>,
    /// What they do; `None` for what needs no right.
    pub action: Option<Action>,
    /// Who does it for them, where somebody does.
    pub actor: Option<String>,
}

/// What lets somebody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// That there is nobody else.
    OnlyUser,
    /// A token of ours.
    Token {
        /// Its id.
        id: TokenId,
        /// When it ends by itself.
        expires: Option<Timestamp>,
        /// What it may do of what its role may; everything unless told.
        only: Option<Arc<[Action]>>,
    },
    /// An access token of an issuer.
    SignedIn(SignedIn),
}

impl Caller {
    /// What use cases need to know of the caller.
    pub fn access(&self) -> Access<'_> {
        let kind = match self.role {
            None => CallerKind::LocalUser,
            Some(Role::Operator) => CallerKind::Operator,
            Some(_) => CallerKind::User,
        };
        Access { owner: &self.owner, kind, projects: self.projects.as_deref(), action: self.action }
    }

    /// Who they are, as the rules of rights see them; `None` for the one local user, whom no rule concerns.
    pub fn asker(&self) -> Option<Asker<'_>> {
        let asker = self.access().asker()?;
        Some(Asker { role: self.role?, ..asker })
    }

    /// Who they are where they ask for tokens.
    pub fn token_maker(&self) -> TokenMaker<'_> {
        let (token, ends, only) = match &self.credential {
            Credential::Token { id, expires, only } => (Some(*id), *expires, only.as_deref()),
            Credential::OnlyUser | Credential::SignedIn(_) => (None, None, None),
        };
        TokenMaker { name: &self.owner, asker: self.asker(), only, token, ends }
    }

    /// The issuer of the access token that let them in.
    pub fn issuer(&self) -> Option<&str> {
        match &self.credential {
            Credential::SignedIn(it) => Some(&it.issuer),
            Credential::OnlyUser | Credential::Token { .. } => None,
        }
    }

    /// What is noted where an operator reads what is somebody's, or everybody's: nothing where it is their own.
    pub fn reads(&self, whose: Option<&str>) -> Option<Extension<AuditNote>> {
        self.reads_if(self.role == Some(Role::Operator), whose)
    }

    /// What is noted where they read what is of a project, and may as its manager or an operator.
    pub fn reads_of(
        &self,
        project: Option<&str>,
        whose: Option<&str>,
    ) -> Option<Extension<AuditNote>> {
        let manages = project.is_some_and(|project| self.access().manages(project));
        self.reads_if(self.role == Some(Role::Operator) || (self.role.is_some() && manages), whose)
    }

    /// What is noted where they were shown reservations, of which people of a project may see each other's, and those
    /// with whom some are shared see these.
    pub fn reads_reservations(
        &self,
        whose: Option<&str>,
        shown: &[Reservation],
    ) -> Option<Extension<AuditNote>> {
        let sees_others = self.projects.as_ref().is_some_and(|it| !it.seen().is_empty())
            || (self.role.is_some() && shown.iter().any(|it| it.owner != self.owner));
        self.reads_if(self.role == Some(Role::Operator) || sees_others, whose)
    }

    fn reads_if(&self, others: bool, whose: Option<&str>) -> Option<Extension<AuditNote>> {
        let others = others && whose != Some(self.owner.as_str());
        others.then(|| Extension(AuditNote::of_owner(whose.unwrap_or(EVERYBODY))))
    }

    /// Whether what let this caller in still does.
    pub fn is_still_known(&self, state: &SiteState) -> bool {
        match &self.credential {
            Credential::OnlyUser => !state.callers().have_been(),
            Credential::Token { id, .. } => state.callers().token_of(*id).is_some(),
            Credential::SignedIn(it) => state.callers().admit(it.person, it.issued),
        }
    }

    /// Takes over when what let this caller in ends, which may have changed since they called.
    pub fn learn_end(&mut self, state: &SiteState) {
        if let Credential::Token { id, expires, .. } = &mut self.credential {
            *expires = state.callers().token_of(*id).map_or(*expires, |it| it.expires);
        }
    }

    /// Waits until what let this caller in is over by itself.
    pub async fn expired(&self) {
        match self.expires() {
            // Issuers know the machine's clock alone.
            Some(expires) => tokio::time::sleep(Clock::default().guarded().until(expires)).await,
            None => std::future::pending().await,
        }
    }

    /// When what let this caller in is over by itself.
    pub fn expires(&self) -> Option<Timestamp> {
        match &self.credential {
            Credential::OnlyUser => None,
            Credential::Token { expires, .. } => *expires,
            Credential::SignedIn(it) => Some(it.expires),
        }
    }

    /// Whether what let this caller in is good for an action, whatever they may; what one may is told to everybody.
    pub fn is_let(&self, action: Action) -> bool {
        let Credential::Token { only: Some(only), .. } = &self.credential else { return true };
        action.latitude() == Latitude::Fixed || only.contains(&action)
    }
}
