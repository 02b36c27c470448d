//! Nord Pool: a day, or 204.

use axum::extract::{Extension, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::Span;
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, price_step, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "nord-pool",
    quantity: "price",
    settings: r#"provider = "nord-pool"
area = "SE3"
currency = "EUR"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/api/DayAheadPrices", get(day))
}

const PUBLICATION: (i8, i8) = (12, 55);

async fn day(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let berlin = Zone::named("Europe/Berlin");
    let day = asked.get("date").and_then(|date| date.parse().ok());
    let (Some(day), area) = (day, view.area(asked.get("deliveryArea"))) else {
        return bad_request("no date");
    };
    let early = view.day_is_provisional(&berlin, day);
    if !early && !view.day_is_out(&berlin, day, PUBLICATION) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let entry = |span: &Span| {
        json!({
            "deliveryStart": span.start().to_string(),
            "deliveryEnd": span.end().to_string(),
            "entryPerArea": {&area: number(
                if early { view.provisional_price(*span) } else { view.price(*span) }
            )},
        })
    };
    let spans = berlin.day(day).map(|span| steps(span, price_step(day))).unwrap_or_default();
    let entries: Vec<Value> = spans.iter().map(entry).collect();
    Json(json!({
        "deliveryDateCET": day.to_string(), "version": 3, "market": "DayAhead",
        "updatedAt": view.now.to_string().replace('Z', ".1234567Z"),
        "deliveryAreas": [area], "currency": asked.get("currency"),
        "multiAreaEntries": entries, "areaStates": [{
            "state": if early { "Preliminary" } else { "Final" }, "areas": [area],
        }],
    }))
    .into_response()
}
