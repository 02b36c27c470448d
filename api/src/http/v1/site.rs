//! `GET /api/v1/site`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::problem::SearchMode;
use serde::Serialize;
use utoipa::ToSchema;

use super::agendas::accounting;
use crate::config::Settings;
use crate::http::by::By;
use crate::http::problem::Problem;

/// What people should know of the site, as its settings say.
#[derive(Serialize, ToSchema)]
pub struct SiteDocument {
    /// What the site is called.
    #[schema(example = "site")]
    pub location: String,
    /// Of every price.
    #[schema(example = "EUR")]
    pub currency: String,
    /// The time zone that people at the site live by, an IANA name; null where none is set. Times of
    /// the API are in UTC whatever it is.
    #[schema(example = "Europe/Paris")]
    pub time_zone: Option<String>,
    /// Starts lie on multiples of so many seconds since the Unix epoch, unless a request says otherwise by `search`.
    #[schema(example = 900)]
    pub slot_s: i64,
    /// How CO2 is counted in plans from now on: as the settings say, else as the agenda in force does; null where neither
    /// says it. What was offered names how it was counted itself, and hours of the
    /// ledger how their agendas are.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// How CO2 is counted that is shown beside it, which nothing is planned by; null where the settings name no sources of it.
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// The other sites that are asked for offers with this one, by the names of the settings.
    #[schema(example = json!(["lyon"]))]
    pub other_sites: Vec<String>,
}

/// The site: its name, currency, time zone, starts and how CO2 is counted
///
/// For users, operators and suppliers.
#[utoipa::path(
    get,
    path = "/api/v1/site",
    tag = "book",
    responses((status = OK, body = SiteDocument), (status = UNAUTHORIZED, body = Problem)),
)]
pub async fn get_site(State(settings): State<Arc<Settings>>, by: By) -> Json<SiteDocument> {
    Json(SiteDocument {
        co2_accounting: accounting::planned(&settings, &by.state),
        other_co2_accounting: accounting::other(&settings),
        location: settings.location.clone(),
        currency: settings.currency.code().to_owned(),
        time_zone: settings.time_zone.clone(),
        slot_s: match settings.search {
            SearchMode::Slots { slot } => slot.get(),
            SearchMode::Exact => 1,
        },
        other_sites: settings.sites.iter().map(|it| it.name.clone()).collect(),
    })
}
