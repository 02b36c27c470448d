//! Terna: a token for five minutes, and quarter-hours of Italy by kind of generation.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use jiff::ToSpan;
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "terna",
    quantity: "co2",
    settings: r#"provider = "terna"
client_id = "any"
client_secret = TOKEN
pause_s = 0
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/public-api/access-token", post(token))
        .route("/generation/v2.0/actual-generation", get(rows))
}

const TOKEN: &str = "replayed";

const QUARTER_HOUR: Seconds = Seconds::new(900);

/// A quarter-hour is told so long after its end; by the real service days later.
const DELAY: Seconds = Seconds::new(1800);

/// All that counts of Italy's generation, in millionths of a megawatt.
const GENERATION: i64 = 30_000_000_000;

/// What producers consume themselves, in millionths of a megawatt.
const CONSUMED: i64 = 3_125_000_000;

/// Life-cycle g/kWh of gas and of wind power.
const GAS: i64 = 490;
const WIND: i64 = 11;

async fn token(Form(asked): Form<Parameters>) -> Response {
    let has = |name: &str| asked.get(name).is_some_and(|told| !told.is_empty());
    let is_grant = asked.get("grant_type").is_some_and(|told| told == "client_credentials");
    if !is_grant || !has("client_id") || !has("client_secret") {
        let error = json!({"error": "invalid_client"});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    Json(json!({"access_token": TOKEN, "token_type": "bearer", "expires_in": 300})).into_response()
}

async fn rows(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if authorization(&headers) != format!("Bearer {TOKEN}") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let text = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let (from, to) = (text("dateFrom"), text("dateTo"));
    let day = |text: &str| Date::strptime("%d/%m/%Y", text).ok();
    let Some((first, last)) = day(from).zip(day(to)) else { return bad_request("no days") };
    let rome = Zone::named("Europe/Rome");
    let last = last.min(rome.date(view.now));
    let mut rows: Vec<Value> = Vec::new();
    for day in first.series(1.day()).take_while(|day| *day <= last) {
        for quarter in rome.day(day).into_iter().flat_map(|day| steps(day, QUARTER_HOUR)) {
            if view.is_out(quarter.end() + DELAY) {
                rows.extend(rows_of(&view, &rome, quarter));
            }
        }
    }
    let message =
        format!("Operation completed for the following input. Date from: {from}, date to: {to}");
    let result = json!({"message": message, "status": "Completed"});
    Json(json!({"result": result, "actual_generation": rows})).into_response()
}

/// Thermal and wind power in the proportion that makes the intensity, and what does not count.
fn rows_of(view: &View, rome: &Zone, quarter: Span) -> Vec<Value> {
    let thermal = view.co2(quarter).and_then(|intensity| {
        let above = i128::from(intensity - WIND * 1_000_000);
        i64::try_from(above * i128::from(GENERATION) / i128::from((GAS - WIND) * 1_000_000)).ok()
    });
    let kinds = [
        ("Geothermal", Some(0)),
        ("Hydro", Some(0)),
        ("Photovoltaic", Some(0)),
        ("Self-consumption", Some(CONSUMED)),
        ("Thermal", thermal),
        ("Wind", thermal.map(|thermal| GENERATION - thermal)),
    ];
    let zone = view.area(Some(&"Europe/Rome".to_owned()));
    let row = |(kind, power): (&str, Option<i64>)| {
        json!({
            "date": rome.shown(quarter.start(), "%Y-%m-%d %H:%M:%S"), "date_tz": zone,
            "date_offset": rome.shown(quarter.start(), "%:z"),
            "actual_generation_GWh": power.map(gigawatts), "primary_source": kind,
        })
    };
    kinds.into_iter().map(row).collect()
}

/// Millionths of a megawatt as gigawatts, all nine decimals.
fn gigawatts(power: i64) -> String {
    let sign = if power < 0 { "-" } else { "" };
    let power = power.unsigned_abs();
    format!("{sign}{}.{:09}", power / 1_000_000_000, power % 1_000_000_000)
}

fn authorization(headers: &HeaderMap) -> &str {
    headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
