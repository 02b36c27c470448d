//! Who calls, and whether they may: what a route needs is in the table of rights ([`super::rights`]), and others are refused.
//!
//! `by: By` in a handler's signature is the whole of it. A token is one of ours or an access token of an issuer of the settings. Without
//! either, the service runs for one local user, who has every role, and answers only requests addressed to a loopback
//! host, so that a web page elsewhere cannot speak to it through the user's browser.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use planner::node_set::NodeSet;
use planner::reservation::Role;
use planner::rights::{Action, Asker, RightsObject, Verdict};
use planner::time::Timestamp;
use storage::ApiToken;

use super::App;
use super::acting;
use super::audit::AuditSheet;
use super::caller::{Caller, Credential};
use super::kept;
use super::problem::Problem;
use super::rights::{action_of, not_listed};
use crate::config::Settings;
use crate::service::shared::{CallerProjects, Fault, Forbidden, KeptState, SiteState, digest};
use crate::service::sign_in::{SignInService, VerifiedToken};

/// A caller who may, as far as that is known before it is read with what.
pub struct By {
    /// The user who called.
    pub caller: Caller,
    /// The book as it was when they called: the token was judged by it, and a plan may rest on it.
    pub state: Arc<SiteState>,
    /// Where the database is away and the read may be answered all the same: the instant until which everything committed is
    /// in the state.
    pub as_of: Option<Timestamp>,
    settings: Arc<Settings>,
}

impl By {
    /// The state for a read.
    pub fn kept(&self) -> KeptState {
        KeptState { state: Arc::clone(&self.state), as_of: self.as_of }
    }

    /// Refuses who may not do this with all of these nodes: each must be in a partition that they may do it in, and in none
    /// that they may not.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn check_nodes(&self, nodes: &NodeSet) -> Result<(), Problem> {
        self.caller.access().action.map_or(Ok(()), |action| self.check_nodes_for(action, nodes))
    }

    /// Refuses who may not do what an action is about with all of these nodes, as [`Self::check_nodes`]: for what is
    /// about more than its route's action.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn check_nodes_for(&self, action: Action, nodes: &NodeSet) -> Result<(), Problem> {
        if !self.caller.is_let(action) {
            return Err(Forbidden::by_token(action).into());
        }
        let access = self.caller.access();
        let Some(asker) = access.asker() else { return Ok(()) };
        let verdict = |partition| {
            let object = RightsObject { project: "", partition };
            self.settings.rights.verdict(action, asker, object)
        };
        let labels = self.state.cluster.nodes.labels();
        for (kind, labels_of_kind) in labels.kinds().iter().enumerate() {
            let is_of_kind = |node: u32| {
                labels.kind_of().get(node as usize).is_some_and(|of| *of as usize == kind)
            };
            if !nodes.positions().any(is_of_kind) {
                continue;
            }
            let partitions = labels_of_kind.partitions.iter();
            let verdicts: Vec<Verdict<'_>> =
                std::iter::once("").chain(partitions.map(|it| &**it)).map(verdict).collect();
            let denied = verdicts.iter().find(|it| matches!(it, Verdict::Denied(..)));
            let refused = match denied {
                Some(denied) => Some(*denied),
                None if verdicts.iter().any(|it| it.admits()) => None,
                None => Some(Verdict::NotTheirRole),
            };
            if let Some(verdict) = refused {
                return Err(Forbidden::of(action, verdict).into());
            }
        }
        Ok(())
    }
}

impl FromRequestParts<App> for By {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let away = match app.services.shared.state().await {
            Ok(state) => return Self::admit(parts, app, KeptState { state, as_of: None }).await,
            Err(away) => away,
        };
        let kept = match &away {
            Fault::Unavailable(_) => kept::kept_for(parts, &app.services.shared.states),
            Fault::Internal(_) => None,
        };
        let Some(kept) = kept else { return Err(away.into()) };
        kept::note(parts, &kept);
        // Whom it does not let in may have been let in since.
        Self::admit(parts, app, kept).await.map_err(|_| away.into())
    }
}

impl By {
    /// Who calls by a state, if they may.
    async fn admit(parts: &mut Parts, app: &App, kept: KeptState) -> Result<Self, Problem> {
        let KeptState { state, as_of } = kept;
        let settings = Arc::clone(&app.services.shared.settings);
        let mut caller = identify(parts, app, &state).await?;
        let action = action_of(&parts.method, &parts.extensions);
        caller.action = action;
        let admitted = admitted(&caller, &settings);
        // A copy: the extensions of a request are not shared while it is waited.
        let sheet = parts.extensions.get::<AuditSheet>().cloned();
        let (actor, issuer) = (caller.owner.clone(), caller.issuer().map(str::to_owned));
        let acting = match admitted {
            Ok(()) => acting::for_other(&caller, &parts.headers, &state, &settings),
            Err(refused) => Err(refused),
        };
        if let Some(sheet) = sheet {
            let whose = acting::named(&parts.headers);
            sheet.caller_is(&actor, issuer.as_deref(), whose, acting.is_ok()).await?;
        }
        if let Some(other) = acting? {
            caller = other;
        }
        // Bodies are read only for those who are known.
        parts.extensions.insert(caller.clone());
        Ok(Self { caller, state, as_of, settings })
    }
}

