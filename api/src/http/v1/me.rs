//! `GET /api/v1/me`

use std::collections::BTreeSet;

use axum::Json;
use planner::project::ProjectsOfUser;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::by::By;
use crate::http::problem::Problem;

/// Who asks.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct MeDocument {
    /// The name under which what is theirs is kept.
    #[schema(example = "ada")]
    pub name: String,
    /// `user`, `operator` or `supplier`; null for the only user of a service without tokens, who has every role.
    #[schema(example = "user")]
    pub role: Option<String>,
    /// The projects that they book for, by name.
    pub projects: Vec<String>,
    /// Those that they manage, by name.
    pub manages: Vec<String>,
    /// The issuer at which they signed in; null for who sends an API token.
    pub issuer: Option<String>,
    /// Until when their token counts, RFC 3339; null where it counts until it is revoked, and without one.
    pub expires_at: Option<String>,
}

/// Who asks
#[utoipa::path(
    get,
    path = "/api/v1/me",
    tag = "people",
    responses(
        (status = OK, body = MeDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_me(by: By) -> Json<MeDocument> {
    let caller = by.caller;
    let names = |which: fn(&ProjectsOfUser) -> &BTreeSet<String>| {
        caller.projects.iter().flat_map(|it| which(&it.of)).cloned().collect()
    };
    Json(MeDocument {
        projects: names(|it| &it.own),
        manages: names(|it| &it.managed),
        role: caller.role.map(|role| role.word().to_owned()),
        issuer: caller.issuer().map(str::to_owned),
        expires_at: caller.expires().map(|it| it.to_string()),
        name: caller.owner,
    })
}
