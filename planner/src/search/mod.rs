//! The search: Algorithm 1 of the paper (section V) behind one function, [`plan`].
//!
//! 1. `candidates`: the starts to look at.
//! 2. `availability` and `headroom`: which of them are feasible (C1, C2, C3), and with which nodes.
//! 3. `choose` and `pareto`: the best start for each ranking (Algorithms 2 and 3), the front.
//!
//! A plan costs `O(candidates x bookings near the window)`, whatever the number of nodes.

mod availability;
mod candidates;
mod choose;
mod exclusion;
mod headroom;
mod pareto;

use crate::agenda::Agendas;
use crate::book::Book;
use crate::criterion::Values;
use crate::decision::{Decision, Offer, Outcome, Savings};
use crate::order::{NodeOrder, Preference};
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::Currency;
use crate::request::Request;
use crate::time::{Span, Timestamp};

use availability::{Availability, Selection};
use choose::BestStart;
use exclusion::{Exclusion, Exclusions};
use headroom::Headroom;

pub use candidates::{MAX_CANDIDATES, too_many_candidates};

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

/// A start that satisfies all constraints.
struct Feasible {
    span: Span,
    values: Values,
    /// Index of the nodes it would take: see [`Availability::selection`].
    selection: usize,
}

/// How often `cancelled` is asked, in candidates.
const CANCEL_EVERY: usize = 64;

/// Plans one request: the decision of Algorithm 1, the as-soon-as-possible start and the front.
///
/// The request must have no [`Request::errors`] at `view.now`. `cancelled` is asked every few
/// microseconds to milliseconds, depending on the book.
///
/// # Errors
/// Only when `cancelled` says so.
pub fn plan(
    view: &PlanningView<'_>,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
) -> Result<Decision, Cancelled> {
    let starts = candidates::starts(view, request);
    let mut search = Search::new(view, request);
    let mut feasible = Vec::new();
    let mut exclusions = Exclusions::default();
    let spans = starts.iter().filter_map(|&start| Span::starting(start, request.duration));
    for (index, span) in spans.enumerate() {
        if index % CANCEL_EVERY == 0 && cancelled() {
            return Err(Cancelled);
        }
        match search.evaluate(span) {
            Ok(start) => feasible.push(start),
            Err(exclusion) => exclusions.add(span.start(), exclusion),
        }
    }
    let best = choose::best_starts(&feasible);
    Ok(Decision {
        outcome: search.outcome(&feasible, &best),
        candidate_starts: starts.len() as u64,
        reasons: exclusions.into_reasons(request, view.order.count()),
        as_soon_as_possible: search.as_soon_as_possible(&feasible, &best),
        pareto: search.pareto(&feasible),
    })
}

/// Plans a problem as it stands, with the least-drawing nodes; the offers' nodes are ranks of the
/// order returned.
pub fn plan_problem(problem: &PlanningProblem) -> (NodeOrder, Decision) {
    let utilisation = problem.request.utilisation_or_full();
    let order = NodeOrder::new(&problem.nodes, Preference::LeastDraw, utilisation);
    let book = Book::of(&problem.reservations, &order);
    let view = PlanningView {
        now: problem.now,
        search: problem.search,
        currency: problem.currency,
        order: &order,
        agendas: &problem.agendas,
        book: &book,
    };
    let decision = match plan(&view, &problem.request, &|| false) {
        Ok(decision) => decision,
        Err(Cancelled) => unreachable!("never asked to cancel"),
    };
    (order, decision)
}

/// One request's search over one view.
struct Search<'a> {
    view: &'a PlanningView<'a>,
    request: &'a Request,
    availability: Availability<'a>,
    headroom: Option<Headroom>,
}

impl<'a> Search<'a> {
    fn new(view: &'a PlanningView<'a>, request: &'a Request) -> Self {
        let earliest = request.earliest_start_at(view.now);
        let reach = Span::new(earliest, request.latest_start + request.duration);
        let nearby: Vec<_> = reach.into_iter().flat_map(|r| view.book.overlapping(r)).collect();
        let headroom = match (&view.agendas.power_cap, reach) {
            (Some(cap), Some(reach)) => Some(Headroom::new(cap, &nearby, view.order, reach)),
            _ => None,
        };
        let availability = Availability::new(nearby, view.order, request.nodes);
        Self { view, request, availability, headroom }
    }

    /// Tests C2 and C3 for a start and computes what it would consume.
    fn evaluate(&mut self, span: Span) -> Result<Feasible, Exclusion> {
        let agendas = self.view.agendas;
        let gap = |name, gap| Exclusion::AgendaGap { agenda: name, gap };
        let price = (agendas.price.integral(span))
            .ok_or_else(|| gap("price", agendas.price.agenda().first_gap(span)))?;
        let intensity = (agendas.co2.integral(span))
            .ok_or_else(|| gap("co2", agendas.co2.agenda().first_gap(span)))?;
        if let Some(cap) = agendas.power_cap.as_ref().filter(|cap| !cap.covers(span)) {
            return Err(gap("power_cap", cap.first_gap(span)));
        }
        let index = self.availability.select(span)?;
        let Selection { draw, max_power, .. } = *self.availability.selection(index);
        if let Some(headroom) = &self.headroom {
            headroom.admit(span, max_power)?;
        }
        let values = Values {
            energy: draw * self.request.duration,
            cost: draw.times_price(price, self.view.currency),
            co2: draw.times_intensity(intensity),
        };
        Ok(Feasible { span, values, selection: index })
    }

    fn outcome(&self, feasible: &[Feasible], best: &[BestStart]) -> Outcome {
        let offer = |start: &BestStart| Offer {
            rankings: start.rankings.clone(),
            ..self.offer(&feasible[start.index], &feasible[0])
        };
        match best {
            [] => Outcome::Impossible,
            [only] => Outcome::Optimum(offer(only)),
            several => Outcome::Choice(several.iter().map(offer).collect()),
        }
    }

    fn as_soon_as_possible(&self, feasible: &[Feasible], best: &[BestStart]) -> Option<Offer> {
        let first = feasible.first()?;
        let won = best.iter().find(|start| start.index == 0);
        let rankings = won.map(|start| start.rankings.clone()).unwrap_or_default();
        Some(Offer { rankings, ..self.offer(first, first) })
    }

    fn pareto(&self, feasible: &[Feasible]) -> Vec<Offer> {
        let values: Vec<&Values> = feasible.iter().map(|start| &start.values).collect();
        pareto::front(&values)
            .into_iter()
            .map(|index| self.offer(&feasible[index], &feasible[0]))
            .collect()
    }

    /// A feasible start as an offer, compared with the as-soon-as-possible one.
    fn offer(&self, start: &Feasible, soonest: &Feasible) -> Offer {
        let selection = self.availability.selection(start.selection);
        let Values { energy, cost, co2 } = start.values;
        Offer {
            rankings: Vec::new(),
            span: start.span,
            ranks: selection.ranks.clone(),
            values: start.values,
            peak_power: selection.max_power,
            delay: start.span.start() - self.request.earliest_start_at(self.view.now),
            saves: Savings {
                energy: soonest.values.energy - energy,
                cost: soonest.values.cost - cost,
                co2: soonest.values.co2 - co2,
            },
        }
    }
}
