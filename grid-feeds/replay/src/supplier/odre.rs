//! ODRE: records newest first, some numbers as strings, quarter-hours to come without a value.

use axum::extract::{Extension, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "odre",
    quantity: "co2",
    settings: r#"provider = "odre"
base_url = "BASE/odre""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/odre/api/explore/v2.1/catalog/datasets/{dataset}/records", get(records))
}

const QUARTER: Seconds = Seconds::new(900);

/// Measurements come this long after their start.
const DELAY: Seconds = Seconds::new(1800);

async fn records(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let condition = asked.get("where").map(String::as_str).unwrap_or_default();
    let mut bounds = condition.split('"').skip(1).step_by(2).map(Timestamp::parse);
    let span = match (bounds.next(), bounds.next()) {
        (Some(Ok(start)), Some(Ok(end))) => Span::new(start, end),
        _ => None,
    };
    let Some(span) = span else { return bad_request("no condition") };
    let count = |name: &str| asked.get(name)?.parse::<usize>().ok();
    let (limit, offset) = (count("limit").unwrap_or(10).min(100), count("offset").unwrap_or(0));
    // The data set ends with the quarter-hours of today, most of them without a value.
    let known = steps(span, QUARTER).into_iter();
    let known: Vec<Span> =
        known.filter(|span| span.start() - view.now < Seconds::new(86_400)).collect();
    let page: Vec<Value> =
        known.iter().rev().skip(offset).take(limit).map(|&span| record(&view, span)).collect();
    Json(json!({"total_count": known.len(), "results": page})).into_response()
}

fn record(view: &View, span: Span) -> Value {
    let mut record = json!({
        "date_heure": span.start().to_string().replace('Z', "+00:00"),
        "nature": "Données temps réel",
    });
    if view.is_out(span.start() + DELAY) {
        let value = number(view.co2(span));
        let odd = span.start().as_unix_seconds() % 3600 == 0;
        record["taux_co2"] = if odd && !value.is_null() { value.to_string().into() } else { value };
    }
    record
}
