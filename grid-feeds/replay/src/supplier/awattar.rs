//! aWATTar: hours in milliseconds.

use axum::extract::{Extension, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "awattar",
    quantity: "price",
    settings: r#"provider = "awattar"
country = "germany"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/v1/marketdata", get(hours))
}

const HOUR: Seconds = Seconds::new(3600);
const PUBLICATION: (i8, i8) = (14, 0);

async fn hours(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let instant = |name: &str| {
        let milliseconds: i64 = asked.get(name)?.parse().ok()?;
        Some(Timestamp::from_unix_seconds(milliseconds / 1000))
    };
    let span = instant("start").zip(instant("end")).and_then(|(start, end)| Span::new(start, end));
    let Some(span) = span else { return bad_request("no start and end") };
    let berlin = Zone::named("Europe/Berlin");
    let data: Vec<Value> = steps(span, HOUR)
        .into_iter()
        .filter(|span| view.day_is_out(&berlin, berlin.date(span.start()), PUBLICATION))
        .filter_map(|span| {
            Some(json!({
                "start_timestamp": span.start().as_unix_seconds() * 1000,
                "end_timestamp": span.end().as_unix_seconds() * 1000,
                "marketprice": number(Some(view.price(span)?)),
                "unit": "Eur/MWh",
            }))
        })
        .collect();
    Json(json!({"object": "list", "data": data, "url": "/v1/marketdata"})).into_response()
}
