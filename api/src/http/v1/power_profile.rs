//! `GET /api/v1/power-profile`

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::caller::{Anyone, By};
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ProfileStep;

/// Which span.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SpanQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day after `from` unless given.
    pub to: Option<String>,
}

/// Power that counts against the cap over a span.
#[derive(Serialize, ToSchema)]
pub struct PowerProfileDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// What the cap limits: `reserved_nodes`, or `all_nodes`, idle ones too.
    #[schema(example = "reserved_nodes")]
    pub cap_scope: &'static str,
    /// What counts whatever is reserved, part of every step: the idle power of all nodes where the
    /// cap limits all. Watts.
    pub base_power_w: f64,
    /// Covering the span without gaps; neighbours differ.
    pub steps: Vec<ProfileStepDocument>,
}

/// Reserved power and the cap during a step.
#[derive(Serialize, ToSchema)]
pub struct ProfileStepDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// The sum of the maximum power of all reserved nodes, held offers included; of the
    /// alternative offers of one reservation the largest counts. Where the cap limits all nodes,
    /// the idle power of the others too. Watts.
    pub reserved_power_w: f64,
    /// Of which confirmed. Watts.
    pub confirmed_power_w: f64,
    /// The cap in force; null where none is known. Watts.
    pub cap_w: Option<f64>,
    /// `cap_w - reserved_power_w`. Watts.
    pub headroom_w: Option<f64>,
}

/// Reserved power and headroom against the cap, step by step
///
/// For users, operators and suppliers.
#[utoipa::path(
    get,
    path = "/api/v1/power-profile",
    tag = "book",
    params(SpanQuery),
    responses(
        (status = OK, body = PowerProfileDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
    ),
)]
pub async fn get_power_profile(
    State(app): State<App>,
    _: By<Anyone>,
    Parameters(parameters): Parameters<SpanQuery>,
) -> Result<Json<PowerProfileDocument>, Problem> {
    let span =
        query::span(parameters.from.as_deref(), parameters.to.as_deref(), app.service.now())?;
    let profile = app.service.power_profile(span).await?;
    Ok(Json(PowerProfileDocument {
        from: span.start(),
        to: span.end(),
        cap_scope: profile.cap_scope.word(),
        base_power_w: profile.base_power.as_watts(),
        steps: profile.steps.iter().map(document).collect(),
    }))
}

fn document(step: &ProfileStep) -> ProfileStepDocument {
    ProfileStepDocument {
        start: step.span.start(),
        end: step.span.end(),
        reserved_power_w: step.reserved.as_watts(),
        confirmed_power_w: step.confirmed.as_watts(),
        cap_w: step.cap.map(planner::quantity::Power::as_watts),
        headroom_w: step.cap.map(|cap| (cap - step.reserved).as_watts()),
    }
}
