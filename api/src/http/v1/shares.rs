//! `GET /api/v1/shares`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::caller::By;
use crate::http::problem::Problem;
use crate::service::shares::{AccountStanding, ShareService, Standings};

/// How users and projects stand by what they used against what they are given.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct SharesDocument {
    /// What counts: `energy` or `node_seconds`.
    #[schema(example = "energy")]
    pub counts: String,
    /// Usage so many seconds older counts half.
    pub half_life_s: i64,
    /// Usage is divided by this before it counts: 1 is the paper's rule, 2 halves its weight.
    pub damping: f64,
    /// Whether something is decided by factors: who keeps power, who waits less, how long offers are held, how far ahead and
    /// how much one books, as the site says.
    pub decides: bool,
    /// The end of the newest hour that the ledger has, RFC 3339; what is booked after it counts as it is planned. Null before
    /// there is one.
    pub stated_to: Option<String>,
    /// Each account after the one that it is a part of.
    pub accounts: Vec<ShareDocument>,
}

/// How an account stands.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ShareDocument {
    /// The name of the group, project or user.
    #[schema(example = "ada")]
    pub account: String,
    /// The project or group that it is a part of; empty at the top.
    #[schema(example = "ocean")]
    pub parent: String,
    /// Whether it is a user, and no project or group.
    pub is_user: bool,
    /// Its share of everything, from 0 to 1.
    #[schema(example = 0.25)]
    pub share: f64,
    /// Seconds of nodes that it and all below it used, the older the less.
    pub usage_node_seconds: f64,
    /// Joules that it and all below it used, the older the less.
    pub usage_energy_j: f64,
    /// What counts of it of what there was to use, in part that of its group, too.
    pub normalised_usage: f64,
    /// `2^(-normalised_usage / share / damping)`: 1 without usage, a half where the share is used; the higher, the better it
    /// stands.
    #[schema(example = 0.5)]
    pub factor: f64,
}

/// How users and projects stand by what they used against what they are given
///
/// For users, of themselves, of the projects that they manage and of what these are a part of, and operators, of all.
#[utoipa::path(
    get,
    path = "/api/v1/shares",
    tag = "accounting",
    responses(
        (status = OK, body = SharesDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_shares(
    State(service): State<Arc<ShareService>>,
    State(settings): State<Arc<Settings>>,
    by: By,
) -> Result<(Option<Extension<AuditNote>>, Json<SharesDocument>), Problem> {
    let Standings { stated_to, accounts } = service.standings(by.caller.access()).await?;
    let shares = &settings.shares;
    let document = SharesDocument {
        counts: shares.counts.word().to_owned(),
        half_life_s: shares.half_life.get(),
        damping: shares.damping,
        decides: shares.decides.is_some(),
        stated_to: stated_to.map(|at| at.to_string()),
        accounts: accounts.into_iter().map(ShareDocument::from).collect(),
    };
    Ok((by.caller.reads(None), Json(document)))
}

impl From<AccountStanding> for ShareDocument {
    fn from(it: AccountStanding) -> Self {
        Self {
            account: it.account,
            parent: it.parent,
            is_user: it.is_user,
            share: it.share,
            usage_node_seconds: it.used.node_seconds,
            usage_energy_j: it.used.energy_j,
            normalised_usage: it.normalised_usage,
            factor: it.factor,
        }
    }
}
