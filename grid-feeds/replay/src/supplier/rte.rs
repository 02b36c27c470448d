//! RTE: a token, and colours with an account or on the public page.

use axum::Json;
use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::civil::{Date, date};
use serde_json::{Map, Value, json};

use super::{Asked, bad_request, span};
use crate::view::{View, Zone};

const TOKEN: &str = "replayed";

/// The binding colour of a day is out from 10:30 of the day before.
const BINDING: (i8, i8) = (10, 30);

pub(super) async fn token(headers: HeaderMap) -> Response {
    if authorization(&headers).starts_with("Basic ") {
        Json(json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 7200}))
            .into_response()
    } else {
        let body = json!({"error": "invalid_client", "error_description": "no account"});
        (StatusCode::UNAUTHORIZED, Json(body)).into_response()
    }
}

pub(super) async fn calendars(
    headers: HeaderMap,
    Query(asked): Query<Asked>,
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

pub(super) async fn season(
    Query(asked): Query<Asked>,
    Extension(view): Extension<View>,
) -> Response {
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
