//! Electricity Maps: hours behind and ahead, and shorter values of version 4.

use axum::extract::{Extension, Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request, span};
use crate::view::{View, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "electricity-maps",
        quantity: "co2",
        settings: r#"provider = "electricity-maps"
zone = "FR"
token = TOKEN
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "electricity-maps-v4",
        quantity: "co2",
        settings: r#"provider = "electricity-maps"
version = "v4"
granularity = "15_minutes"
zone = "FR"
token = TOKEN
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/v3/carbon-intensity/{what}", get(carbon_intensity))
        .route("/v4/carbon-intensity/{what}", get(version_4))
}

const HOUR: Seconds = Seconds::new(3600);
const DAY: Seconds = Seconds::new(86_400);

async fn carbon_intensity(
    Path(what): Path<String>,
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if !headers.contains_key("auth-token") {
        return (StatusCode::UNAUTHORIZED, "Token unauthorized for zoneKey").into_response();
    }
    let (zone, now) = (view.area(asked.get("zone")), view.now);
    let factors = asked.get("emissionFactorType");
    let hours = |span: Option<Span>| -> Vec<Value> {
        let spans = span.map(|span| steps(span, HOUR)).unwrap_or_default();
        let hour = |span: &Span| {
            json!({
                "zone": zone,
                "carbonIntensity": number(view.co2(*span)),
                "datetime": span.start().to_string().replace('Z', ".000Z"),
                "updatedAt": now.to_string().replace('Z', ".012Z"),
                "emissionFactorType": factors,
                "isEstimated": view.is_sandbox(),
                "estimationMethod": if view.is_sandbox() { "SANDBOX_MODE_DATA".into() } else { Value::Null },
            })
        };
        spans.iter().map(hour).collect()
    };
    match what.as_str() {
        "history" => Json(json!({"zone": zone, "history": hours(Span::new(now - DAY, now))})),
        "past-range" => Json(json!({"zone": zone, "data": hours(span(&asked, "start", "end"))})),
        "forecast" => {
            let ahead = asked.get("horizonHours").and_then(|hours| hours.parse().ok());
            let end = now + Seconds::new(ahead.unwrap_or(24) * HOUR.get());
            Json(json!({
                "zone": zone,
                "forecast": hours(Span::new(now.ceil_to(HOUR), end)),
                "updatedAt": now.to_string().replace('Z', ".012Z"),
            }))
        }
        _ => return bad_request("unknown route"),
    }
    .into_response()
}

/// Rows of the granularity that was asked for; those of forecasts have a value and a time alone, and the
/// last one begins at the end.
async fn version_4(
    Path(what): Path<String>,
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if !headers.contains_key("auth-token") {
        return (StatusCode::UNAUTHORIZED, "Invalid auth-token").into_response();
    }
    let granularity = asked.get("temporalGranularity").map_or("hourly", String::as_str);
    let step = Seconds::new(match granularity {
        "5_minutes" => 300,
        "15_minutes" => 900,
        _ => HOUR.get(),
    });
    let (zone, now) = (view.area(asked.get("zone")), view.now);
    let stamp = |instant: Timestamp| instant.to_string().replace('Z', ".000Z");
    let factors = asked.get("emissionFactorType");
    let row = |span: &Span| {
        json!({
            "zone": zone, "carbonIntensity": number(view.co2(*span)), "datetime": stamp(span.start()),
            "updatedAt": stamp(now), "createdAt": stamp(now), "emissionFactorType": factors,
            "flowTraced": asked.get("flowTraced").is_none_or(|traced| traced == "true"),
            "isEstimated": view.is_sandbox(), "temporalGranularity": granularity,
            "estimationMethod": if view.is_sandbox() { "SANDBOX_MODE_DATA".into() } else { Value::Null },
        })
    };
    let past = |span: Option<Span>| {
        let spans = span.map(|span| steps(span, step)).unwrap_or_default();
        spans.iter().map(row).collect::<Vec<Value>>()
    };
    let answer = |rows: &str, values: Vec<Value>| {
        json!({"zone": zone, "temporalGranularity": granularity, rows: values,
            "updatedAt": stamp(now)})
    };
    match what.as_str() {
        "history" => Json(answer("history", past(Span::new(now - DAY, now)))),
        "past-range" => Json(answer("data", past(span(&asked, "start", "end")))),
        "forecast" => {
            let ahead = asked.get("horizonHours").and_then(|hours| hours.parse().ok());
            let end = now.ceil_to(step) + Seconds::new(ahead.unwrap_or(24) * HOUR.get());
            let spans = Span::new(now.ceil_to(step), end + step).map(|span| steps(span, step));
            let minimal = |span: &Span| {
                json!({"carbonIntensity": number(view.co2(*span)), "datetime": stamp(span.start())})
            };
            let values = spans.unwrap_or_default().iter().map(minimal).collect();
            Json(answer("forecast", values))
        }
        _ => return bad_request("unknown route"),
    }
    .into_response()
}
