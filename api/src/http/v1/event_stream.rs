//! Answers that are streams of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;

use crate::http::problem::Problem;

/// A comment is sent when nothing else was for so long, so that proxies keep the stream.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// When clients come again after the stream broke off.
const RETRY: Duration = Duration::from_secs(2);

/// The answer that sends these events.
pub fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("still here");
    let mut response = Sse::new(events).keep_alive(heartbeat).into_response();
    // Some proxies would hold events back otherwise.
    response.headers_mut().insert("X-Accel-Buffering", HeaderValue::from_static("no"));
    response
}

/// An event without its data.
pub fn event(kind: &str, id: i64) -> Event {
    Event::default().event(kind).id(id.to_string()).retry(RETRY)
}

/// The id of the last event that the client saw; `None` without one and for an empty one, which
/// browsers send before the first event.
///
/// # Errors
/// A header that is not the id of an event.
pub fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get("Last-Event-ID") else { return Ok(None) };
    let text = value.to_str().unwrap_or("?").trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<i64>() {
        Ok(id) if id >= 0 => Ok(Some(id)),
        _ => Err(Problem::invalid_parameter("Last-Event-ID", "must be the id of an event")),
    }
}
