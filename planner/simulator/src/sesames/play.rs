//! Plays one month's requests under one policy.
//!
//! A request costs what a plan costs: `O(candidate starts x bookings near its window)`.

use std::sync::Arc;

use planner::book::Book;
use planner::decision::Decision;
use planner::node::Nodes;
use planner::problem::{BookedSpan, CapScope, PlanningProblem};
use planner::quantity::Power;
use planner::request::Request;
use planner::search::{Cancelled, PlanningView, plan};
use planner::selection::Selection;

use super::outcome::{RequestOutcome, Scheduled, cause};
use super::{Month, Parameters};
use crate::policy::Policy;

/// A plan as it is made, before its reservation enters the book: what a checker judges.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// In which run, from 0.
    pub run: u32,
    /// Under which policy.
    pub policy: Policy,
    /// The cluster.
    pub nodes: &'a Arc<Nodes>,
    /// What was known.
    pub view: PlanningView<'a>,
    /// What was asked.
    pub request: &'a Request,
    /// What the planner answered.
    pub decision: &'a Decision,
}

impl Plan<'_> {
    /// The problem that was solved, to be saved, replayed or checked. `O(nodes booked)`.
    ///
    /// Its offers' ranks are over the selection of [`Plan::view`].
    pub fn problem(&self) -> PlanningProblem {
        let order = self.view.book.order();
        let booked = self.view.book.bookings().iter().map(|booking| BookedSpan {
            id: Arc::clone(&booking.id),
            span: booking.span,
            nodes: order.ordinals(&booking.ranks),
        });
        PlanningProblem {
            now: self.view.now,
            search: self.view.search,
            currency: self.view.currency,
            nodes: Arc::clone(self.nodes),
            agendas: self.view.agendas.clone(),
            cap_scope: CapScope::ReservedNodes,
            reservations: booked.collect(),
            outages: Vec::new(),
            request: self.request.clone(),
        }
    }
}

/// One policy's part of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Play<'a> {
    pub parameters: &'a Parameters,
    pub month: &'a Month,
    pub run: u32,
    pub policy: Policy,
    /// Of the policy's preference.
    pub selection: &'a Selection,
}

impl Play<'_> {
    /// Places the requests in their order, into a book of this policy's own. `on_plan` sees every
    /// plan.
    pub(super) fn outcomes(
        self,
        on_plan: &mut dyn FnMut(&Plan<'_>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RequestOutcome>, Cancelled> {
        let mut book = Book::new(Arc::clone(self.selection.order()));
        let numbered = (1_u32..).zip(&self.month.requests);
        numbered
            .map(|(number, request)| {
                let view = PlanningView {
                    now: self.parameters.start,
                    search: self.parameters.search(),
                    currency: self.month.currency,
                    selection: self.selection,
                    agendas: &self.month.agendas,
                    base_power: Power::ZERO,
                    book: &book,
                };
                let decision = plan(&view, request, cancelled)?;
                let (run, policy, nodes) = (self.run, self.policy, &self.month.nodes);
                on_plan(&Plan { run, policy, nodes, view, request, decision: &decision });
                Ok(self.place(number, request, &decision, &mut book))
            })
            .collect()
    }

    /// Reserves what the policy chooses.
    fn place(
        self,
        number: u32,
        request: &Request,
        decision: &Decision,
        book: &mut Book,
    ) -> RequestOutcome {
        let Some(offer) = self.policy.choose(decision) else {
            return RequestOutcome::Unsuccessful(cause(decision));
        };
        let id = Arc::from(format!("r{number}"));
        book.insert(id, offer.span, offer.ranks.clone());
        let start_lag = offer.span.start() - request.earliest_start;
        RequestOutcome::Scheduled(Scheduled::of(offer, start_lag))
    }
}
