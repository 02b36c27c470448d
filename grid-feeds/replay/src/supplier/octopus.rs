//! Octopus: products, and rates in half-hours, the newest first, on pages.

use axum::extract::{Extension, Path, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

use super::{Parameters, ReplayedSource, bad_request, instant, span};
use crate::view::{View, Zone, number, steps};

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource {
        id: "octopus",
        quantity: "price",
        settings: r#"provider = "octopus"
product = "AGILE-24-10-01"
region = "C"
base_url = "BASE""#,
    },
    ReplayedSource {
        id: "octopus-family",
        quantity: "price",
        settings: r#"provider = "octopus"
product = "AGILE"
region = "C"
base_url = "BASE""#,
    },
];

pub(super) fn routes() -> Router {
    Router::new().route("/v1/products/", get(products)).route(
        "/v1/products/{product}/electricity-tariffs/{tariff}/standard-unit-rates/",
        get(rates),
    )
}

/// Codes, directions and brands, and when they are sold: two products follow each other, the others are not of
/// their family.
const PRODUCTS: [(&str, &str, &str, &str, Option<&str>); 6] = [
    ("AGILE-OUTGOING-19-05-13", "EXPORT", BRAND, "2019-05-13T00:00:00+01:00", None),
    ("AGILE-FLEX-22-11-25", "IMPORT", BRAND, "2022-11-25T00:00:00Z", Some("2023-12-06T00:00:00Z")),
    ("AGILE-24-10-01", "IMPORT", BRAND, "2024-10-01T00:00:00+01:00", Some(CHANGE)),
    ("VAR-22-11-01", "IMPORT", BRAND, "2022-11-01T00:00:00Z", None),
    ("AGILE-BB-26-01-01", "IMPORT", "ANOTHER", "2026-01-01T00:00:00Z", None),
    (NEW, "IMPORT", BRAND, CHANGE, None),
];

const BRAND: &str = "OCTOPUS_ENERGY";
const NEW: &str = "AGILE-26-03-10";
const CHANGE: &str = "2026-03-10T00:00:00Z";

/// Products on a page of a list, so that a test sees more than one.
const PRODUCTS_ON_PAGE: usize = 3;

async fn products(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let at = instant(&asked, "available_at").unwrap_or(view.now);
    let time = |text: &str| text.parse().map_or(0, jiff::Timestamp::as_second);
    let sold: Vec<Value> = PRODUCTS
        .iter()
        .filter(|(_, _, brand, _, _)| asked.get("brand").is_none_or(|asked| asked == brand))
        .filter(|(_, _, _, from, until)| {
            let is_over = until.is_some_and(|until| time(until) <= at.as_unix_seconds());
            time(from) <= at.as_unix_seconds() && !is_over
        })
        .map(|(code, direction, brand, from, until)| {
            json!({
                "code": code, "direction": direction, "brand": brand, "display_name": code,
                "available_from": from, "available_to": until, "is_variable": true, "links": [],
            })
        })
        .collect();
    let page = asked.get("page").and_then(|page| page.parse().ok()).unwrap_or(1_usize).max(1);
    let next = (page * PRODUCTS_ON_PAGE < sold.len()).then(|| format!("?page={}", page + 1));
    let results: Vec<&Value> =
        sold.iter().skip((page - 1) * PRODUCTS_ON_PAGE).take(PRODUCTS_ON_PAGE).collect();
    Json(json!({"count": sold.len(), "next": next, "previous": null, "results": results}))
        .into_response()
}

const HALF_HOUR: Seconds = Seconds::new(1800);

/// So that a test sees more than one.
const PAGE: usize = 40;

/// Tomorrow comes out at 16:00 in London and ends at 23:00 there.
const PUBLICATION: (i8, i8) = (16, 0);
const DAY_ENDS: i8 = 23;

async fn rates(
    Path((product, _)): Path<(String, String)>,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    let Some(span) = span(&asked, "period_from", "period_to") else {
        return bad_request("no period");
    };
    let london = Zone::named("Europe/London");
    let is_out = |span: &Span| {
        // The last hour of a day belongs to the next.
        let day = london.date(span.start() + Seconds::new((24 - i64::from(DAY_ENDS)) * 3600));
        view.day_is_out(&london, day, PUBLICATION)
    };
    // A product has no rates before it is sold; one that has ended long ago has none at all.
    let sold_from = Timestamp::parse(if product == NEW { CHANGE } else { "2020-01-01T00:00:00Z" });
    let is_sold = |span: &Span| {
        product != "AGILE-FLEX-22-11-25"
            && sold_from.as_ref().is_ok_and(|from| *from <= span.start())
    };
    let known: Vec<Span> =
        steps(span, HALF_HOUR).into_iter().filter(is_out).filter(is_sold).collect();
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
