//! A build that exports no traces.

use axum::http::HeaderMap;
use tracing::{Span, Subscriber};
use tracing_subscriber::Layer;

/// Traces that nobody exports.
pub struct Traces;

impl Traces {
    /// Nothing that is added to a log.
    pub fn open<S: Subscriber>() -> (Self, Option<Box<dyn Layer<S> + Send + Sync>>) {
        (Self, None)
    }

    /// Says, once there is a log, that a collector is named in vain.
    pub fn report(&self) {
        if super::are_wanted() {
            tracing::warn!(
                "the environment names a collector of traces, but this binary was built without the feature otel: \
                 none are sent"
            );
        }
    }

    /// There is nothing to send.
    pub fn close(self) {}

    /// There is no trace to go on with.
    pub(super) fn continue_trace(_: &Span, _: &HeaderMap) {}
}
