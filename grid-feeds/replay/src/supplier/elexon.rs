//! Elexon: market indices of half-hours, newest first, and five minutes of generation in whole megawatts.

use axum::extract::{Extension, Path, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request, span};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "elexon",
        quantity: "price",
        settings: r#"provider = "elexon"
base_url = "BASE/elexon""#,
    },
    ReplayedSource {
        id: "elexon-co2",
        quantity: "co2",
        settings: r#"provider = "elexon"
base_url = "BASE/elexon""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/elexon/balancing/pricing/market-index", get(market_index))
        .route("/elexon/datasets/{dataset}/stream", get(generation))
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// The market index refuses longer spans.
const LONGEST: Seconds = Seconds::new(7 * 86_400);

/// All generation in megawatts.
const GENERATION: i64 = 30_000;

/// Life-cycle g/kWh of gas and of nuclear power.
const GAS: i64 = 490;
const NUCLEAR: i64 = 12;

/// Both ends count.
async fn market_index(
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let Some(span) = span(&asked, "from", "to") else { return bad_request("no span") };
    if span.length() > LONGEST {
        let message = "The date range between From and To inclusive must not exceed 7 days";
        return bad_request(message);
    }
    let london = Zone::named("Europe/London");
    let index = view.area(asked.get("dataProviders"));
    let half_hours = steps(span, HALF_HOUR).into_iter().rev();
    let out = half_hours.filter(|half_hour| view.is_out(half_hour.end()));
    let rows: Vec<Value> =
        out.map(|half_hour| index_row(&view, &london, &index, half_hour)).collect();
    Json(json!({"metadata": {"datasets": ["MID"]}, "data": rows})).into_response()
}

fn index_row(view: &View, london: &Zone, index: &str, half_hour: Span) -> Value {
    let date = london.date(half_hour.start());
    let passed = half_hour.start() - london.instant(date, 0, 0);
    json!({
        "startTime": half_hour.start().to_string(), "dataProvider": index,
        "settlementDate": date.to_string(), "settlementPeriod": passed.get() / 1800 + 1,
        "price": number(view.price(half_hour)), "volume": 1000.5,
    })
}

/// What was published in the span, and flows over an interconnector.
async fn generation(
    Path(dataset): Path<String>,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let Some(span) = span(&asked, "publishDateTimeFrom", "publishDateTimeTo") else {
        return bad_request("no span");
    };
    let step = Seconds::new(if dataset == "FUELHH" { 1800 } else { 300 });
    let dataset = view.area(Some(&dataset));
    let out = steps(span, step).into_iter().filter(|step| view.is_out(step.end()));
    let rows: Vec<Value> = out.flat_map(|step| fuels(&view, &dataset, step)).collect();
    Json(rows).into_response()
}

/// Gas and nuclear power in the proportion that makes the intensity, and what does not count.
fn fuels(view: &View, dataset: &str, step: Span) -> Vec<Value> {
    let gas = view.co2(step).map(|co2| {
        let above = co2 - NUCLEAR * 1_000_000;
        (above * GENERATION + (GAS - NUCLEAR) * 500_000).div_euclid((GAS - NUCLEAR) * 1_000_000)
    });
    let powers = [
        ("CCGT", gas),
        ("INTFR", Some(1500)),
        ("NUCLEAR", gas.map(|gas| GENERATION - gas)),
        ("PS", Some(-700)),
    ];
    let row = |(fuel, power): (&str, Option<i64>)| {
        json!({
            "dataset": dataset, "publishTime": step.end().to_string(),
            "startTime": step.start().to_string(), "fuelType": fuel, "generation": power,
        })
    };
    powers.map(row).to_vec()
}
