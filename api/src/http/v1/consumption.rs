//! `/api/v1/consumption`: what was consumed, against what was told before.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::Reader;
use planner::quantity::Power;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use storage::Consumed;
use utoipa::{IntoParams, ToSchema};

use super::schema::ConsumedRequest;
use crate::clock::Clock;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::dialogue::DialogueService;
use crate::service::dialogue::{ConsumptionReport, Reported};

/// The most spans in one body.
const MAX_SPANS: usize = 3000;

/// Which span.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ConsumptionQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day later unless given.
    pub to: Option<String>,
}

/// Consumption over a window.
#[derive(Serialize, ToSchema)]
pub struct ConsumptionDocument {
    /// In time order.
    pub spans: Vec<ConsumedDocument>,
    /// Mean of what was consumed beyond the forecast, watts; null without forecasts.
    pub bias_w: Option<f64>,
    /// Mean of the differences either way, watts.
    pub mean_absolute_error_w: Option<f64>,
}

/// Consumption over a span.
#[derive(Serialize, ToSchema)]
pub struct ConsumedDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// Watts.
    pub mean_power_w: f64,
    /// Kilowatt-hours.
    pub energy_kwh: f64,
    /// What the last forecast before the span told, watts; null where none did.
    pub forecast_w: Option<f64>,
    /// What was consumed beyond that, watts.
    pub error_w: Option<f64>,
}

impl From<&ConsumptionReport> for ConsumptionDocument {
    fn from(it: &ConsumptionReport) -> Self {
        Self {
            spans: it.spans.iter().map(ConsumedDocument::from).collect(),
            bias_w: it.bias_w,
            mean_absolute_error_w: it.mean_absolute_error_w,
        }
    }
}

impl From<&Reported> for ConsumedDocument {
    fn from(it: &Reported) -> Self {
        let Consumed { span, power } = it.consumed;
        Self {
            start: span.start(),
            end: span.end(),
            mean_power_w: power.as_watts(),
            energy_kwh: (power * span.length()).as_kilowatt_hours(),
            forecast_w: it.forecast_w,
            error_w: it.error_w(),
        }
    }
}

/// Tells what was consumed
///
/// For suppliers and operators. What was told of the same window before is replaced. The answer
/// compares it with the forecasts that were told before.
#[utoipa::path(
    put,
    path = "/api/v1/consumption",
    tag = "grid",
    request_body = Vec<ConsumedRequest>,
    responses(
        (status = OK, body = ConsumptionDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn put_consumption(
    State(dialogue): State<Arc<DialogueService>>,
    _: By,
    body: JsonBody,
) -> Result<Json<ConsumptionDocument>, Problem> {
    let consumed = body.read(spans)?;
    let report = dialogue.put_consumption(consumed).await?;
    Ok(Json(ConsumptionDocument::from(&report)))
}

/// What was consumed, against what was told before
///
/// For suppliers and operators.
#[utoipa::path(
    get,
    path = "/api/v1/consumption",
    tag = "grid",
    params(ConsumptionQuery),
    responses(
        (status = OK, body = ConsumptionDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_consumption(
    State(dialogue): State<Arc<DialogueService>>,
    State(clock): State<Clock>,
    _: By,
    Parameters(parameters): Parameters<ConsumptionQuery>,
) -> Result<Json<ConsumptionDocument>, Problem> {
    let (from, to) = (parameters.from.as_deref(), parameters.to.as_deref());
    let span = query::span(from, to, clock.now())?;
    let report = dialogue.consumption(span).await?;
    Ok(Json(ConsumptionDocument::from(&report)))
}

fn spans(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Consumed>> {
    let spans = reader.array(raw, consumed)?;
    if !(1..=MAX_SPANS).contains(&spans.len()) {
        reader.error(format!("must have 1 to {MAX_SPANS} spans"));
        return None;
    }
    if spans.windows(2).any(|pair| pair[1].span.start() < pair[0].span.end()) {
        reader.error("spans must be in time order and must not overlap");
        return None;
    }
    Some(spans)
}

fn consumed(reader: &mut Reader, raw: &RawValue) -> Option<Consumed> {
    let object = reader.object(raw, &["start", "end", "mean_power_w"])?;
    let span = reader.span(&object);
    let power = reader.required(&object, "mean_power_w", |reader, raw| {
        let power = reader.power(raw)?;
        let known = (power >= Power::ZERO).then_some(power);
        reader.accept(known.ok_or("must not be negative"))
    });
    Some(Consumed { span: span?, power: power? })
}
