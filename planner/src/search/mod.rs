//! The search: Algorithm 1 of the paper (section V) behind one function.

use crate::agenda::Agendas;
use crate::book::Book;
use crate::decision::Decision;
use crate::order::{NodeOrder, Preference};
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::Currency;
use crate::request::Request;
use crate::time::Timestamp;

/// What is known when a request arrives.
#[derive(Clone, Copy, Debug)]
pub struct PlanningView<'a> {
    /// The instant of the decision; nothing starts before it.
    pub now: Timestamp,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// Of every price.
    pub currency: Currency,
    /// The nodes, in the order in which they are taken, for the request's utilisation.
    pub order: &'a NodeOrder,
    /// The grid.
    pub agendas: &'a Agendas,
    /// Who holds which nodes when, over the ranks of `order`.
    pub book: &'a Book,
}

/// The plan was abandoned because its caller asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("planning was cancelled")]
pub struct Cancelled;
