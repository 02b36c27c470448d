//! `/api/v1/ledger`: whose energy each hour's was, what it cost and what it emitted.

pub mod co2_sources;
pub mod rows;
pub mod totals;

use planner::time::{Seconds, Span, Timestamp};

use crate::http::problem::Problem;
use crate::http::query;

/// What is told where nothing else is asked for: the day before now.
const DAY: Seconds = Seconds::new(86_400);

/// The span of the hours that are asked for.
pub(super) fn window(
    from: Option<&str>,
    to: Option<&str>,
    now: Timestamp,
) -> Result<Span, Problem> {
    let day_before = query::instant("to", to)?.unwrap_or(now) - DAY;
    query::span(from, Some(to.unwrap_or(&now.to_string())), day_before)
}
