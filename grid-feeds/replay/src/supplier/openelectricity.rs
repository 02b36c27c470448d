//! Open Electricity: five minutes by the time at which they end, in the market's time.

use axum::extract::{Extension, Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, number, steps};

/// Settings of a source that asks here.
const SETTINGS: &str = r#"provider = "openelectricity"
region = "NSW1"
token = TOKEN
base_url = "BASE/openelectricity""#;

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource { id: "openelectricity", quantity: "price", settings: SETTINGS },
    ReplayedSource { id: "openelectricity-co2", quantity: "co2", settings: SETTINGS },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/openelectricity/v4/market/network/{network}", get(prices))
        .route("/openelectricity/v4/data/network/{network}", get(generation))
}

const STEP: Seconds = Seconds::new(300);

/// The market's time is ahead of UTC by so much.
const AHEAD_OF_UTC: Seconds = Seconds::new(10 * 3600);

/// So long a span may be asked for.
const LONGEST: Seconds = Seconds::new(8 * 86_400);

/// All of a region's generation, in millionths of a megawatt.
const GENERATION: i64 = 10_000_000_000;

/// Life-cycle g/kWh of gas and of wind power.
const GAS: i64 = 490;
const WIND: i64 = 11;

/// A technology, if that is asked for, and its values.
type Valued<'a> = (Option<&'a str>, &'a dyn Fn(Span) -> Option<i64>);

async fn prices(
    Path(network): Path<String>,
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let price = |span: Span| view.price(span);
    let results: [Valued<'_>; 1] = [(None, &price)];
    answer(&network, ("price", "$/MWh"), &headers, &asked, &view, &results)
}

/// Gas and wind power in the proportion that makes the intensity, and what does not count.
async fn generation(
    Path(network): Path<String>,
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let gas = |span: Span| {
        let above = i128::from(view.co2(span)? - WIND * 1_000_000);
        i64::try_from(above * i128::from(GENERATION) / i128::from((GAS - WIND) * 1_000_000)).ok()
    };
    let wind = |span: Span| gas(span).map(|gas| GENERATION - gas);
    let other = |_: Span| Some(400_000_000);
    let results: [Valued<'_>; 4] = [
        (Some("BATTERY_CHARGING"), &other),
        (Some("GAS_CCGT"), &gas),
        (Some("IMPORTS"), &other),
        (Some("WIND"), &wind),
    ];
    answer(&network, ("power", "MW"), &headers, &asked, &view, &results)
}

fn answer(
    network: &str,
    (metric, unit): (&str, &str),
    headers: &HeaderMap,
    asked: &Parameters,
    view: &View,
    results: &[Valued<'_>],
) -> Response {
    if !headers.contains_key(header::AUTHORIZATION) {
        return (StatusCode::UNAUTHORIZED, "Invalid API key").into_response();
    }
    let time = |name: &str| market_instant(asked.get(name)?);
    // Without an end all but the newest, which is still settling.
    let end = time("date_end").unwrap_or(view.now);
    let Some(bounds) = time("date_start").and_then(|start| Span::new(start, end)) else {
        return bad_request("no dates");
    };
    if bounds.length() >= LONGEST {
        return bad_request("Date range too large for 5m interval. Maximum range is 7 days.");
    }
    // Intervals that end at the first bound or later, before the second.
    let ends_there = |span: &Span| bounds.contains(span.end()) && view.is_out(span.end());
    let before = Span::new(bounds.start() - STEP, bounds.end()).unwrap_or(bounds);
    let spans: Vec<Span> = steps(before, STEP).into_iter().filter(ends_there).collect();
    if spans.is_empty() {
        let error = format!("No data available for network {network} in the specified time range");
        let body = json!({"version": "4.5.4", "response_status": "ERROR", "error": error, "success": false});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    }
    let region = view.area(asked.get("network_region"));
    let result = |(fueltech, value): &Valued<'_>| {
        let points: Vec<Value> = spans
            .iter()
            .map(|span| json!([market_time(span.end()), number(value(*span))]))
            .collect();
        json!({"columns": {"region": region, "fueltech": fueltech}, "data": points})
    };
    let results: Vec<Value> = results.iter().map(result).collect();
    Json(json!({
        "version": "4.5.4", "created_at": market_time(view.now), "success": true,
        "data": [{
            "network_code": network, "metric": metric, "unit": unit, "interval": "5m",
            "results": results, "network_timezone_offset": "+10:00",
        }],
    }))
    .into_response()
}

/// `2026-03-01T22:00:00` in the market's time.
fn market_instant(text: &str) -> Option<Timestamp> {
    Timestamp::parse(&format!("{text}+10:00")).ok()
}

fn market_time(instant: Timestamp) -> String {
    (instant + AHEAD_OF_UTC).to_string().replace('Z', "+10:00")
}
