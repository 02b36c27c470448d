//! `GET /api/v1/rights`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::reservation::Role;
use planner::rights::{Action, Asker, RightsRule, RightsRules, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::http::rights::RouteRight;
use crate::service::shared::{CallerProjects, Forbidden};

/// Whose rights.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RightsQuery {
    /// For operators: of this user, as the site knows them without their access token.
    pub user: Option<String>,
}

/// What somebody may do.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct RightsDocument {
    /// Whose rights these are.
    #[schema(example = "ada")]
    pub user: String,
    /// Their role; null for the only user of a service without tokens, who may do everything.
    #[schema(example = "user")]
    pub role: Option<String>,
    /// Every action.
    pub rights: Vec<RightDocument>,
    /// For operators, all rules of the site in their order; for others, those that may concern them.
    pub rules: Vec<RuleDocument>,
}

/// What somebody may do of one kind.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct RightDocument {
    /// The action.
    #[schema(example = "reservation.create")]
    pub action: String,
    /// What it is, in words.
    pub what: String,
    /// `yes`, `no`, or `partly`, where a rule gives or denies it with some things only.
    #[schema(example = "yes")]
    pub may: String,
    /// With whose things by default: `own`, `projects` (their own, and others' of their projects as the site says),
    /// `managed` (their own, and those of projects that they manage), or `site`. Operators with everybody's.
    #[schema(example = "own")]
    pub whose: String,
    /// The roles that may by default.
    pub roles: Vec<String>,
    /// The numbers of the rules that may concern it, in the order of the settings.
    pub rules: Vec<usize>,
    /// Method and path of its routes.
    pub routes: Vec<String>,
}

/// A rule of the site.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct RuleDocument {
    /// Its place in the settings, from 1.
    pub number: usize,
    /// What it says.
    #[schema(example = "deny reservation.create: partitions gpu, except: projects gpu-users")]
    pub rule: String,
}

/// What one may do: every action, by default and by the rules of the site
///
/// For everyone. Operators may ask for another `user`'s.
#[utoipa::path(
    get,
    path = "/api/v1/rights",
    tag = "people",
    params(RightsQuery),
    responses(
        (status = OK, body = RightsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "Only operators may ask for another's"),
    ),
)]
pub async fn list_rights(
    State(settings): State<Arc<Settings>>,
    by: By,
    Parameters(parameters): Parameters<RightsQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<RightsDocument>), Problem> {
    let user = query::name("user", parameters.user)?;
    let caller = &by.caller;
    let user = user.filter(|user| *user != caller.owner);
    let is_operator = caller.access().is_operator();
    let Some(user) = user else {
        let asker = caller.asker();
        let mut document = document(&settings.rights, &caller.owner, asker, is_operator);
        for right in &mut document.rights {
            if Action::from_word(&right.action).is_some_and(|action| !caller.is_let(action)) {
                "no".clone_into(&mut right.may);
            }
        }
        return Ok((None, Json(document)));
    };
    if !is_operator {
        return Err(Forbidden::of(Action::RightsRead, Verdict::NotTheirRole).into());
    }
    let callers = by.state.callers();
    let projects = CallerProjects::of_absent(callers, settings.projects, &user);
    let role = if callers.run_by(&user) { Role::Operator } else { Role::User };
    let (own, managed) = (&projects.of.own, &projects.of.managed);
    let asker = Asker { name: &user, role, own, managed };
    let document = document(&settings.rights, &user, Some(asker), false);
    Ok((caller.reads(Some(&user)), Json(document)))
}

fn document(
    rules: &RightsRules,
    user: &str,
    asker: Option<Asker<'_>>,
    tells_all: bool,
) -> RightsDocument {
    let concerning = |action: &Action| -> Vec<(&RightsRule, usize)> {
        asker.map(|asker| rules.concerning(*action, asker).collect()).unwrap_or_default()
    };
    let right = |action: &Action| {
        let concerning = concerning(action);
        RightDocument {
            action: action.word().to_owned(),
            what: action.told().to_owned(),
            may: asker.map_or("yes", |asker| may(rules, *action, asker)).to_owned(),
            whose: action.regard().word().to_owned(),
            roles: action.roles().iter().map(|role| role.word().to_owned()).collect(),
            rules: concerning.iter().map(|(_, number)| *number).collect(),
            routes: RouteRight::routes_of(*action),
        }
    };
    let is_told = |number: usize| {
        let concerns = |action| concerning(action).iter().any(|(_, it)| *it == number);
        tells_all || Action::ALL.iter().any(concerns)
    };
    let told = rules.0.iter().zip(1..).filter(|(_, number)| is_told(*number));
    RightsDocument {
        user: user.to_owned(),
        role: asker.map(|asker| asker.role.word().to_owned()),
        rights: Action::ALL.iter().map(right).collect(),
        rules: told.map(|(rule, number)| RuleDocument { number, rule: rule.to_string() }).collect(),
    }
}

/// Whether somebody may do something: always, never, or with some things only.
fn may(rules: &RightsRules, action: Action, asker: Asker<'_>) -> &'static str {
    let verdict = rules.admission(action, asker);
    if !verdict.admits() {
        return "no";
    }
    let depends = rules.concerning(action, asker).any(|(rule, _)| rule.is_about_objects());
    if depends { "partly" } else { "yes" }
}
