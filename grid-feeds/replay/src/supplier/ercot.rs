//! ERCOT: a token, and rows of hours by their ends, on pages.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "ercot",
    quantity: "price",
    settings: r#"provider = "ercot"
settlement_point = "HB_NORTH"
user = "any"
password = TOKEN
key = TOKEN
base_url = "BASE"
token_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/ercotb2c.onmicrosoft.com/B2C_1_PUBAPI-ROPC-FLOW/oauth2/v2.0/token", post(token))
        .route("/api/public-reports/np4-190-cd/dam_stlmnt_pnt_prices", get(prices))
}

const TOKEN: &str = "replayed";

/// So that a test sees more than one.
const PAGE: usize = 40;

const PUBLICATION: (i8, i8) = (12, 30);
const HOUR: Seconds = Seconds::new(3600);

async fn token(form: String) -> Response {
    let is_account =
        ["grant_type=password", "username=", "password="].iter().all(|it| form.contains(it));
    if !is_account {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_request"})))
            .into_response();
    }
    Json(json!({
        "access_token": "of no use", "id_token": TOKEN, "token_type": "Bearer", "expires_in": "3600",
    }))
    .into_response()
}

async fn prices(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let has_key = headers.contains_key("Ocp-Apim-Subscription-Key");
    if !has_key || token != Some(format!("Bearer {TOKEN}").as_str()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let day = |name: &str| asked.get(name)?.parse::<Date>().ok();
    let (Some(first), Some(last)) = (day("deliveryDateFrom"), day("deliveryDateTo")) else {
        return bad_request("no days");
    };
    let texas = Zone::named("America/Chicago");
    let days = first.series(jiff::ToSpan::days(1)).take_while(|day| *day <= last);
    let out = days.filter(|&day| view.day_is_out(&texas, day, PUBLICATION));
    let hours = out.filter_map(|day| Some(steps(texas.day(day)?, HOUR))).flatten();
    let hours: Vec<Span> = hours.collect();
    let point = view.area(asked.get("settlementPoint"));
    let page = asked.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize).max(1);
    let rows = hours.iter().skip((page - 1) * PAGE).take(PAGE);
    let rows: Vec<Value> = rows.map(|&hour| row(&view, &texas, &point, hour)).collect();
    let fields =
        ["deliveryDate", "hourEnding", "settlementPoint", "settlementPointPrice", "DSTFlag"];
    Json(json!({
        "_meta": {
            "totalRecords": hours.len(), "pageSize": PAGE, "currentPage": page,
            "totalPages": hours.len().div_ceil(PAGE),
        },
        "fields": fields.map(|name| json!({"name": name})), "data": rows,
    }))
    .into_response()
}

fn row(view: &View, texas: &Zone, point: &str, hour: Span) -> Value {
    let clock = |hours_before: i64| {
        texas.shown(hour.start() - Seconds::new(hours_before * 3600), "%Y-%m-%d %H")
    };
    let shown = clock(0);
    let ending =
        shown.get(11..).and_then(|hour| hour.parse::<u8>().ok()).map_or(0, |hour| hour + 1);
    json!([
        shown.get(..10),
        format!("{ending:02}:00"),
        point,
        number(view.price(hour)),
        clock(1) == shown,
    ])
}
