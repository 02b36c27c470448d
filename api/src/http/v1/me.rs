//! `GET /api/v1/me`

use std::collections::BTreeSet;

use axum::Json;
use planner::project::ProjectsOfUser;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::by::By;
use crate::http::caller::Credential;
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
    /// Until when their access token counts, RFC 3339; null for API tokens, which count until they are revoked.
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
    let signed_in = match &caller.credential {
        Credential::SignedIn(it) => Some(it),
        Credential::OnlyUser | Credential::Token(_) => None,
    };
    let names = |which: fn(&ProjectsOfUser) -> &BTreeSet<String>| {
        caller.projects.iter().flat_map(|it| which(&it.of)).cloned().collect()
    };
    Json(MeDocument {
        projects: names(|it| &it.own),
        manages: names(|it| &it.managed),
        role: caller.role.map(|role| role.word().to_owned()),
        issuer: signed_in.map(|it| it.issuer.clone()),
        expires_at: signed_in.map(|it| it.expires.to_string()),
        name: caller.owner,
    })
}
