//! `WattTime`: a token, and five-minute values in pounds per MWh.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request, span};
use crate::view::{View, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "watttime",
        quantity: "co2",
        settings: r#"provider = "watttime"
region = "ANY"
user = "any"
password = TOKEN
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "watttime-average",
        quantity: "co2",
        settings: r#"provider = "watttime"
region = "ANY"
signal = "co2_aoer"
user = "any"
password = TOKEN
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/login", get(login))
        .route("/v3/forecast", get(forecast))
        .route("/v3/historical", get(historical))
}

const TOKEN: &str = "replayed";
const STEP: Seconds = Seconds::new(300);

/// g/kWh in a lb/MWh.
const GRAMS_PER_POUND: f64 = 0.453_592_37;

async fn login(headers: HeaderMap) -> Response {
    if authorization(&headers).starts_with("Basic ") {
        Json(json!({"token": TOKEN})).into_response()
    } else {
        StatusCode::UNAUTHORIZED.into_response()
    }
}

async fn forecast(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let hours = asked.get("horizon_hours").and_then(|hours| hours.parse().ok()).unwrap_or(24);
    let end = view.now + Seconds::new(hours * 3600) + Seconds::ONE;
    answer(&headers, &asked, &view, Span::new(view.now, end))
}

async fn historical(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    // The end is inclusive.
    let span = span(&asked, "start", "end");
    let span =
        span.and_then(|span| Span::new(span.start(), span.end().min(view.now) + Seconds::ONE));
    answer(&headers, &asked, &view, span)
}

fn answer(headers: &HeaderMap, asked: &Parameters, view: &View, span: Option<Span>) -> Response {
    if authorization(headers) != format!("Bearer {TOKEN}") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(span) = span else { return bad_request("no span") };
    let point = |span: Span| {
        let grams = view.co2(span)?;
        let pounds = grams as f64 / 1e6 / GRAMS_PER_POUND;
        Some(
            json!({"point_time": span.start().to_string().replace('Z', "+00:00"), "value": pounds}),
        )
    };
    let data: Vec<Value> = steps(span, STEP).into_iter().filter_map(point).collect();
    Json(json!({
        "data": data,
        "meta": {
            "region": view.area(asked.get("region")), "signal_type": asked.get("signal_type"),
            "units": "lbs_co2_per_mwh", "data_point_period_seconds": STEP.get(),
            "generated_at": view.now.to_string().replace('Z', "+00:00"),
            "model": {"date": "2024-03-01"}, "warnings": [],
        },
    }))
    .into_response()
}

fn authorization(headers: &HeaderMap) -> &str {
    headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
