//! `GET /api/v1/ledger/totals`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::ledger::Amounts;
use planner::quantity::Currency;
use serde::{Deserialize, Serialize};
use storage::LedgerGroup;
use utoipa::{IntoParams, ToSchema};

use super::co2_sources::{Co2SourceDocument, common_accounting};
use super::window;
use crate::clock::Clock;
use crate::config::Settings;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ledger::{LedgerService, LedgerTotals, LedgerWanted, Pue};

/// Which rows.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LedgerTotalsQuery {
    /// Rows that count in hours which begin here, RFC 3339, or later; a day before `to` unless given.
    pub from: Option<String>,
    /// And before here, RFC 3339; now unless given.
    pub to: Option<String>,
    /// Only this user's. Others than operators see their own anyway, and may name nobody else.
    pub user: Option<String>,
    /// Only this project's.
    pub project: Option<String>,
}

/// What the rows of the ledger amount to: the sums of what `GET /api/v1/ledger` tells, exactly.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct LedgerTotalsDocument {
    /// RFC 3339.
    pub from: String,
    /// RFC 3339.
    pub to: String,
    /// The end of the newest hour that is stated, RFC 3339; null before there is one.
    pub stated_to: Option<String>,
    /// Where the intensity of what the site bought is from; null where nothing is said of that.
    pub co2_market_source: Option<String>,
    /// What CO2 rests on, by location and by market.
    #[serde(default)]
    pub co2_sources: Vec<Co2SourceDocument>,
    /// How CO2 by location is counted; null where that is not known, or where `co2_sources` differ in it.
    #[serde(default)]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// How `other_co2_mg` is counted, the accounting that the site does not plan by; null where nothing is known of it, or
    /// where not all of the time is counted in one way.
    #[serde(default)]
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// By holder.
    pub holders: Vec<LedgerSumDocument>,
    /// Of all holders, for each currency: one, unless the site's was changed.
    pub totals: Vec<LedgerSumDocument>,
    /// The site's PUE, for operators who ask for everything; null for others, where the setting `pue_category` does not
    /// say where nodes are measured, and where nothing is known of the facility.
    #[serde(default)]
    pub pue: Option<PueDocument>,
}

/// All energy of the site over that of its nodes (ISO/IEC 30134-2), with where these are measured and over which time.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct PueDocument {
    /// At least 1 unless meters disagree.
    #[schema(example = 1.2)]
    pub ratio: f64,
    /// `PUE1`: nodes are measured at the output of the UPS, `PUE2`: at that of the PDUs, `PUE3`: at the nodes.
    #[schema(example = "PUE3")]
    pub category: String,
    /// The first hour that it is of, RFC 3339.
    pub from: String,
    /// The first hour after that, RFC 3339. A ratio over less than twelve months is an interim one.
    pub to: String,
}

/// What rows amount to.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct LedgerSumDocument {
    /// `reservation`, `job`, `idle`, `off`, `switching`, `facility` or `unallocated`; null for all together.
    #[schema(example = "job")]
    pub holder: Option<String>,
    /// Seconds of nodes: two nodes for an hour are 7200.
    pub node_s: i64,
    /// Joules: `measured_j + estimated_j`.
    pub energy_j: i64,
    /// Of all energy of this currency, from 0 to 1; null where there is none.
    pub energy_share: Option<f64>,
    /// Joules that were measured.
    pub measured_j: i64,
    /// Joules that were estimated.
    pub estimated_j: i64,
    /// Seconds of nodes that no measurement covers.
    pub missing_s: i64,
    /// Millionths of the currency, without what has no price; null where no price is known.
    pub cost_millionths: Option<i64>,
    /// Of the cost.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Joules for which no price is known.
    pub unpriced_j: i64,
    /// Milligrams of CO2 by the grid's intensity, without what has none; null where none is known.
    pub co2_location_mg: Option<i64>,
    /// Joules for which no intensity is known.
    pub unrated_j: i64,
    /// Milligrams of CO2 by what the site bought; null where nothing is said of that.
    pub co2_market_mg: Option<i64>,
    /// Milligrams of CO2 by the accounting that the site does not plan by, without what has none; null where none is known.
    #[serde(default)]
    pub other_co2_mg: Option<i64>,
    /// Joules for which that is not known.
    #[serde(default)]
    pub other_unrated_j: i64,
}

/// What the ledger's rows amount to, by holder and all together
///
/// For users, of what they ran and what ran in their reservations, and operators, of all.
#[utoipa::path(
    get,
    path = "/api/v1/ledger/totals",
    tag = "accounting",
    params(LedgerTotalsQuery),
    responses(
        (status = OK, body = LedgerTotalsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_ledger_totals(
    State(ledger): State<Arc<LedgerService>>,
    State(clock): State<Clock>,
    State(settings): State<Arc<Settings>>,
    by: By,
    Parameters(parameters): Parameters<LedgerTotalsQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<LedgerTotalsDocument>), Problem> {
    let (from, to) = (parameters.from.as_deref(), parameters.to.as_deref());
    let window = window(from, to, clock.now())?;
    let wanted = LedgerWanted {
        window,
        user: query::name("user", parameters.user)?,
        project: query::name("project", parameters.project)?,
    };
    let note = by.caller.reads_of(wanted.project.as_deref(), wanted.user.as_deref());
    let LedgerTotals { groups, totals, stated_to, pue, co2_sources, other_co2_accounting } =
        ledger.totals(by.caller.access(), wanted).await?;
    let all_of = |currency: Currency| {
        totals.iter().find(|(of, _)| *of == currency).map_or(0, |(_, all)| all.energy_j())
    };
    let group = |LedgerGroup { holder, currency, amounts }: &LedgerGroup| {
        sum(Some(holder.word()), *currency, amounts, all_of(*currency))
    };
    let total = |(currency, amounts): &(Currency, Amounts)| {
        sum(None, *currency, amounts, amounts.energy_j())
    };
    let co2_sources: Vec<Co2SourceDocument> = co2_sources.into_iter().map(Into::into).collect();
    let document = LedgerTotalsDocument {
        from: window.start().to_string(),
        to: window.end().to_string(),
        stated_to: stated_to.map(|at| at.to_string()),
        co2_market_source: settings.ledger.market.as_ref().map(|it| it.source.clone()),
        co2_accounting: common_accounting(&co2_sources),
        co2_sources,
        other_co2_accounting,
        holders: groups.iter().map(group).collect(),
        totals: totals.iter().map(total).collect(),
        pue: pue.map(|Pue { ratio, category, period }| PueDocument {
            ratio,
            category: format!("PUE{category}"),
            from: period.start().to_string(),
            to: period.end().to_string(),
        }),
    };
    Ok((note, Json(document)))
}

fn sum(
    holder: Option<&str>,
    currency: Currency,
    amounts: &Amounts,
    all_j: i64,
) -> LedgerSumDocument {
    let energy_j = amounts.energy_j();
    LedgerSumDocument {
        holder: holder.map(str::to_owned),
        node_s: amounts.node_s,
        energy_j,
        energy_share: (all_j != 0).then(|| energy_j as f64 / all_j as f64),
        measured_j: amounts.measured_j,
        estimated_j: amounts.estimated_j,
        missing_s: amounts.missing_s,
        cost_millionths: amounts.cost_millionths,
        currency: currency.to_string(),
        unpriced_j: amounts.unpriced_j,
        co2_location_mg: amounts.co2_location_mg,
        unrated_j: amounts.unrated_j,
        co2_market_mg: amounts.co2_market_mg,
        other_co2_mg: amounts.other_co2_mg,
        other_unrated_j: amounts.other_unrated_j(),
    }
}
