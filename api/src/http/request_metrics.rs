//! Counts the requests that a router answers, by route, method and status, and how long each waited for its answer to begin;
//! each is a span of a trace besides.
//!
//! A route is told by its template and never by the path that was asked for: labels are bounded, and hold no secret.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::traces::{answered, request_span};

/// What has no route, and what is no usual method.
const OTHER: &str = "other";

/// Counts a request once its answer begins. Event streams are measured until their headers, as all are.
pub async fn count(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or(OTHER, MatchedPath::as_str).to_owned();
    let method = method_label(request.method());
    let began = Instant::now();
    let span = request_span(method, &route, request.headers());
    let response = next.run(request).instrument(span.clone()).await;
    answered(&span, response.status());
    let status = response.status().as_str().to_owned();
    metrics::histogram!(
        "wattbook_http_request_duration_seconds",
        "method" => method,
        "route" => route.clone(),
    )
    .record(began.elapsed());
    metrics::counter!(
        "wattbook_http_requests_total",
        "method" => method,
        "route" => route,
        "status" => status,
    )
    .increment(1);
    response
}

/// The method as a label: clients may send any word.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => OTHER,
    }
}
