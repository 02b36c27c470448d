//! The next start at which what an offer takes keeps the budgets.

use planner::agenda::{Agenda, Agendas};
use planner::problem::SearchMode;
use planner::quantity::{Currency, Energy};
use planner::quota::{BudgetStart, QuotaJudge, StartAmounts};
use planner::time::{Seconds, Span, Timestamp};

use super::{BookingRequest, NextStart};

/// An offer that a budget refuses, of which the next start is looked for.
pub(super) struct NextInBudgets<'a> {
    pub(super) request: &'a BookingRequest,
    /// What it takes, whenever it starts: the same nodes, evenly.
    pub(super) energy: Energy,
    /// Its time.
    pub(super) span: Span,
    pub(super) agendas: &'a Agendas,
}

/// The width of the slots on which a request may start; `None` for every second.
pub(super) const fn slot_of(request: &BookingRequest) -> Option<Seconds> {
    match request.search {
        SearchMode::Slots { slot } => Some(slot),
        SearchMode::Exact => None,
    }
}

impl NextInBudgets<'_> {
    /// The first start of a window that keeps the quotas and the budgets. What it costs and emits goes by the agendas.
    pub(super) fn start(&self, judge: &QuotaJudge, window: (Timestamp, Timestamp)) -> NextStart {
        let Agendas { price, co2, .. } = self.agendas;
        let length = self.span.length();
        let of = |start: Timestamp| {
            let span = Span::starting(start, length);
            let cost = span.and_then(|span| price.integral(span));
            let cost = cost.map(|it| self.energy.times_price(length, it, Currency::EUR).as_exact());
            let co2 = span.and_then(|span| co2.integral(span));
            let co2 = co2.map(|it| self.energy.times_intensity(length, it).as_exact());
            [Some(self.energy.as_microjoules()), cost, co2]
        };
        let mut changes = edges(price.agenda());
        changes.extend(edges(co2.agenda()));
        let amounts = StartAmounts { of: &of, changes: &changes };
        let planning = &self.request.planning;
        let mut shapes = planning.shapes().filter(|shape| shape.duration == length);
        let nodes = shapes.next().map_or(planning.nodes, |shape| shape.nodes);
        let slot = slot_of(self.request);
        match judge.next_start_in_budgets((nodes, length), window, slot, &amounts) {
            BudgetStart::At(start) => NextStart::At(start),
            BudgetStart::NotKnown => NextStart::NotKnown,
            BudgetStart::None => NextStart::NoneWithinTwoMonths,
        }
    }
}

/// Every instant at which a value begins or ends.
fn edges<V: Copy + PartialEq>(agenda: &Agenda<V>) -> Vec<Timestamp> {
    agenda.pieces().iter().flat_map(|piece| [piece.span.start(), piece.span.end()]).collect()
}
