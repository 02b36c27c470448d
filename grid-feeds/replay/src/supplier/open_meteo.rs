//! Open-Meteo: the weather as columns, the newest forecast and those of the days before. It tells no agenda, so no source of
//! agendas asks it: `[[inputs]]` do.

use axum::extract::{Extension, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Map, Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::fault::Fault;
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[];

pub(super) fn routes() -> Router {
    Router::new().route("/v1/forecast", get(weather))
}

const HOUR: Seconds = Seconds::new(3600);

/// A column says a tenth of the intensity of CO2, and so many units more as it was forecast days before.
const UNIT: i64 = 1_000_000;

async fn weather(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let Some((span, names)) = span(&asked).zip(asked.get("hourly")) else {
        return bad_request("no start_date, end_date or hourly");
    };
    let degrees = |name: &str| asked.get(name)?.parse::<f64>().ok();
    let Some((latitude, longitude)) = degrees("latitude").zip(degrees("longitude")) else {
        return bad_request("no latitude or longitude");
    };
    let away = if view.has(Fault::OtherArea) { 10.0 } else { 0.04 };
    let hours = steps(span, HOUR);
    let times: Vec<i64> = hours.iter().map(|hour| hour.start().as_unix_seconds()).collect();
    let (mut columns, mut units) = (Map::new(), Map::new());
    columns.insert("time".to_owned(), json!(times));
    units.insert("time".to_owned(), json!("unixtime"));
    for name in names.split(',') {
        let values: Vec<Value> = hours.iter().map(|&hour| value(&view, name, hour)).collect();
        columns.insert(name.to_owned(), json!(values));
        units.insert(name.to_owned(), json!(unit(name)));
    }
    Json(json!({
        "latitude": latitude + away, "longitude": longitude - 0.04, "generationtime_ms": 0.5,
        "utc_offset_seconds": 0, "timezone": "GMT", "timezone_abbreviation": "GMT", "elevation": 38.0,
        "hourly_units": units, "hourly": columns,
    }))
    .into_response()
}

/// Of a mean the hour before counts, of a moment the hour that it begins.
fn value(view: &View, name: &str, hour: Span) -> Value {
    let before = name.rsplit_once("_previous_day").and_then(|(_, days)| days.parse::<i64>().ok());
    let start = if name.starts_with("shortwave") { hour.start() - HOUR } else { hour.start() };
    let value = Span::starting(start, HOUR).and_then(|hour| view.co2(hour));
    number(value.map(|value| value / 10 + before.unwrap_or(0) * UNIT))
}

fn unit(name: &str) -> &'static str {
    match name.split('_').next() {
        Some("temperature") => "°C",
        Some("wind") => "m/s",
        _ => "W/m²",
    }
}

/// From the first day to the end of the last.
fn span(asked: &Parameters) -> Option<Span> {
    let day = |name: &str| asked.get(name)?.parse::<Date>().ok();
    let utc = Zone::named("UTC");
    let start: Timestamp = utc.day(day("start_date")?)?.start();
    Span::new(start, utc.day(day("end_date")?)?.end())
}
