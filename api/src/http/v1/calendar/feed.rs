//! `GET /api/v1/calendar/{file}`

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;
use crate::service::calendar::{CalendarError, CalendarService};
use crate::service::shared::digest;

/// Characters of a secret.
const SECRET_LENGTH: usize = 64;

/// What somebody has booked, for calendar programs
///
/// For everybody who knows the secret address; no token is needed. iCalendar (RFC 5545) with an event for each
/// reservation.
#[utoipa::path(
    get,
    path = "/api/v1/calendar/{file}",
    tag = "people",
    security(()),
    params(
        ("file" = String, Path, description = "The secret and `.ics`"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of the feed as it was read before"),
    ),
    responses(
        (status = OK, body = String, content_type = "text/calendar", headers(("ETag" = String)), description = "The feed"),
        (status = NOT_MODIFIED, description = "The feed is as it was"),
        (status = NOT_FOUND, body = Problem, description = "Nobody has this address, or its user is blocked or has no valid token"),
    ),
)]
pub async fn get_calendar_feed(
    State(service): State<Arc<CalendarService>>,
    file: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // What cannot be read is nobody's secret either.
    let Path(file) = file.map_err(|_| CalendarError::NoSuchFeed)?;
    let secret = file.strip_suffix(".ics").filter(|secret| secret.len() == SECRET_LENGTH);
    let secret = secret.ok_or(CalendarError::NoSuchFeed)?;
    let text = service.feed(secret).await?;
    let tag = format!("\"{}\"", &digest(&text)[..32]);
    let is_known = is_known(&headers, &tag);
    let mut response =
        if is_known { StatusCode::NOT_MODIFIED.into_response() } else { text.into_response() };
    let answer = response.headers_mut();
    if !is_known {
        let kind = HeaderValue::from_static("text/calendar; charset=utf-8");
        answer.insert(header::CONTENT_TYPE, kind);
    }
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Whether the client has what a tag stands for (RFC 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get_all(header::IF_NONE_MATCH).iter();
    let lists = given.filter_map(|value| value.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|given| given == "*" || given.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_alone_weak_in_a_list_and_by_the_star() {
        for (given, known) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
        ] {
            let value = HeaderValue::from_static(given);
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, value)]);
            assert_eq!(is_known(&headers, "\"a\""), known, "{given}");
        }
        assert!(!is_known(&HeaderMap::new(), "\"a\""));
    }
}
