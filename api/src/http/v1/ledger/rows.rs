//! `GET /api/v1/ledger`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::ReservationId;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::LedgerRecord;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::window;
use crate::clock::Clock;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ledger::{LedgerService, LedgerWanted, other_accounting};

/// Which rows.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LedgerQuery {
    /// Rows that count in hours which begin here, RFC 3339, or later; a day before `to` unless given.
    pub from: Option<String>,
    /// And before here, RFC 3339; now unless given.
    pub to: Option<String>,
    /// Only this user's. Users see their own anyway, and name others only beside a project that they manage.
    pub user: Option<String>,
    /// Only this project's: of all its users, for its managers and operators.
    pub project: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Rows in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of the ledger.
#[derive(Serialize, ToSchema)]
pub struct LedgerPageDocument {
    /// By the hour in which they count.
    pub items: Vec<LedgerRowDocument>,
    /// Where the next page starts; null on the last.
    #[schema(example = "1772323200-4711")]
    pub next_cursor: Option<String>,
}

/// What somebody consumed in an hour, or the difference that a correction makes.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LedgerRowDocument {
    /// The start of the hour in which the row counts, RFC 3339.
    pub hour_start: String,
    /// `reservation`, `job`, `idle`, `off`, `switching`, `facility` or `unallocated`.
    #[schema(example = "job")]
    pub holder: String,
    /// The reservation whose nodes they were; null for a job outside of reservations.
    pub reservation_id: Option<Uuid>,
    /// The job's id in the resource manager.
    pub job_id: Option<String>,
    /// Who ran the job, or reserved the nodes.
    pub user: Option<String>,
    /// The reservation's project, or the account that the job is charged to.
    pub project: Option<String>,
    /// The partition.
    pub partition: Option<String>,
    /// The most nodes at once in a quarter-hour.
    pub nodes: i64,
    /// Joules: `measured_j + estimated_j`.
    pub energy_j: i64,
    /// Joules that were measured.
    pub measured_j: i64,
    /// Joules that were estimated.
    pub estimated_j: i64,
    /// Seconds of nodes that no measurement covers.
    pub missing_s: i64,
    /// Millionths of the currency; null where no price is known.
    pub cost_millionths: Option<i64>,
    /// Of the cost.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Milligrams of CO2 by the grid's intensity; null where it is not known.
    pub co2_location_mg: Option<i64>,
    /// Milligrams of CO2 by what the site bought; null where nothing is said of that.
    pub co2_market_mg: Option<i64>,
    /// How `co2_location_mg` is counted; null where that is not known, or not the same for all of the hour.
    #[serde(default)]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Milligrams of CO2 by the accounting that the site does not plan by, as far as it is known; null where it is not.
    #[serde(default)]
    pub other_co2_mg: Option<i64>,
    /// How that is counted, as it was when the row was stated; null where nothing was known of it.
    #[serde(default)]
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// The start of the hour that the row corrects, RFC 3339; null where the hour is stated for the first time.
    pub correction_of: Option<String>,
}

impl LedgerRowDocument {
    fn new(record: LedgerRecord, co2_accounting: Option<Co2AccountingDocument>) -> Self {
        let LedgerRecord { counted, correction_of, currency, row, other_co2_accounting, .. } =
            record;
        let said = |text: String| (!text.is_empty()).then_some(text);
        let (party, amounts) = (row.party, row.amounts);
        Self {
            hour_start: counted.to_string(),
            holder: party.holder.word().to_owned(),
            reservation_id: party.reservation.map(ReservationId::as_uuid),
            job_id: said(party.job),
            user: said(party.user),
            project: said(party.project),
            partition: said(party.partition),
            nodes: amounts.nodes,
            energy_j: amounts.energy_j(),
            measured_j: amounts.measured_j,
            estimated_j: amounts.estimated_j,
            missing_s: amounts.missing_s,
            cost_millionths: amounts.cost_millionths,
            currency: currency.to_string(),
            co2_location_mg: amounts.co2_location_mg,
            co2_market_mg: amounts.co2_market_mg,
            co2_accounting,
            other_co2_mg: amounts.other_co2_mg,
            other_co2_accounting: other_co2_accounting.as_deref().and_then(other_accounting),
            correction_of: correction_of.map(|hour| hour.to_string()),
        }
    }
}

/// The ledger: whose energy each hour's was, what it cost and what it emitted
///
/// For users, who see what they ran and what ran in their reservations, managers, who see the rows of one of their projects
/// by `project`, and operators, who see all. Rows are added and never changed: what is known later of an hour are rows with
/// the differences, with `correction_of`.
#[utoipa::path(
    get,
    path = "/api/v1/ledger",
    tag = "accounting",
    params(LedgerQuery),
    responses(
        (status = OK, body = LedgerPageDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_ledger_rows(
    State(ledger): State<Arc<LedgerService>>,
    State(clock): State<Clock>,
    by: By,
    Parameters(parameters): Parameters<LedgerQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<LedgerPageDocument>), Problem> {
    let (from, to) = (parameters.from.as_deref(), parameters.to.as_deref());
    let wanted = LedgerWanted {
        window: window(from, to, clock.now())?,
        user: query::name("user", parameters.user)?,
        project: query::name("project", parameters.project)?,
    };
    let note = by.caller.reads_of(wanted.project.as_deref(), wanted.user.as_deref());
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let after = parameters.cursor.as_deref().map(cursor).transpose()?;
    let page = ledger.rows(by.caller.access(), wanted, after, limit).await?;
    let rows = page.rows.into_iter().zip(page.accountings);
    let document = LedgerPageDocument {
        items: rows.map(|(row, counted)| LedgerRowDocument::new(row, counted)).collect(),
        next_cursor: page.next.map(|(hour, id)| format!("{}-{id}", hour.as_unix_seconds())),
    };
    Ok((note, Json(document)))
}

/// The hour and the id after which a page starts.
fn cursor(text: &str) -> Result<(Timestamp, i64), Problem> {
    let read = text.split_once('-').and_then(|(hour, id)| {
        Some((Timestamp::from_unix_seconds(hour.parse().ok()?), id.parse().ok()?))
    });
    read.ok_or_else(|| Problem::invalid_parameter("cursor", "is no next_cursor of a page"))
}
