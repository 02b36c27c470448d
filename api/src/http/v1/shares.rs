//! `GET /api/v1/shares`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json::standing::AdviceDocument;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::shared::ToldStanding;
use crate::service::shares::{AccountStanding, ShareService, Standings};

/// How users and projects stand by what they used against what they are given.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct SharesDocument {
    /// What counts: `energy`, `node_seconds`, `cost` or `co2`.
    #[schema(example = "energy")]
    pub counts: String,
    /// In what `usage_cost` is, ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
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
    /// What their energy cost, the older the less; what cost less than nothing counts nothing.
    pub usage_cost: f64,
    /// Grams of CO2 that they emitted, by location, the older the less.
    pub usage_co2_g: f64,
    /// What counts of it of what there was to use, in part that of its group, too.
    pub normalised_usage: f64,
    /// `2^(-normalised_usage / share / damping)`: 1 without usage, a half where the share is used; the higher, the better it
    /// stands.
    #[schema(example = 0.5)]
    pub factor: f64,
    /// How much more may be used until the factor is a half, in the unit of what counts; null where nothing counts, since there
    /// was nothing to use.
    pub until_half: Option<f64>,
    /// How it can stand better, and what it may use.
    pub advice: Vec<AdviceDocument>,
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
    let Standings { stated_to, accounts, kept } = service.standings(by.caller.access()).await?;
    let shares = &settings.shares;
    let account = |it: AccountStanding| {
        let told = service.told(&kept, &it);
        ShareDocument::new(it, &told)
    };
    let document = SharesDocument {
        counts: shares.counts.word().to_owned(),
        currency: settings.currency.to_string(),
        half_life_s: shares.half_life.get(),
        damping: shares.damping,
        decides: shares.decides.is_some(),
        stated_to: stated_to.map(|at| at.to_string()),
        accounts: accounts.into_iter().map(account).collect(),
    };
    Ok((by.caller.reads(None), Json(document)))
}

impl ShareDocument {
    fn new(it: AccountStanding, told: &ToldStanding) -> Self {
        Self {
            account: it.account,
            parent: it.parent,
            is_user: it.is_user,
            share: it.share,
            usage_node_seconds: it.used.node_seconds,
            usage_energy_j: it.used.energy_j,
            usage_cost: it.used.cost,
            usage_co2_g: it.used.co2_g,
            normalised_usage: it.normalised_usage,
            factor: it.factor,
            until_half: told.until_half(),
            advice: told.advice(),
        }
    }
}
