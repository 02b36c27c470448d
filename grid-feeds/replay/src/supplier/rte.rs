//! RTE: a token, and colours with an account or on the public page.

use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::civil::{Date, date};
use serde_json::{Map, Value, json};

use super::{Parameters, ReplayedSource, bad_request, span};
use crate::view::{View, Zone};

/// A contract whose colours come by this access.
macro_rules! contract {
    ($access:literal) => {
        concat!(
            r#"provider = "contract"
time_zone = "Europe/Paris"
currency = "EUR"
day_starts_at = "06:00"
rules = [
    { colour = "blue", energy_per_mwh = "120" },
    { colour = "white", energy_per_mwh = "180" },
    { colour = "red", energy_per_mwh = "500" },
]
colours = { access = "#,
            $access,
            r#", base_url = "BASE/rte" }"#
        )
    };
}

pub(super) const SOURCES: &[ReplayedSource] = &[
    ReplayedSource { id: "contract", quantity: "price", settings: contract!(r#""public""#) },
    ReplayedSource {
        id: "contract-with-account",
        quantity: "price",
        settings: contract!(r#"{ account = { client_id = "any", client_secret = TOKEN } }"#),
    },
];

pub(super) fn routes() -> Router {
    Router::new()
        .route("/rte/token/oauth/", post(token))
        .route("/rte/open_api/tempo_like_supply_contract/v1/tempo_like_calendars", get(calendars))
        .route("/rte/cms/open_data/v1/tempo", get(season))
}

const TOKEN: &str = "replayed";

/// The binding colour of a day is out from 10:30 of the day before.
const BINDING: (i8, i8) = (10, 30);

async fn token(headers: HeaderMap) -> Response {
    if authorization(&headers).starts_with("Basic ") {
        Json(json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 7200}))
            .into_response()
    } else {
        let body = json!({"error": "invalid_client", "error_description": "no account"});
        (StatusCode::UNAUTHORIZED, Json(body)).into_response()
    }
}

async fn calendars(
    headers: HeaderMap,
    Query(asked): Query<Parameters>,
    Extension(view): Extension<View>,
) -> Response {
    if authorization(&headers) != format!("Bearer {TOKEN}") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(span) = span(&asked, "start_date", "end_date") else {
        return bad_request("both dates or none");
    };
    let paris = Zone::named("Europe/Paris");
    let mut values: Vec<Value> = Vec::new();
    for day in paris.days(span).into_iter().rev() {
        if let Some(word) = colour(&view, &paris, day) {
            values.push(json!({
                "start_date": paris.midnight(day),
                "end_date": paris.midnight(day.tomorrow().unwrap_or(day)),
                "value": word,
                "fallback": false,
            }));
        }
    }
    let (start, end) = (asked.get("start_date"), asked.get("end_date"));
    Json(json!({"tempo_like_calendars": {
        "start_date": start, "end_date": end, "values": values,
    }}))
    .into_response()
}

async fn season(Query(asked): Query<Parameters>, Extension(view): Extension<View>) -> Response {
    let first = asked.get("season").and_then(|season| season.split('-').next()?.parse().ok());
    let Some(year): Option<i16> = first else { return bad_request("no season") };
    let paris = Zone::named("Europe/Paris");
    let mut values = Map::new();
    for day in date(year, 9, 1).series(jiff::ToSpan::days(1)).take(366) {
        if day.year() == year || day.month() < 9 {
            let word = colour(&view, &paris, day).unwrap_or_default();
            values.insert(day.to_string(), word.into());
        }
    }
    Json(json!({"values": values})).into_response()
}

fn colour(view: &View, paris: &Zone, day: Date) -> Option<&'static str> {
    let colour = view.truth.colours.get(&day)?;
    view.day_is_out(paris, day, BINDING).then(|| colour.word())
}

fn authorization(headers: &HeaderMap) -> &str {
    headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
