//! ISO New England: a day of hours for those with an account, or empty text.

use axum::extract::{Extension, Path};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{ReplayedSource, bad_request};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "iso-ne",
    quantity: "price",
    settings: r#"provider = "iso-ne"
location = 4000
user = "any"
password = TOKEN
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/api/v1.1/hourlylmp/da/final/day/{day}/location/{location}", get(day))
}

const PUBLICATION: (i8, i8) = (13, 0);
const HOUR: Seconds = Seconds::new(3600);

async fn day(
    headers: HeaderMap,
    Path((day, location)): Path<(String, String)>,
    Extension(view): Extension<View>,
) -> Response {
    let account = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if !account.is_some_and(|account| account.starts_with("Basic ")) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (Ok(day), Some(location)) = (day.parse::<Date>(), location.strip_suffix(".json")) else {
        return bad_request("no day or location");
    };
    let eastern = Zone::named("America/New_York");
    if !view.day_is_out(&eastern, day, PUBLICATION) {
        return Json(json!({"HourlyLmps": ""})).into_response();
    }
    let location = view.area(Some(&location.to_owned()));
    let hour = |hour: Span| {
        json!({
            "BeginDate": eastern.shown(hour.start(), "%Y-%m-%dT%H:%M:%S.000%:z"),
            "Location": {"@LocId": location, "@LocType": "HUB", "$": ".H.INTERNAL_HUB"},
            "LmpTotal": number(view.price(hour)),
            "EnergyComponent": 31.28, "CongestionComponent": 0, "LossComponent": 0.22,
        })
    };
    let hours = eastern.day(day).map(|span| steps(span, HOUR)).unwrap_or_default();
    let hours: Vec<Value> = hours.into_iter().map(hour).collect();
    Json(json!({"HourlyLmps": {"HourlyLmp": hours}})).into_response()
}
