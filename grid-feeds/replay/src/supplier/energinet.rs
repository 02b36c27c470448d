//! Energinet: pages of records without an offset, the newest first unless a column is named.

use axum::extract::{Extension, Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, price_step, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "energinet",
        quantity: "price",
        settings: r#"provider = "energinet"
area = "DK1"
currency = "EUR"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "energinet-co2",
        quantity: "co2",
        settings: r#"provider = "energinet"
area = "DK1"
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new().route("/dataset/{dataset}", get(records))
}

const PUBLICATION: (i8, i8) = (13, 0);
const FIVE_MINUTES: Seconds = Seconds::new(300);

/// How far the CO2 forecast reaches.
const HORIZON: Seconds = Seconds::new(9 * 3600);

/// Prices by the hour, which ended with them.
const HOURS: &str = "Elspotprices";

async fn records(
    Path(dataset): Path<String>,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let count = |name: &str| asked.get(name)?.parse::<usize>().ok();
    let (limit, offset) = (count("limit").unwrap_or(100), count("offset").unwrap_or(0));
    let Some((days, area)) = days(&asked).zip(area(&asked)) else {
        return bad_request("no start, end or filter");
    };
    let area = view.area(Some(&area));
    let mut records: Vec<Value> = match dataset.as_str() {
        HOURS | "DayAheadPrices" => prices(&view, &dataset, &days, &area),
        "CO2Emis" => {
            let known = |span: &Span| view.is_out(span.end() + FIVE_MINUTES);
            emissions(&view, &days, &area, known)
        }
        "CO2EmisProg" => emissions(&view, &days, &area, |span| span.start() < view.now + HORIZON),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    if !asked.contains_key("sort") {
        records.reverse();
    }
    let total = records.len();
    let page: Vec<Value> = records.into_iter().skip(offset).take(limit).collect();
    Json(json!({
        "total": total, "filters": asked.get("filter"), "limit": limit, "dataset": dataset,
        "records": page,
    }))
    .into_response()
}

fn prices(view: &View, dataset: &str, days: &[Date], area: &str) -> Vec<Value> {
    let copenhagen = copenhagen();
    let (time, price) =
        if dataset == HOURS { ("Hour", "SpotPrice") } else { ("Time", "DayAheadPrice") };
    let is_here = |day: &Date| (price_step(*day).get() == 3600) == (dataset == HOURS);
    let out = |day: &Date| view.day_is_out(&copenhagen, *day, PUBLICATION);
    let days = days.iter().copied().filter(|day| is_here(day) && out(day));
    let spans = days.filter_map(|day| Some(steps(copenhagen.day(day)?, price_step(day))));
    let record = |span: Span| {
        let euros = view.price(span);
        json!({
            format!("{time}UTC"): without_offset(span.start()),
            "PriceArea": area,
            format!("{price}DKK"): number(euros.map(|euros| euros * 746 / 100)),
            format!("{price}EUR"): number(euros),
        })
    };
    spans.flatten().map(record).collect()
}

fn emissions(
    view: &View,
    days: &[Date],
    area: &str,
    is_told: impl Fn(&Span) -> bool,
) -> Vec<Value> {
    let copenhagen = copenhagen();
    let spans = days.iter().filter_map(|&day| Some(steps(copenhagen.day(day)?, FIVE_MINUTES)));
    let record = |span: Span| {
        json!({
            "Minutes5UTC": without_offset(span.start()), "PriceArea": area,
            "CO2Emission": number(view.co2(span)),
        })
    };
    spans.flatten().filter(is_told).map(record).collect()
}

fn copenhagen() -> Zone {
    Zone::named("Europe/Copenhagen")
}

fn without_offset(instant: Timestamp) -> String {
    instant.to_string().replace('Z', "")
}

/// The local days from `start` to before `end`.
fn days(asked: &Parameters) -> Option<Vec<Date>> {
    let day = |name: &str| asked.get(name)?.parse::<Date>().ok();
    let (first, end) = (day("start")?, day("end")?);
    Some(first.series(jiff::ToSpan::days(1)).take_while(|day| *day < end).collect())
}

/// The area of a filter such as `{"PriceArea":["DK1"]}`.
fn area(asked: &Parameters) -> Option<String> {
    let filter: Value = serde_json::from_str(asked.get("filter")?).ok()?;
    Some(filter["PriceArea"][0].as_str()?.to_owned())
}
