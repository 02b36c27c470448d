//! Calls of the database as spans, for those who collect traces.

use tracing::{Span, trace_span};

/// The target of all spans that are parts of traces; others are not collected.
pub const TRACES: &str = "traces";

/// The span of a call, as long as it is kept. It is entered by nobody: a call has no spans below it.
pub(crate) fn span(name: &'static str) -> Span {
    trace_span!(target: TRACES, "database", otel.name = name, otel.kind = "client")
}
