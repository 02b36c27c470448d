//! The search: Algorithm 1 of the paper (section V) behind one function, [`plan`].
//!
//! 1. `candidates`: the starts to look at.
//! 2. `sweep` over `free_nodes`, and `headroom`: which of them are feasible (C2, C3), and what the
//!    nodes they take amount to.
//! 3. `choose` and `pareto`: the best start for each ranking (Algorithms 2 and 3), the front.
//!
//! With `k` booked ranges near the window and `c` candidates a plan costs `O((k + c) log (k + c))`,
//! times the distinct energies for the front, and the ranges it answers with, whatever the number of
//! nodes.

mod candidates;
mod choose;
mod exclusion;
pub(crate) mod free_nodes;
mod headroom;
mod pareto;
mod sweep;

use crate::agenda::Agendas;
use crate::book::{Book, Booking};
use crate::criterion::Values;
use crate::decision::{Decision, Offer, Outcome, Savings};
use crate::order::{NodeOrder, Preference, Totals};
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::{Currency, Power};
use crate::request::Request;
use crate::reserved_power::reserved_power;
use crate::time::{Span, Timestamp};

use exclusion::{Exclusion, Exclusions};
use headroom::Headroom;
use pareto::Front;
use sweep::Sweep;

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

impl<'a> PlanningView<'a> {
    /// The view of a problem, with the order and the book made of it.
    pub const fn of(problem: &'a PlanningProblem, order: &'a NodeOrder, book: &'a Book) -> Self {
        let PlanningProblem { now, search, currency, ref agendas, .. } = *problem;
        Self { now, search, currency, order, agendas, book }
    }
}

/// The plan was abandoned because its caller asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("planning was cancelled")]
pub struct Cancelled;

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
    let earliest = request.earliest_start_at(view.now);
    let reach = Span::new(earliest, request.latest_start + request.duration);
    let nearby: Vec<&Booking> = reach.into_iter().flat_map(|r| view.book.overlapping(r)).collect();
    let mut search = Search::new(view, request, reach, &nearby);
    // Only feasible starts that no earlier one matches in energy, cost and CO2 matter: the first is
    // one, and so is each ranking's best, since what matches it would win in its place.
    let mut front = Front::default();
    let mut pareto: Vec<Offer> = Vec::new();
    let mut exclusions = Exclusions::default();
    let spans = starts.iter().filter_map(|&start| Span::starting(start, request.duration));
    for (index, span) in spans.enumerate() {
        if index % CANCEL_EVERY == 0 && cancelled() {
            return Err(Cancelled);
        }
        match search.evaluate(span) {
            Ok((values, peak_power)) => {
                if front.admit(&values) {
                    let soonest = pareto.first().map_or(values, |offer| offer.values);
                    pareto.push(Offer {
                        rankings: Vec::new(),
                        span,
                        ranks: search.sweep.ranks(),
                        values,
                        peak_power,
                        delay: span.start() - earliest,
                        saves: Savings::against(&soonest, &values),
                    });
                }
            }
            Err(exclusion) => exclusions.add(span.start(), exclusion),
        }
    }
    let offers = choose::best_offers(&pareto);
    let as_soon_as_possible = pareto.first().map(|first| match offers.first() {
        Some(winner) if winner.span == first.span => winner.clone(),
        _ => first.clone(),
    });
    Ok(Decision {
        outcome: Outcome::of(offers),
        candidate_starts: starts.len() as u64,
        reasons: exclusions.into_reasons(request, view.order.count()),
        as_soon_as_possible,
        pareto,
    })
}

/// Plans a problem as it stands, with the least-drawing nodes; the offers' nodes are ranks of the
/// order returned.
pub fn plan_problem(problem: &PlanningProblem) -> (NodeOrder, Decision) {
    let utilisation = problem.request.utilisation_or_full();
    let order = NodeOrder::new(&problem.nodes, Preference::LeastDraw, utilisation);
    let book = Book::of(&problem.reservations, &order);
    let view = PlanningView::of(problem, &order, &book);
    let decision = match plan(&view, &problem.request, &|| false) {
        Ok(decision) => decision,
        Err(Cancelled) => unreachable!("never asked to cancel"),
    };
    (order, decision)
}

/// One request's search over one view; starts are evaluated in time order.
struct Search<'a> {
    view: &'a PlanningView<'a>,
    request: &'a Request,
    sweep: Sweep<'a>,
    headroom: Option<Headroom>,
}

impl<'a> Search<'a> {
    fn new(
        view: &'a PlanningView<'a>,
        request: &'a Request,
        reach: Option<Span>,
        nearby: &'a [&'a Booking],
    ) -> Self {
        let sweep = Sweep::new(nearby, view.order, request.nodes);
        let cap = view.agendas.power_cap.as_ref().zip(reach);
        let headroom = cap.map(|(cap, reach)| {
            let reserved = if view.book.is_double_booked() {
                reserved_power(nearby, view.order, reach)
            } else {
                headroom::reserved_power(nearby, &sweep.powers(), reach)
            };
            Headroom::new(cap, &reserved)
        });
        Self { view, request, sweep, headroom }
    }

    /// Tests agendas, C2 and C3 for a start and computes what it would consume.
    fn evaluate(&mut self, span: Span) -> Result<(Values, Power), Exclusion> {
        let agendas = self.view.agendas;
        let gap = |agenda, gap| Exclusion::AgendaGap { agenda, gap };
        let price = (agendas.price.integral(span))
            .ok_or_else(|| gap("price", agendas.price.agenda().first_gap(span)))?;
        let intensity = (agendas.co2.integral(span))
            .ok_or_else(|| gap("co2", agendas.co2.agenda().first_gap(span)))?;
        if let Some(cap) = agendas.power_cap.as_ref().filter(|cap| !cap.covers(span)) {
            return Err(gap("power_cap", cap.first_gap(span)));
        }
        let Totals { draw, max_power, .. } = self.sweep.take(span)?;
        if let Some(headroom) = &mut self.headroom {
            headroom.admit(span, max_power)?;
        }
        let values = Values {
            energy: draw * self.request.duration,
            cost: draw.times_price(price, self.view.currency),
            co2: draw.times_intensity(intensity),
        };
        Ok((values, max_power))
    }
}
