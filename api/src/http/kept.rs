//! Reads of what is kept in memory while the database is away, each marked with its age.
//!
//! Few routes have such answers: those whose whole answer is in the newest state that was read, and tells of no person but the
//! caller. Who may is decided by that state, too; where it refuses somebody, or they act for another, the answer is that the
//! database is away, since that may have changed. Nothing is booked or changed by such a state.

use std::sync::{Arc, OnceLock};

use axum::extract::{MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use planner::time::Timestamp;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::{OpenApi, RefOr};

use super::acting;
use crate::service::shared::{KeptState, StateCache};

/// The header that says until which instant everything committed is in an answer.
pub const HEADER: HeaderName = HeaderName::from_static("x-wattbook-as-of");

/// How the header is told.
const NAME: &str = "X-Wattbook-As-Of";

/// What the header tells.
const TOLD: &str = "While the database is away: the instant until which everything committed is in the answer, RFC 3339";

/// The reads, as the OpenAPI document has them.
const READS: [&str; 8] = [
    "/api/v1/agendas/{quantity}",
    "/api/v1/me",
    "/api/v1/nodes",
    "/api/v1/nodes/powers",
    "/api/v1/occupancy",
    "/api/v1/outages",
    "/api/v1/power-profile",
    "/api/v1/site",
];

/// As of when an answer is, where it is of what was kept; it goes with a request.
#[derive(Clone, Debug, Default)]
pub struct AnswerAge(Arc<OnceLock<Timestamp>>);

/// Marks answers that are of what was kept.
pub async fn mark(mut request: Request, next: Next) -> Response {
    let age = AnswerAge::default();
    request.extensions_mut().insert(age.clone());
    let mut response = next.run(request).await;
    let as_of = age.0.get().filter(|_| !response.status().is_server_error());
    if let Some(value) = as_of.and_then(|it| HeaderValue::from_str(&it.to_string()).ok()) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

/// The state that was read last, where a request may be answered by it.
pub fn kept_for(parts: &Parts, states: &StateCache) -> Option<KeptState> {
    let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
    let route = parts.extensions.get::<MatchedPath>()?;
    if !is_read || !READS.contains(&route.as_str()) || acting::named(&parts.headers).is_some() {
        return None;
    }
    states.kept()
}

/// Notes that a request is answered by what was kept.
pub fn note(parts: &Parts, kept: &KeptState) {
    if let (Some(age), Some(as_of)) = (parts.extensions.get::<AnswerAge>(), kept.as_of) {
        // Of several the first holds.
        let _ = age.0.set(as_of);
    }
}

/// Tells of the header with each of the reads.
pub fn describe(description: &mut OpenApi) {
    for path in READS {
        let read = description.paths.paths.get_mut(path).and_then(|it| it.get.as_mut());
        let answer = read.and_then(|it| it.responses.responses.get_mut("200"));
        if let Some(RefOr::T(answer)) = answer {
            let header = HeaderBuilder::from(Header::default()).description(Some(TOLD)).build();
            answer.headers.insert(NAME.to_owned(), RefOr::T(header));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_read_of_what_is_kept_is_described() {
        let document = serde_json::to_value(crate::http::v1::openapi()).unwrap();
        for path in READS {
            let answer = &document["paths"][path]["get"]["responses"]["200"];
            assert!(answer["headers"][NAME]["description"].is_string(), "{path}: {answer}");
        }
        assert_eq!(NAME.to_ascii_lowercase(), HEADER.as_str());
    }
}
