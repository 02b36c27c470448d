//! Nord Pool: a day of the portal or, with a token, of the data service; or 204.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, price_step, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "nord-pool",
        quantity: "price",
        settings: r#"provider = "nord-pool"
area = "SE3"
currency = "EUR"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "nord-pool-n2ex",
        quantity: "price",
        settings: r#"provider = "nord-pool"
market = "N2EX_DayAhead"
area = "UK"
currency = "GBP"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "nord-pool-account",
        quantity: "price",
        settings: r#"provider = "nord-pool"
area = "SE3"
currency = "EUR"
account = { user = "any", password = TOKEN, login_url = "BASE" }
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/api/DayAheadPrices", get(portal))
        .route("/connect/token", post(token))
        .route("/api/v2/Auction/Prices/ByAreas", get(service))
}

const TOKEN: &str = "replayed-market-data";

/// The prices of a day, as far as they are published.
struct DayOfPrices {
    date: Date,
    market: String,
    area: String,
    is_early: bool,
    prices: Vec<(Span, Option<i64>)>,
}

/// `None` without a date, and a day without prices before it is published.
fn day_of(asked: &Parameters, area: &str, view: &View) -> Option<DayOfPrices> {
    let date = asked.get("date").and_then(|date| date.parse().ok())?;
    let market = asked.get("market").cloned().unwrap_or_default();
    let is_british = market == "N2EX_DayAhead";
    let (zone, publication) = if is_british {
        (Zone::named("Europe/London"), (10, 0))
    } else {
        (Zone::named("Europe/Berlin"), (12, 55))
    };
    let step = if is_british { Seconds::new(3600) } else { price_step(date) };
    // The delivery day is that of Central Europe in Great Britain, too.
    let berlin = Zone::named("Europe/Berlin");
    let is_early = !is_british && view.day_is_provisional(&berlin, date);
    let is_out = is_early || view.day_is_out(&zone, date, publication);
    let spans = berlin.day(date).filter(|_| is_out).map(|span| steps(span, step));
    let price = |span| if is_early { view.provisional_price(span) } else { view.price(span) };
    let prices = spans.unwrap_or_default().into_iter().map(|span| (span, price(span))).collect();
    Some(DayOfPrices { date, market, area: view.area(asked.get(area)), is_early, prices })
}

async fn portal(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let Some(day) = day_of(&asked, "deliveryArea", &view) else { return bad_request("no date") };
    if day.prices.is_empty() {
        return StatusCode::NO_CONTENT.into_response();
    }
    let entry = |(span, price): &(Span, Option<i64>)| {
        json!({
            "deliveryStart": span.start().to_string(),
            "deliveryEnd": span.end().to_string(),
            "entryPerArea": {&day.area: number(*price)},
        })
    };
    let entries: Vec<Value> = day.prices.iter().map(entry).collect();
    Json(json!({
        "deliveryDateCET": day.date.to_string(), "version": 3, "market": day.market,
        "updatedAt": view.now.to_string().replace('Z', ".1234567Z"),
        "deliveryAreas": [day.area], "currency": asked.get("currency"),
        "multiAreaEntries": entries, "areaStates": [{
            "state": if day.is_early { "Preliminary" } else { "Final" }, "areas": [day.area],
        }],
    }))
    .into_response()
}

async fn token(headers: HeaderMap, Form(asked): Form<Parameters>) -> Response {
    let is = |name: &str, value: &str| asked.get(name).is_some_and(|told| told == value);
    let basic = authorization(&headers).starts_with("Basic ");
    if !basic || !is("grant_type", "password") || !is("scope", "marketdata_api") {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response();
    }
    Json(json!({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})).into_response()
}

async fn service(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if authorization(&headers) != format!("Bearer {TOKEN}") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(day) = day_of(&asked, "areas", &view) else { return bad_request("no date") };
    if day.prices.is_empty() {
        return Json(json!([])).into_response();
    }
    let price = |(span, price): &(Span, Option<i64>)| {
        json!({
            "price": number(*price), "deliveryStart": span.start().to_string(),
            "deliveryEnd": span.end().to_string(),
        })
    };
    let prices: Vec<Value> = day.prices.iter().map(price).collect();
    let currency = asked.get("currency").cloned().unwrap_or_default();
    Json(json!([{
        "market": day.market, "deliveryArea": day.area, "blockPrices": [],
        "status": if day.is_early { "Preliminary" } else { "Final" },
        "unit": format!("{currency}/MWh"), "currency": currency, "prices": prices,
        "deliveryDateCET": day.date.to_string(),
        "updatedAt": view.now.to_string().replace('Z', ".9550842Z"),
    }]))
    .into_response()
}

fn authorization(headers: &HeaderMap) -> &str {
    headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