/// Whether somebody may call at all.
fn admitted(caller: &Caller, settings: &Settings) -> Result<(), Problem> {
    let Some(action) = caller.action else { return Err(not_listed()) };
    if !caller.is_let(action) {
        return Err(Forbidden::by_token(action).into());
    }
    let Some(asker) = caller.asker() else { return Ok(()) };
    let verdict = settings.rights.admission(action, asker);
    if verdict.admits() { Ok(()) } else { Err(Forbidden::of(action, verdict).into()) }
}

async fn identify(parts: &Parts, app: &App, state: &SiteState) -> Result<Caller, Problem> {
    if !parts.headers.contains_key(header::AUTHORIZATION) {
        return local_user(parts, app, state);
    }
    let Some(token) = bearer(&parts.headers) else {
        return Err(Problem::unauthorised("Send Authorization: Bearer TOKEN."));
    };
    if let Some(token) = state.callers().token(&digest(token)) {
        let ApiToken { id, owner, role, expires, actions, .. } = token;
        app.services.tokens.note_use(*id);
        let only = actions.as_ref().map(|actions| Arc::from(actions.as_slice()));
        let credential = Credential::Token { id: *id, expires: *expires, only };
        // Nobody vouches for who sends a token: what was vouched for when they last signed in bounds it.
        let vouched = state.callers().vouched_for(owner);
        return Ok(known(owner, *role, credential, vouched, app, state));
    }
    let verified = parts.extensions.get::<VerifiedToken>().cloned();
    let signed_in = app.services.sign_in.sign_in(token, verified.as_ref(), state).await?;
    let (name, projects) = (signed_in.name.clone(), signed_in.projects.clone());
    let (role, credential) = (signed_in.role, Credential::SignedIn(signed_in));
    Ok(known(&name, role, credential, &projects, app, state))
}

/// Somebody who has shown who they are, with their projects: those that the site keeps, and those that their issuer
/// vouches for.
fn known(
    owner: &str,
    role: Role,
    credential: Credential,
    vouched: &[String],
    app: &App,
    state: &SiteState,
) -> Caller {
    let settings = &app.services.shared.settings;
    let projects = CallerProjects::new(state.callers(), settings.projects, owner, vouched);
    let (own, managed) = (&projects.of.own, &projects.of.managed);
    let asker = Asker { name: owner, role, own, managed };
    let shown = settings.rights.allowed_projects(Action::ReservationRead, asker);
    let shown = shown.into_iter().map(str::to_owned).collect();
    let projects = Some(Arc::new(projects.showing(shown)));
    Caller {
        owner: owner.to_owned(),
        role: Some(role),
        credential,
        projects,
        action: None,
        actor: None,
    }
}

/// The token that a request is sent with.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whose token a request is sent with, by a state that may be a moment old, and an access token that counts. It says whom to
/// count the request for, and admits nobody.
pub fn sender_of(
    headers: &HeaderMap,
    state: &SiteState,
    sign_in: &SignInService,
) -> (Option<String>, Option<VerifiedToken>) {
    let Some(token) = bearer(headers) else { return (None, None) };
    if let Some(token) = state.callers().token(&digest(token)) {
        return (Some(token.owner.clone()), None);
    }
    match sign_in.look_at(token, state) {
        Some((verified, name)) => (name, Some(verified)),
        None => (None, None),
    }
}

fn local_user(parts: &Parts, app: &App, state: &SiteState) -> Result<Caller, Problem> {
    if app.services.sign_in.has_issuers() {
        return Err(Problem::unauthorised(
            "Send Authorization: Bearer TOKEN, with an access token of the site's issuer or one that \
             `wattbook token create` made.",
        ));
    }
    if state.callers().have_been() {
        return Err(Problem::unauthorised(
            "Send Authorization: Bearer TOKEN; `wattbook token create` makes one.",
        ));
    }
    if !app.loopback || !is_loopback_host(parts) {
        return Err(Problem::unauthorised(
            "Without tokens the service answers only at a loopback address such as 127.0.0.1.",
        ));
    }
    Ok(Caller {
        owner: "local".to_owned(),
        role: None,
        credential: Credential::OnlyUser,
        projects: None,
        action: None,
        actor: None,
    })
}

fn is_loopback_host(parts: &Parts) -> bool {
    let host = (parts.headers.get(header::HOST)).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| parts.uri.authority().map(axum::http::uri::Authority::as_str));
    let Some(host) = host else { return true };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
