//! What was consumed.

mod repository;
mod row;
pub mod sql;

use planner::quantity::Power;
use planner::time::Span;

/// Mean power over a span, after the fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// The span in which it was consumed.
    pub span: Span,
    /// The power.
    pub power: Power,
}
