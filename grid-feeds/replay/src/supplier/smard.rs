//! SMARD: an index of weeks, and a file of each week of a series with `null` for what is not known.

use axum::extract::{Extension, Path};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::ReplayedSource;
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "smard",
        quantity: "price",
        settings: r#"provider = "smard"
zone = "DE-LU"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "smard-co2",
        quantity: "co2",
        settings: r#"provider = "smard"
zone = "DE"
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new().route("/app/chart_data/{series}/{region}/{file}", get(file))
}

const PUBLICATION: (i8, i8) = (13, 0);

/// Generation is told an hour after it was.
const DELAY: Seconds = Seconds::new(3600);

/// All of an hour's generation, in millionths of a megawatt-hour.
const GENERATION: i64 = 40_000_000_000;

/// Life-cycle g/kWh of gas and of wind.
const GAS: i64 = 490;
const WIND: i64 = 11;

const PRICES: &str = "4169";

/// Kinds of generation of which there is nothing.
const NOTHING: [&str; 8] = ["1223", "1225", "1226", "1227", "1228", "4066", "4068", "4069"];

async fn file(
    Path((series, region, file)): Path<(String, String, String)>,
    Extension(view): Extension<View>,
) -> Response {
    let berlin = Zone::named("Europe/Berlin");
    let answer = match file.strip_suffix(".json").and_then(|name| name.strip_prefix("index_")) {
        Some(_) => Some(index(&view, &berlin, &series)),
        None => week(&view, &berlin, &series, &region, &file),
    };
    answer.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |it| Json(it).into_response())
}

/// The weeks since the series begin that have a value by now.
fn index(view: &View, berlin: &Zone, series: &str) -> Value {
    let begin = view.truth.price.pieces().first().map_or(view.now, |piece| piece.span.start());
    let mut starts = Vec::new();
    let mut monday = monday(berlin.date(begin));
    while is_begun(view, berlin, series, monday) {
        starts.push(berlin.instant(monday, 0, 0).as_unix_seconds() * 1000);
        monday = monday.saturating_add(7.days());
    }
    json!({"timestamps": starts})
}

fn is_begun(view: &View, berlin: &Zone, series: &str, monday: Date) -> bool {
    if series == PRICES {
        view.day_is_out(berlin, monday, PUBLICATION)
    } else {
        view.is_out(berlin.instant(monday, 0, 0) + DELAY)
    }
}

/// The file `SERIES_REGION_RESOLUTION_MILLISECONDS.json`.
fn week(view: &View, berlin: &Zone, series: &str, region: &str, file: &str) -> Option<Value> {
    let name = file.strip_suffix(".json")?.strip_prefix(&format!("{series}_{region}_"))?;
    let (resolution, milliseconds) = name.split_once('_')?;
    let step = Seconds::new(if resolution == "hour" { 3600 } else { 900 });
    let start = Timestamp::from_unix_seconds(milliseconds.parse::<i64>().ok()?.div_euclid(1000));
    let monday = berlin.date(start);
    let week = Span::new(start, berlin.instant(monday.saturating_add(7.days()), 0, 0))?;
    let value = |span: &Span| match series {
        PRICES => {
            let day = berlin.date(span.start());
            let is_out = view.day_is_out(berlin, day, PUBLICATION);
            Some(number(is_out.then(|| view.price(*span)).flatten()))
        }
        _ => generated(view, series, *span),
    };
    if !is_begun(view, berlin, series, monday) {
        return None;
    }
    let points = steps(week, step)
        .into_iter()
        .map(|span| Some(json!([span.start().as_unix_seconds() * 1000, value(&span)?])));
    let points: Vec<Value> = points.collect::<Option<_>>()?;
    let created = view.now.as_unix_seconds() * 1000;
    Some(json!({"meta_data": {"version": 1, "created": created}, "series": points}))
}

/// Gas and wind in the proportion that makes the intensity, and nothing else; `None` for a series that
/// there is not.
fn generated(view: &View, series: &str, span: Span) -> Option<Value> {
    let known = view.is_out(span.end() + DELAY).then(|| view.co2(span)).flatten();
    let all = GENERATION * span.length().get() / 3600;
    let gas = |intensity: i64| {
        let above = i128::from(intensity - WIND * 1_000_000);
        let gas = above * i128::from(all) / i128::from((GAS - WIND) * 1_000_000);
        i64::try_from(gas).unwrap_or(all)
    };
    match series {
        "4071" => Some(number(known.map(gas))),
        "4067" => Some(number(known.map(|intensity| all - gas(intensity)))),
        _ => NOTHING.contains(&series).then(|| number(known.map(|_| 0))),
    }
}

fn monday(day: Date) -> Date {
    let mut day = day;
    while day.weekday() != Weekday::Monday {
        day = day.saturating_sub(1.day());
    }
    day
}
