//! A planning problem: every input of one decision, as one value.

use std::sync::Arc;

use crate::agenda::Agendas;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::quantity::Currency;
use crate::request::Request;
use crate::time::{Seconds, Span, Timestamp};

/// Where starts are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// On multiples of `slot` since the Unix epoch.
    Slots {
        /// The step, at least a second.
        slot: Seconds,
    },
    /// Anywhere, to the second.
    Exact,
}

/// Nodes that are taken during a span.
///
/// Entries of one `id` are alternatives of which one will be used (held offers): their nodes are
/// all taken, but at each instant only the one with the most power counts against the cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedSpan {
    /// Which reservation.
    pub id: Arc<str>,
    /// When.
    pub span: Span,
    /// Which nodes, by ordinal.
    pub nodes: NodeSet,
}

/// Every input of one decision. Can be saved, attached to a bug and replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanningProblem {
    /// The instant of the decision; nothing starts before it.
    pub now: Timestamp,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// Of every price.
    pub currency: Currency,
    /// The cluster.
    pub nodes: Arc<Nodes>,
    /// The grid.
    pub agendas: Agendas,
    /// The book.
    pub reservations: Vec<BookedSpan>,
    /// The wish.
    pub request: Request,
}
