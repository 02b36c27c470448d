//! Energy-Charts: parallel arrays over local days.

use axum::extract::{Extension, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, price_step, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "energy-charts",
        quantity: "price",
        settings: r#"provider = "energy-charts"
zone = "FR"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "energy-charts-co2",
        quantity: "co2",
        settings: r#"provider = "energy-charts"
zone = "fr"
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new().route("/price", get(prices)).route("/co2eq", get(co2_equivalents))
}

const PUBLICATION: (i8, i8) = (13, 0);
const QUARTER: Seconds = Seconds::new(900);

/// How far the CO2 forecast reaches.
const HORIZON: Seconds = Seconds::new(86_400);

async fn prices(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let berlin = Zone::named("Europe/Berlin");
    let Some(days) = days(&asked) else { return bad_request("no days") };
    let out = days.into_iter().filter(|&day| view.day_is_out(&berlin, day, PUBLICATION));
    let spans: Vec<Span> =
        out.filter_map(|day| Some(steps(berlin.day(day)?, price_step(day)))).flatten().collect();
    if spans.is_empty() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let values: Vec<Value> = spans.iter().map(|&span| number(view.price(span))).collect();
    Json(json!({
        "license_info": "replayed", "unix_seconds": seconds(&spans), "price": values,
        "unit": "EUR / MWh", "deprecated": false,
    }))
    .into_response()
}

async fn co2_equivalents(
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let berlin = Zone::named("Europe/Berlin");
    let Some(days) = days(&asked) else { return bad_request("no days") };
    let spans = days.into_iter().filter_map(|day| Some(steps(berlin.day(day)?, QUARTER)));
    let spans: Vec<Span> =
        spans.flatten().filter(|span| span.start() < view.now + HORIZON).collect();
    let measured = |span: &Span| {
        if view.is_out(span.end()) { number(view.co2(*span)) } else { Value::Null }
    };
    Json(json!({
        "unix_seconds": seconds(&spans),
        "co2eq": spans.iter().map(measured).collect::<Vec<_>>(),
        "co2eq_forecast": spans.iter().map(|&span| number(view.co2(span))).collect::<Vec<_>>(),
        "deprecated": false,
    }))
    .into_response()
}

fn days(asked: &Parameters) -> Option<Vec<Date>> {
    let day = |name: &str| asked.get(name)?.parse::<Date>().ok();
    let (first, last) = (day("start")?, day("end")?);
    Some(first.series(jiff::ToSpan::days(1)).take_while(|day| *day <= last).collect())
}

fn seconds(spans: &[Span]) -> Vec<i64> {
    spans.iter().map(|span| span.start().as_unix_seconds()).collect()
}
