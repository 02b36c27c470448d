//! Traces: spans of requests, of plans and of calls of the database, for a collector that takes OTLP.
//!
//! Spans are there in every build and cost nothing where nobody collects them. What exports them is the feature `otel`; it does so
//! where the environment names a collector, as OpenTelemetry has it (`OTEL_EXPORTER_OTLP_ENDPOINT` and others). No span
//! has a path, a query, a header or a body: they hold secrets.

#[cfg(feature = "otel")]
mod export;
#[cfg(not(feature = "otel"))]
mod left_out;

use axum::http::{HeaderMap, StatusCode};
use storage::TRACES;
use tracing::field::Empty;
use tracing::{Span, trace_span};

#[cfg(feature = "otel")]
pub use export::Traces;
#[cfg(not(feature = "otel"))]
pub use left_out::Traces;

/// What names a collector, for traces alone or for all that is told.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Whether the environment names a collector for traces, and nothing in it says that none are wanted.
fn are_wanted() -> bool {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    let is_set = |name: &str| std::env::var(name).is_ok_and(|it| !it.is_empty());
    ENDPOINTS.into_iter().any(is_set)
        && !is("OTEL_SDK_DISABLED", "true")
        && !is("OTEL_TRACES_EXPORTER", "none")
}

/// The span of a request, a part of the caller's trace where the caller names one.
pub fn request_span(method: &'static str, route: &str, headers: &HeaderMap) -> Span {
    let span = trace_span!(
        target: TRACES,
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    );
    if !span.is_disabled() {
        Traces::continue_trace(&span, headers);
    }
    span
}

/// Says how a request was answered.
pub fn answered(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
