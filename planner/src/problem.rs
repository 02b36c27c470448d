//! A planning problem: every input of one decision, as one value.

use std::sync::Arc;

use crate::agenda::Agendas;
use crate::book::{Book, BookedSpan, Outage};
use crate::cap_scope::CapScope;
use crate::idle_energy::IdleEnergy;
use crate::node::Nodes;
use crate::order::{NodeOrder, Preference};
use crate::quantity::Currency;
use crate::request::Request;
use crate::selection::Selection;
use crate::slower_selection::SlowerSelection;
use crate::time::{Seconds, Timestamp};

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
    /// What offers count of idle energy; `None` where they count none.
    pub idle_energy: Option<IdleEnergy>,
    /// What is asked for.
    pub request: Request,
}

impl PlanningProblem {
    /// The nodes the request may take; the book counts in the draw order of all nodes.
    pub fn selection(&self) -> Selection {
        let Self { nodes, cap_scope, request, .. } = self;
        let utilisation = request.utilisation_or_full();
        let preference = Preference::LeastDraw;
        let all = Arc::new(NodeOrder::of(nodes, preference, utilisation, *cap_scope, |_| true));
        Selection::labelled(&all, &request.filter, nodes).excluding(&request.filter, nodes)
    }

    /// The nodes the request may take in slower states, where it allows any; the book counts as for `selection`.
    pub fn slower_selections(&self, selection: &Selection) -> Vec<SlowerSelection> {
        SlowerSelection::allowed(&self.nodes, &self.request, self.cap_scope, selection.base())
    }

    /// The book for a selection of the problem's.
    pub fn book(&self, selection: &Selection) -> Book {
        Book::of(&self.reservations, &self.outages, Arc::clone(selection.base()))
    }
}
