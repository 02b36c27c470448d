//! PJM: rows of hours, the last first, on pages, for those with a key.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "pjm",
    quantity: "price",
    settings: r#"provider = "pjm"
pnode_id = 51288
key = TOKEN
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route("/api/v1/da_hrl_lmps", get(rows))
}

/// So that a test sees more than one.
const PAGE: usize = 40;

const PUBLICATION: (i8, i8) = (13, 30);
const HOUR: Seconds = Seconds::new(3600);

async fn rows(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if !headers.contains_key("Ocp-Apim-Subscription-Key") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let eastern = Zone::named("America/New_York");
    let Some(days) = days(&asked) else { return bad_request("no days") };
    let out = days.into_iter().filter(|&day| view.day_is_out(&eastern, day, PUBLICATION));
    let hours = out.filter_map(|day| Some(steps(eastern.day(day)?, HOUR))).flatten();
    let hours: Vec<Span> = hours.collect();
    let node: Value = match view.area(asked.get("pnode_id")).parse::<u64>() {
        Ok(node) => node.into(),
        Err(_) => "ELSEWHERE".into(),
    };
    let first = asked.get("startRow").and_then(|row| row.parse().ok()).unwrap_or(1_usize).max(1);
    let page = hours.iter().rev().skip(first - 1).take(PAGE);
    let items: Vec<Value> = page.map(|&hour| row(&view, &eastern, &node, hour)).collect();
    Json(json!({"links": [], "items": items, "totalRows": hours.len()})).into_response()
}

/// `2026-03-08 00:00 to 2026-03-09 23:00`.
fn days(asked: &Parameters) -> Option<Vec<Date>> {
    let (first, last) = asked.get("datetime_beginning_ept")?.split_once(" to ")?;
    let day = |text: &str| text.split(' ').next()?.parse::<Date>().ok();
    let (first, last) = (day(first)?, day(last)?);
    Some(first.series(jiff::ToSpan::days(1)).take_while(|day| *day <= last).collect())
}

fn row(view: &View, eastern: &Zone, node: &Value, hour: Span) -> Value {
    json!({
        "datetime_beginning_utc": hour.start().to_string().trim_end_matches('Z'),
        "datetime_beginning_ept": eastern.shown(hour.start(), "%Y-%m-%dT%H:%M:%S"),
        "pnode_id": node, "pnode_name": "WESTERN HUB", "voltage": null, "equipment": null,
        "type": "HUB", "zone": null, "system_energy_price_da": 23.49,
        "total_lmp_da": number(view.price(hour)),
        "congestion_price_da": -0.045_139, "marginal_loss_price_da": 0.187_335,
        "row_is_current": true, "version_nbr": 1,
    })
}
