//! A planning problem: every input of one decision, as one value.

use std::sync::Arc;

use crate::agenda::Agendas;
use crate::book::Book;
use crate::node::Nodes;
use crate::node_set::NodeSet;
use crate::order::{NodeOrder, Preference};
use crate::quantity::{Currency, Power};
use crate::request::Request;
use crate::selection::Selection;
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
    /// The reservation's id.
    pub id: Arc<str>,
    /// The time for which the nodes are taken.
    pub span: Span,
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
}

/// Nodes that cannot be taken during a span, though nobody reserved them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The time for which the nodes are out of service; an outage without an end lasts to the end of time.
    pub span: Span,
    /// The nodes, by ordinal.
    pub nodes: NodeSet,
}

/// The nodes whose power the cap limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CapScope {
    /// The reserved nodes' maximum power (paper, constraint C3).
    #[default]
    ReservedNodes,
    /// The whole cluster: the reserved nodes' maximum power and all others' idle power.
    AllNodes,
}

/// Every input of one decision. Can be saved, attached to a bug and replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanningProblem {
    /// The instant of the decision; nothing starts before it.
    pub now: Timestamp,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// The currency of all prices.
    pub currency: Currency,
    /// The nodes of the cluster.
    pub nodes: Arc<Nodes>,
    /// Price, CO2 intensity and power cap over time.
    pub agendas: Agendas,
    /// What the power cap limits.
    pub cap_scope: CapScope,
    /// The reservations that hold nodes.
    pub reservations: Vec<BookedSpan>,
    /// The nodes that are down or in maintenance.
    pub outages: Vec<Outage>,
    /// What is asked for.
    pub request: Request,
}

impl PlanningProblem {
    /// The nodes the request may take; the book counts in the draw order of all nodes.
    pub fn selection(&self) -> Selection {
        let Self { nodes, cap_scope, request, .. } = self;
        let utilisation = request.utilisation_or_full();
        let order = |admits: &dyn Fn(u32) -> bool| {
            NodeOrder::of(nodes, Preference::LeastDraw, utilisation, *cap_scope, admits)
        };
        let all = Arc::new(order(&|_| true));
        let excluded = all.ranks(&request.filter.excluded(nodes));
        let selection = if request.filter.has_no_labels() {
            Selection::all(all)
        } else {
            let admits = request.filter.admits(nodes);
            Selection::new(nodes, &all, *cap_scope, utilisation, admits)
        };
        selection.without(excluded)
    }

    /// The book for a selection of the problem's.
    pub fn book(&self, selection: &Selection) -> Book {
        Book::of(&self.reservations, &self.outages, Arc::clone(selection.base()))
    }
}

impl CapScope {
    /// The scope of that word in documents and settings.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::ReservedNodes, Self::AllNodes].into_iter().find(|scope| scope.word() == word)
    }

    /// What counts against the cap whatever is reserved: the idle power of all nodes, where idle
    /// nodes count.
    pub fn base_power(self, nodes: &Nodes) -> Power {
        match self {
            Self::ReservedNodes => Power::ZERO,
            Self::AllNodes => nodes.idle_power(),
        }
    }

    /// The word used in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReservedNodes => "reserved_nodes",
            Self::AllNodes => "all_nodes",
        }
    }
}
