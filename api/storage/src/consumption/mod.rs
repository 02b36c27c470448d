//! What was consumed.

mod repository;
mod row;
pub mod sql;

use planner::quantity::Power;
use planner::time::Span;

/// Mean power over a span, after the fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// When.
    pub span: Span,
    /// How much.
    pub power: Power,
}
