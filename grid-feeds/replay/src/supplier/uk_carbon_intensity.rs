//! UK Carbon Intensity: half-hours, of which those behind are measured.

use axum::extract::{Extension, Path};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{ReplayedSource, bad_request};
use crate::view::{View, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "uk-carbon-intensity",
    quantity: "co2",
    settings: r#"provider = "uk-carbon-intensity"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/intensity/{from}/{to}", get(half_hours))
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// What `fw48h` reaches.
const HORIZON: Seconds = Seconds::new(48 * 3600);

async fn half_hours(
    Path((from, to)): Path<(String, String)>,
    Extension(view): Extension<View>,
) -> Response {
    let Some(start) = minute(&from) else { return bad_request("no start") };
    let end = if to == "fw48h" { Some(start + HORIZON) } else { minute(&to) };
    let Some(span) = end.and_then(|end| Span::new(start, end)) else {
        return bad_request("no end");
    };
    let data: Vec<Value> =
        steps(span, HALF_HOUR).iter().map(|&span| half_hour(&view, span)).collect();
    Json(json!({"data": data})).into_response()
}

fn half_hour(view: &View, span: Span) -> Value {
    let value = number(view.co2(span));
    let actual = if view.is_out(span.end()) { value.clone() } else { Value::Null };
    json!({
        "from": span.start().to_string().replace(":00Z", "Z"),
        "to": span.end().to_string().replace(":00Z", "Z"),
        "intensity": {"forecast": value, "actual": actual, "index": "low"},
    })
}

/// `2018-01-20T12:00Z`.
fn minute(text: &str) -> Option<Timestamp> {
    Timestamp::parse(&text.replace('Z', ":00Z")).ok()
}
