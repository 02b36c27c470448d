//! Plays one month's requests under one policy.
//!
//! A request costs what a plan costs: `O(candidate starts x bookings near its window)`.

use std::sync::Arc;

use planner::book::{Book, Booking};
use planner::decision::Decision;
use planner::node::Nodes;
use planner::order::NodeOrder;
use planner::problem::{BookedSpan, PlanningProblem};
use planner::request::Request;
use planner::search::{Cancelled, PlanningView, plan};

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
    /// Its offers' ranks are over [`PlanningView::order`] of [`Plan::view`].
    pub fn problem(&self) -> PlanningProblem {
        let booked = |booking: &Booking| BookedSpan {
            id: Arc::clone(&booking.id),
            span: booking.span,
            nodes: self.view.order.ordinals(&booking.ranks),
        };
        PlanningProblem {
            now: self.view.now,
            search: self.view.search,
            currency: self.view.currency,
            nodes: Arc::clone(self.nodes),
            agendas: self.view.agendas.clone(),
            reservations: self.view.book.bookings().iter().map(booked).collect(),
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
    pub order: &'a NodeOrder,
}

impl Play<'_> {
    /// Places the requests in their order, into a book of this policy's own. `on_plan` sees every
    /// plan.
    pub(super) fn outcomes(
        self,
        on_plan: &mut dyn FnMut(&Plan<'_>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RequestOutcome>, Cancelled> {
        let mut book = Book::default();
        let numbered = (1_u32..).zip(&self.month.requests);
        numbered
            .map(|(number, request)| {
                let view = PlanningView {
                    now: self.parameters.start,
                    search: self.parameters.search(),
                    currency: self.month.currency,
                    order: self.order,
                    agendas: &self.month.agendas,
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
        book.insert(Booking { id, span: offer.span, ranks: offer.ranks.clone() });
        let start_lag = offer.span.start() - request.earliest_start;
        RequestOutcome::Scheduled(Scheduled::of(offer, start_lag))
    }
}
