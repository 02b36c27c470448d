//! `GET /api/v1/measurements`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::metering::QuarterHour;
use planner::time::{Seconds, Span, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::clock::Clock;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::measurements::{MeasurementService, NodeQuarters};

/// The longest span of an answer.
const LONGEST: Seconds = Seconds::new(31 * 86_400);

/// Whose quarter-hours, and of which span.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MeasurementsQuery {
    /// The name of the node, rack or site.
    pub node: String,
    /// RFC 3339; a day before `to` unless given.
    pub from: Option<String>,
    /// RFC 3339, 31 days after `from` at the latest; now unless given.
    pub to: Option<String>,
}

/// What was measured of a node, rack or site.
#[derive(Serialize, ToSchema)]
pub struct MeasurementsDocument {
    /// The name.
    pub node: String,
    /// Every quarter-hour that the span touches, in time order.
    pub quarters: Vec<QuarterDocument>,
}

/// What was measured in a quarter-hour.
#[derive(Serialize, ToSchema)]
pub struct QuarterDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// Joules that were measured.
    pub measured_j: f64,
    /// Seconds in which they were measured, rounded down.
    pub measured_s: i64,
    /// Seconds in which nothing was measured.
    pub missing_s: i64,
    /// The meter that counts: the one that measured most of the quarter-hour. Null where none did.
    pub meter: Option<String>,
}

/// What was measured in quarter-hours
///
/// For operators. Of each quarter-hour that meter counts which measured most of it, the first of the settings among
/// those that measured as much. Nothing is integrated across gaps: that time is missing.
#[utoipa::path(
    get,
    path = "/api/v1/measurements",
    tag = "metering",
    params(MeasurementsQuery),
    responses(
        (status = OK, body = MeasurementsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_measurements(
    State(measurements): State<Arc<MeasurementService>>,
    State(clock): State<Clock>,
    _: By,
    Parameters(parameters): Parameters<MeasurementsQuery>,
) -> Result<Json<MeasurementsDocument>, Problem> {
    let to = query::instant("to", parameters.to.as_deref())?.unwrap_or_else(|| clock.now());
    let from = query::instant("from", parameters.from.as_deref())?;
    let from = from.unwrap_or_else(|| to - Seconds::new(86_400));
    let span = match Span::new(from, to) {
        Some(span) if span.length() <= LONGEST => span,
        Some(_) => {
            return Err(Problem::invalid_parameter("to", "must be at most 31 days after from"));
        }
        None => return Err(Problem::invalid_parameter("to", "must be after from")),
    };
    let node = query::name("node", Some(parameters.node))?.unwrap_or_default();
    let found = measurements.quarters(span, Some(&node)).await?;
    let quarters = QuarterHour::within(span).map(|quarter| document(quarter, &found)).collect();
    Ok(Json(MeasurementsDocument { node, quarters }))
}

/// A quarter-hour of the first of those that have it: a name stands for one thing as a rule.
fn document(quarter: QuarterHour, found: &[NodeQuarters]) -> QuarterDocument {
    let known = found.iter().find_map(|it| it.of(quarter));
    let sum = known.map(|it| it.sum).unwrap_or_default();
    QuarterDocument {
        start: quarter.start(),
        measured_j: sum.energy().as_joules(),
        measured_s: sum.covered().get(),
        missing_s: sum.missing().get(),
        meter: known.map(|it| it.meter.to_string()),
    }
}
