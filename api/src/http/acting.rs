//! Acting for somebody: who may books as another, whose rights, quotas and projects hold, and it is marked.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use planner::node::{NAME_RULE, is_name};
use planner::reservation::Role;
use planner::rights::{Action, Verdict};

use super::caller::Caller;
use super::problem::Problem;
use crate::config::Settings;
use crate::service::shared::{CallerProjects, Forbidden, SiteState};

/// The header that names for whom a request is.
pub const HEADER: &str = "x-wattbook-for";

/// How the header is told.
const NAME: &str = "X-Wattbook-For";

/// For whom a request is, if it says so in a way that can be read.
pub fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()).map(str::trim)
}

/// The caller as whom somebody acts; `None` where they act for themselves.
///
/// Whoever that is acts as a user, and by no more than the user may: operators for everybody whom the site knows, managers
/// within the projects that they manage and the user is in.
///
/// # Errors
/// What is asked for is not done for others, the site does not know them, or one may not act for them.
pub fn for_other(
    actor: &Caller,
    headers: &HeaderMap,
    state: &SiteState,
    settings: &Settings,
) -> Result<Option<Caller>, Problem> {
    if !headers.contains_key(HEADER) {
        return Ok(None);
    }
    let Some(user) = named(headers).filter(|name| is_name(name)) else {
        return Err(Problem::invalid_parameter(NAME, format!("a name {NAME_RULE}")));
    };
    if user == actor.owner {
        return Ok(None);
    }
    let Some(action) = actor.action.filter(|action| action.is_done_for_others()) else {
        let detail =
            "this is not done for others; quotes and what books, changes and ends reservations are";
        return Err(Problem::invalid_parameter(NAME, detail));
    };
    let within = within(actor, settings)?;
    let callers = state.callers();
    if !callers.may_book(user) {
        let detail = format!(
            "the site knows nobody called {user:?} who may book; they need an API token, or must have signed in once"
        );
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Err(Problem::new(status, "unknown_owner", "Nobody of this name", detail));
    }
    let theirs = CallerProjects::of_absent(callers, settings.projects, user);
    let theirs = match within {
        Within::Everything => Some(theirs),
        Within::Projects(manager) => theirs.managed_by(&manager),
    };
    let Some(theirs) = theirs else {
        let refused = Forbidden::of(Action::UserActFor, Verdict::NotTheirRole);
        let detail = format!(
            "You manage no project that {user} is in, or this site does not let managers act. {refused}"
        );
        let problem = Problem::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail);
        return Err(problem.with(&refused));
    };
    let other = Caller {
        owner: user.to_owned(),
        role: Some(Role::User),
        credential: actor.credential.clone(),
        projects: Some(Arc::new(theirs)),
        action: Some(action),
        actor: Some(actor.owner.clone()),
    };
    let asker = other.asker();
    let verdict = asker.map(|asker| settings.rights.admission(action, asker));
    match verdict.filter(|verdict| !verdict.admits()) {
        Some(verdict) => Err(Forbidden::of(action, verdict).into()),
        None => Ok(Some(other)),
    }
}

/// How far somebody may act for others.
enum Within {
    Everything,
    /// The projects that they manage.
    Projects(Arc<CallerProjects>),
}

fn within(actor: &Caller, settings: &Settings) -> Result<Within, Problem> {
    if !actor.is_let(Action::UserActFor) {
        return Err(Forbidden::by_token(Action::UserActFor).into());
    }
    let Some(asker) = actor.asker() else { return Ok(Within::Everything) };
    let verdict = settings.rights.admission(Action::UserActFor, asker);
    match (verdict, &actor.projects) {
        (Verdict::Allowed(..), _) => Ok(Within::Everything),
        (Verdict::Default, _) if asker.role == Role::Operator => Ok(Within::Everything),
        (Verdict::Default, Some(projects)) => Ok(Within::Projects(Arc::clone(projects))),
        (verdict, _) => Err(Forbidden::of(Action::UserActFor, verdict).into()),
    }
}
