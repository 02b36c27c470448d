//! Octopus: rates in half-hours, the newest first, on pages.

use axum::extract::{Extension, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request, span};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[ReplayedSource {
    id: "octopus",
    quantity: "price",
    settings: r#"provider = "octopus"
product = "AGILE"
region = "C"
base_url = "BASE""#,
}];

pub(super) fn routes() -> Router {
    Router::new().route(
        "/v1/products/{product}/electricity-tariffs/{tariff}/standard-unit-rates/",
        get(rates),
    )
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// So that a test sees more than one.
const PAGE: usize = 40;

/// Tomorrow comes out at 16:00 in London and ends at 23:00 there.
const PUBLICATION: (i8, i8) = (16, 0);
const DAY_ENDS: i8 = 23;

async fn rates(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let Some(span) = span(&asked, "period_from", "period_to") else {
        return bad_request("no period");
    };
    let london = Zone::named("Europe/London");
    let is_out = |span: &Span| {
        // The last hour of a day belongs to the next.
        let day = london.date(span.start() + Seconds::new((24 - i64::from(DAY_ENDS)) * 3600));
        view.day_is_out(&london, day, PUBLICATION)
    };
    let known: Vec<Span> = steps(span, HALF_HOUR).into_iter().filter(is_out).collect();
    let page = asked.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize).max(1);
    let from = (page - 1) * PAGE;
    let next = (from + PAGE < known.len()).then(|| format!("?page={}", page + 1));
    let results: Vec<Value> = known
        .iter()
        .rev()
        .skip(from)
        .take(PAGE)
        .map(|&span| {
            // A pound per MWh is a tenth of a penny per kWh.
            let pence = number(view.price(span).map(|price| price / 10));
            json!({
                "value_exc_vat": pence, "value_inc_vat": pence, "payment_method": null,
                "valid_from": span.start().to_string(), "valid_to": span.end().to_string(),
            })
        })
        .collect();
    Json(json!({"count": known.len(), "next": next, "previous": null, "results": results}))
        .into_response()
}
