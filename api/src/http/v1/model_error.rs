//! `GET /api/v1/model-error`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::quantity::MILLION;
use serde::{Deserialize, Serialize};
use storage::JudgedNode;
use utoipa::{IntoParams, ToSchema};

use super::calibrations::findings::ErrorDocument;
use super::ledger::window;
use crate::clock::Clock;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::recalibration::{ErrorLine, ErrorsBy, RecalibrationService, WholeAmounts};

/// Of what the error is told.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ModelErrorQuery {
    /// `user`, `application`, `reservation` or `node`; `user` unless given.
    pub by: Option<String>,
    /// Reservations with rows of the ledger that count in hours which begin here, RFC 3339, or later; a day before `to`
    /// unless given. Nodes are told as they were judged last.
    pub from: Option<String>,
    /// And before here, RFC 3339; now unless given.
    pub to: Option<String>,
    /// Only this user's reservations. Others than operators see their own anyway, and may name nobody else.
    pub user: Option<String>,
    /// At most so many nodes, those with the greatest error, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// The model's error.
#[derive(Serialize, ToSchema)]
pub struct ModelErrorDocument {
    /// By what.
    #[schema(example = "application")]
    pub by: String,
    /// By group; nodes with the greatest error first.
    pub rows: Vec<ModelErrorRow>,
}

/// The error over the reservations of a group, or over the quarter-hours of a node.
#[derive(Serialize, ToSchema)]
pub struct ModelErrorRow {
    /// The user, application, reservation or node; empty where a request names no application.
    pub group: String,
    /// How many reservations; null for a node.
    pub reservations: Option<u32>,
    /// What was predicted of them; null for a node.
    pub predicted: Option<ErrorAmounts>,
    /// What was measured of them; null for a node.
    pub measured: Option<ErrorAmounts>,
    /// Of energy: of each reservation, or of each quarter-hour in which a node was held.
    pub energy: ErrorDocument,
    /// Of cost, where prices are known; null for a node.
    pub cost: Option<ErrorDocument>,
    /// Of CO2, where intensities are known; null for a node.
    pub co2: Option<ErrorDocument>,
}

/// Energy, cost and CO2.
#[derive(Serialize, ToSchema)]
pub struct ErrorAmounts {
    /// Joules.
    pub energy_j: f64,
    /// In units of the site's currency, of reservations whose whole cost is known.
    pub cost: f64,
    /// Grams, by the grid's intensity, of reservations whose whole CO2 is known.
    pub co2_g: f64,
}

/// What was predicted against what was measured
///
/// For users, who see their own reservations, and operators, who see all. A reservation counts once it is completed, where
/// it had its nodes to its end and at least 90 % of its energy were measured. Its prediction is the chosen offer. Errors
/// are what was predicted less what was measured, of what was measured.
#[utoipa::path(
    get,
    path = "/api/v1/model-error",
    tag = "accounting",
    params(ModelErrorQuery),
    responses(
        (status = OK, body = ModelErrorDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_model_error(
    State(recalibration): State<Arc<RecalibrationService>>,
    State(clock): State<Clock>,
    caller: By,
    Parameters(parameters): Parameters<ModelErrorQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<ModelErrorDocument>), Problem> {
    let by = parameters.by.unwrap_or_else(|| "user".to_owned());
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let window = window(parameters.from.as_deref(), parameters.to.as_deref(), clock.now())?;
    let user = query::name("user", parameters.user)?;
    let of_people = caller.caller.reads(user.as_deref());
    let note = of_people.filter(|_| by != "node");
    let rows = if by == "node" {
        let nodes = recalibration.worst_nodes(limit).await?;
        nodes.iter().map(ModelErrorRow::from).collect()
    } else {
        let Some(by) = ErrorsBy::from_word(&by) else {
            let rule = "must be user, application, reservation or node";
            return Err(Problem::invalid_parameter("by", rule));
        };
        let access = caller.caller.access();
        let lines = recalibration.model_error(access, user.as_deref(), window, by).await?;
        lines.into_iter().map(ModelErrorRow::from).collect()
    };
    Ok((note, Json(ModelErrorDocument { by, rows })))
}

impl From<&JudgedNode> for ModelErrorRow {
    fn from(judged: &JudgedNode) -> Self {
        Self {
            group: judged.node.clone(),
            reservations: None,
            predicted: None,
            measured: None,
            energy: judged.error.into(),
            cost: None,
            co2: None,
        }
    }
}

impl From<ErrorLine> for ModelErrorRow {
    fn from(line: ErrorLine) -> Self {
        Self {
            group: line.group,
            reservations: Some(line.reservations),
            predicted: Some(line.predicted.into()),
            measured: Some(line.measured.into()),
            energy: line.energy.into(),
            cost: Some(line.cost.into()),
            co2: Some(line.co2.into()),
        }
    }
}

impl From<WholeAmounts> for ErrorAmounts {
    fn from(amounts: WholeAmounts) -> Self {
        Self {
            energy_j: amounts.energy_j as f64,
            cost: amounts.cost_millionths as f64 / MILLION as f64,
            co2_g: amounts.co2_mg as f64 / 1000.0,
        }
    }
}
