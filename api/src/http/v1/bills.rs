//! `GET /api/v1/bills`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ledger::{Bill, BillLine, BillWanted, BilledDemand, LedgerService};

/// Which bill.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BillQuery {
    /// Such as `2026-03`, as the site's calendar has it; the month that is now unless given.
    pub month: Option<String>,
    /// Only this user's lines. Others than operators see their own anyway, and may name nobody else.
    pub user: Option<String>,
    /// Only this project's lines.
    pub project: Option<String>,
}

/// What a month costs as the supplier bills it, and whose part is how much. Sums are of the lines that are told.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct BillDocument {
    /// The month.
    #[schema(example = "2026-03")]
    pub month: String,
    /// The first hour that counts in it, RFC 3339.
    pub from: String,
    /// The first hour after it, RFC 3339.
    pub to: String,
    /// The end of the newest hour that is stated, RFC 3339; null before there is one. A bill is whole once it has come to
    /// `to`, and final once the month is closed.
    pub stated_to: Option<String>,
    /// Of every amount. Energy that was stated in another currency is left out.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Joules.
    pub energy_j: i64,
    /// Millionths of the currency for energy, by the agenda; null where no price is known.
    pub energy_cost_millionths: Option<i64>,
    /// Demand charges of the settings.
    pub demand: Vec<BilledDemandDocument>,
    /// What is charged each month, as the settings say; empty for others than operators.
    pub fixed: Vec<FixedChargeDocument>,
    /// Millionths of the currency: energy, demand charges and fixed parts.
    pub total_millionths: i64,
    /// By holder, user, project and reservation.
    pub rows: Vec<BillRowDocument>,
}

/// A charge for the highest quarter-hour of a month.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct BilledDemandDocument {
    /// As the settings call it.
    pub name: String,
    /// Millionths of the currency for a kilowatt.
    pub per_kw_millionths: i64,
    /// When the quarter-hour begins, RFC 3339; null where nothing was drawn in any that counts.
    pub quarter_start: Option<String>,
    /// Joules that all drew in it; null for others than operators.
    pub energy_j: Option<i64>,
    /// Millionths of the currency that fall to the rows: for operators who ask for all the whole charge.
    pub cost_millionths: i64,
}

/// What is charged each month, whatever is drawn.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct FixedChargeDocument {
    /// As the settings call it.
    pub name: String,
    /// Millionths of the currency.
    pub cost_millionths: i64,
}

/// What falls to a reservation, or to what no reservation has.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct BillRowDocument {
    /// `reservation`, with the jobs that ran in it; `job`, `idle`, `off`, `switching`, `facility` or `unallocated`.
    #[schema(example = "reservation")]
    pub holder: String,
    /// The reservation.
    pub reservation_id: Option<String>,
    /// Who ran jobs, or reserved the nodes; null for what is nobody's.
    pub user: Option<String>,
    /// The project; null where none is named.
    pub project: Option<String>,
    /// Joules.
    pub energy_j: i64,
    /// Millionths of the currency for the energy; null where no price is known.
    pub energy_cost_millionths: Option<i64>,
    /// Millionths of the currency: its parts of the demand charges.
    pub demand_cost_millionths: i64,
}

/// What a month costs as the supplier bills it, and whose part is how much
///
/// For users, of what they ran and what ran in their reservations, and operators, of all.
#[utoipa::path(
    get,
    path = "/api/v1/bills",
    tag = "accounting",
    params(BillQuery),
    responses(
        (status = OK, body = BillDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_bill(
    State(ledger): State<Arc<LedgerService>>,
    by: By,
    Parameters(parameters): Parameters<BillQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<BillDocument>), Problem> {
    let wanted = BillWanted {
        month: parameters.month,
        user: query::name("user", parameters.user)?,
        project: query::name("project", parameters.project)?,
    };
    let note = by.caller.reads_of(wanted.project.as_deref(), wanted.user.as_deref());
    let access = by.caller.access();
    let bill = ledger.bill(access, wanted).await?;
    Ok((note, Json(document(bill, access.is_operator()))))
}

fn document(bill: Bill, sees_all: bool) -> BillDocument {
    let Bill { month, window, stated_to, currency, demand, fixed, lines } = bill;
    let energy_cost = lines.iter().filter_map(|it| it.energy_cost_millionths).reduce(|a, b| a + b);
    let demand_cost: i64 = demand.iter().map(|it| it.cost_millionths).sum();
    let fixed_cost: i64 = fixed.iter().map(|it| it.per_month_millionths).sum();
    let of_demand = |BilledDemand { charge, peak, cost_millionths }| BilledDemandDocument {
        name: charge.name.into(),
        per_kw_millionths: charge.per_kw_millionths,
        quarter_start: peak.map(|it| it.quarter.start().to_string()),
        energy_j: peak.filter(|_| sees_all).map(|it| it.energy_j),
        cost_millionths,
    };
    BillDocument {
        month,
        from: window.start().to_string(),
        to: window.end().to_string(),
        stated_to: stated_to.map(|at| at.to_string()),
        currency: currency.to_string(),
        energy_j: lines.iter().map(|it| it.energy_j).sum(),
        energy_cost_millionths: energy_cost,
        demand: demand.into_iter().map(of_demand).collect(),
        fixed: fixed
            .into_iter()
            .map(|it| FixedChargeDocument {
                name: it.name.into(),
                cost_millionths: it.per_month_millionths,
            })
            .collect(),
        total_millionths: energy_cost.unwrap_or_default() + demand_cost + fixed_cost,
        rows: lines.into_iter().map(row).collect(),
    }
}

fn row(line: BillLine) -> BillRowDocument {
    let said = |text: String| Some(text).filter(|it| !it.is_empty());
    BillRowDocument {
        holder: line.group.holder.word().to_owned(),
        reservation_id: line.group.reservation.map(|id| id.to_string()),
        user: said(line.group.user),
        project: said(line.group.project),
        energy_j: line.energy_j,
        energy_cost_millionths: line.energy_cost_millionths,
        demand_cost_millionths: line.demand_cost_millionths,
    }
}
