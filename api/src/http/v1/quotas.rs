//! `GET /api/v1/quotas`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::quota::{QuotaAmounts, QuotaPeriod, QuotaStanding};
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::StoredQuotaAdjustment;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::quotas::{QuotaService, QuotaStandings};

/// What users and projects may hold now, and what they have used of it.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct QuotasDocument {
    /// The limits in force; empty where there are none.
    pub quotas: Vec<QuotaDocument>,
}

/// A limit in force, and what is used of it.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct QuotaDocument {
    /// What the rules are called that are in force now.
    #[schema(example = "day")]
    pub rules: String,
    /// The rule: `queue,project,job_type,user`, where `*` is all together and `/` each.
    #[schema(example = "*,*,*,/")]
    pub rule: String,
    /// The adjustment by which the rule is in force in place of those of the settings; null where it is one of these.
    pub adjustment: Option<QuotaAdjustedDocument>,
    /// Of which partition this tells, or `*`.
    #[schema(example = "*")]
    pub partition: String,
    /// Of which project, or `*`; empty for reservations of none.
    #[schema(example = "*")]
    pub project: String,
    /// Of which job type, or `*`.
    #[schema(example = "*")]
    pub job_type: String,
    /// Of which user, or `*`.
    #[schema(example = "ada")]
    pub user: String,
    /// What is limited: `nodes`, `reservations`, `node_hours`, or a budget of `energy_kwh`, `cost` or `co2_kg`.
    #[schema(example = "nodes")]
    pub measure: String,
    /// The most: at an instant, of budgets and node-hours in each `per`, or without it in the time of each reservation;
    /// cost in the site's currency.
    pub limit: f64,
    /// What is held: now, or of budgets and node-hours from `from` to `to`.
    pub used: f64,
    /// The rest; of budgets below 0 where more was measured than planned.
    pub left: f64,
    /// What of a budget's `used` is planned; null where it is none.
    pub reserved: Option<f64>,
    /// What of a budget's `used` was measured; null where it is none.
    pub measured: Option<f64>,
    /// `day`, `week`, `month`, `quarter` or `year` where node-hours or a budget are added up over these; `fixed` where
    /// it counts once, from `from` to `to`.
    pub per: Option<String>,
    /// Of the time that counts, RFC 3339.
    pub from: String,
    /// Of the time that counts, RFC 3339.
    pub to: String,
}

/// That a limit comes from an adjustment.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct QuotaAdjustedDocument {
    /// Of the adjustment.
    pub id: Uuid,
    /// Until when it is in force, RFC 3339; null where that is not known.
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// In words.
    pub reason: String,
}

/// What users and projects may hold now, and what they have used of it
///
/// For users, of the quotas that concern them, and operators, of all. What is held counts at once: offers that are not
/// chosen yet by the one that takes the most.
#[utoipa::path(
    get,
    path = "/api/v1/quotas",
    tag = "accounting",
    responses(
        (status = OK, body = QuotasDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_quotas(
    State(service): State<Arc<QuotaService>>,
    by: By,
) -> Result<(Option<Extension<AuditNote>>, Json<QuotasDocument>), Problem> {
    let QuotaStandings { standings, adjustments } = service.standings(by.caller.access()).await?;
    let quotas = standings.iter().flat_map(|standing| rows(standing, &adjustments)).collect();
    Ok((by.caller.reads(None), Json(QuotasDocument { quotas })))
}

/// What limits something; what is unlimited is left out.
fn rows<'a>(
    standing: &'a QuotaStanding,
    adjustments: &'a [StoredQuotaAdjustment],
) -> impl Iterator<Item = QuotaDocument> + 'a {
    let by = adjustments.iter().find(|it| Some(it.id) == standing.adjustment);
    let adjusted = move || {
        by.map(|it| QuotaAdjustedDocument {
            id: it.id.as_uuid(),
            until: it.to.as_ref().map(Timestamp::to_string),
            reason: it.reason.clone(),
        })
    };
    let row = move |amounts: &QuotaAmounts| {
        let units = |amount: i128| amounts.measure.in_units(amount);
        let of = &standing.of;
        Some(QuotaDocument {
            rules: standing.rules.to_string(),
            rule: standing.rule.to_string(),
            adjustment: adjusted(),
            partition: of.partition.to_string(),
            project: of.project.to_string(),
            job_type: of.job_type.to_string(),
            user: of.user.to_string(),
            measure: amounts.measure.word().to_owned(),
            limit: units(amounts.limit?),
            used: units(amounts.used),
            left: units(amounts.left()?),
            reserved: amounts.measured.map(|measured| units(amounts.used - measured)),
            measured: amounts.measured.map(units),
            per: amounts.per.map(QuotaPeriod::word).map(str::to_owned),
            from: amounts.during.start().to_string(),
            to: amounts.during.end().to_string(),
        })
    };
    standing.amounts.iter().filter_map(row)
}
