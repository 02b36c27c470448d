//! Prometheus, and what speaks its HTTP API: Thanos, Mimir, VictoriaMetrics.
//!
//! A query that only selects series is asked for the samples that were scraped, with their own instants, so that
//! gaps are seen as gaps. Any other is evaluated at every period (`query_range`). Prometheus looks back for 5 minutes
//! then, which hides that nothing was scraped. Newer ones let us say that it be a period and a half; for older ones a
//! query says it itself: `last_over_time(NAME[$window])`, as presets do.

mod client;
mod preset;
mod selector;
mod wire;

pub use client::{Prometheus, PrometheusSettings};
pub use preset::{PRESETS, Preset};
