//! EIA: rows of hours by fuel, newest first, on small pages.

use axum::extract::{Extension, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::decimal::format_millionths;
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "eia",
    quantity: "co2",
    settings: r#"provider = "eia"
respondent = "CISO"
api_key = TOKEN
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/v2/electricity/rto/fuel-type-data/data/", get(rows))
}

const HOUR: Seconds = Seconds::new(3600);

/// An hour is told so long after its end.
const DELAY: Seconds = Seconds::new(1800);

/// A page is shorter than what is asked for.
const PAGE: usize = 90;

/// All of the authority's generation, in millionths of a megawatt.
const GENERATION: i64 = 20_000_000_000;

/// Life-cycle g/kWh of gas and of nuclear power.
const GAS: i64 = 490;
const NUCLEAR: i64 = 12;

async fn rows(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let text = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    if text("api_key").is_empty() {
        let error =
            json!({"error": {"code": "API_KEY_MISSING", "message": "No api_key was supplied."}});
        return (StatusCode::FORBIDDEN, Json(error)).into_response();
    }
    let end = |name: &str| Timestamp::parse(&format!("{}:00:00Z", text(name))).ok();
    let span = end("start").zip(end("end"));
    let span = span.and_then(|(first, last)| Span::new(first - HOUR, last));
    let Some(span) = span.filter(|_| text("frequency") == "hourly") else {
        return bad_request("no hours");
    };
    let respondent = view.area(asked.get("facets[respondent][]"));
    let hours = steps(span, HOUR).into_iter().rev();
    let known = hours.filter(|hour| view.is_out(hour.end() + DELAY));
    let all: Vec<Value> = known.flat_map(|hour| hour_of(&view, &respondent, hour)).collect();
    let count = |name: &str| text(name).parse::<usize>().ok();
    let (offset, length) = (count("offset").unwrap_or(0), count("length").unwrap_or(PAGE));
    let total = all.len();
    let page: Vec<Value> = all.into_iter().skip(offset).take(length.min(PAGE)).collect();
    let warnings = (page.len() < total)
        .then(|| json!({"warning": "incomplete return", "description": "There are more rows."}));
    Json(json!({
        "response": {
            "warnings": Vec::from_iter(warnings), "total": total.to_string(),
            "dateFormat": "YYYY-MM-DD\"T\"HH24", "frequency": "hourly", "data": page,
        },
        "request": {"command": "/v2/electricity/rto/fuel-type-data/data/", "params": asked},
        "apiVersion": "2.1.8",
    }))
    .into_response()
}

/// Gas and nuclear power in the proportion that makes the intensity; a battery that charges, and
/// solar power stations that draw a little.
fn hour_of(view: &View, respondent: &str, hour: Span) -> Vec<Value> {
    let gas = view.co2(hour).and_then(|intensity| {
        let above = i128::from(intensity - NUCLEAR * 1_000_000);
        i64::try_from(above * i128::from(GENERATION) / i128::from((GAS - NUCLEAR) * 1_000_000)).ok()
    });
    let nuclear = gas.map(|gas| GENERATION - gas);
    let fuels =
        [("BAT", Some(-1_500_000_000)), ("NG", gas), ("NUC", nuclear), ("SUN", Some(-7_000_000))];
    let row = |(fuel, power): (&str, Option<i64>)| {
        json!({
            "period": hour.end().to_string().get(..13), "respondent": respondent,
            "respondent-name": "replayed", "fueltype": fuel, "type-name": fuel,
            "value": power.map(format_millionths), "value-units": "megawatthours",
        })
    };
    fuels.into_iter().map(row).collect()
}
