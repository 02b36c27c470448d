//! The search: Algorithm 1 of the paper (section V) behind one function, [`plan`].
//!
//! 1. `candidates`: the starts to look at, for each shape of the request.
//! 2. `evaluate`: which of them are feasible (C2: `sweep`; C3: [`Headroom`](crate::headroom::Headroom)), and what the nodes they
//!    take amount to.
//! 3. `pareto` and `choose`: the front, and on it the best start for each ranking (Algorithms 2
//!    and 3).
//!
//! With `k` booked ranges near the window and `c` candidates a plan costs `O((k + c) log (k + c))`,
//! a further logarithm of the distinct energies for the front, and for each start on it the cells of
//! ranks up to its last node, whatever the number of nodes. Where the request's order is not the book's, the nodes
//! taken near the window count instead of `k`.

mod candidates;
mod choose;
mod crossings;
mod evaluate;
mod exclusion;
mod explain;
mod free;
mod idle;
mod no_slot;
mod node_covers;
mod pareto;
mod reserved;
mod sites;
mod sweep;
mod taken;
mod variants;

use std::sync::Arc;

use crate::agenda::Agendas;
use crate::book::Book;
use crate::compromise::{FourAmounts, compromise};
use crate::criterion::Values;
use crate::decision::{Decision, Offer, Outcome, Savings};
use crate::idle_energy::IdleEnergy;
use crate::node::Nodes;
use crate::order::NodeOrder;
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::{CarbonMass, Currency, Energy, Money, Power};
use crate::quota::QuotaJudge;
use crate::request::Request;
use crate::selection::Selection;
use crate::slower_selection::SlowerSelection;
use crate::time::{Seconds, Span, Timestamp};

use evaluate::Evaluation;
use idle::IdleSearch;
use taken::TakenNear;

pub use crate::cancelled::Cancelled;
pub use candidates::{MAX_CANDIDATES, too_many_candidates};
pub use explain::{Explanation, RankingExplanation, StartValues, explain};
pub use sites::{SiteChoice, SiteStart, choose_among_sites};

/// What is known when a request arrives.
#[derive(Clone, Copy, Debug)]
pub struct PlanningView<'a> {
    /// The instant of the decision; nothing starts before it.
    pub now: Timestamp,
    /// Where starts are looked for.
    pub search: SearchMode,
    /// Of every price.
    pub currency: Currency,
    /// The nodes the request may take, in the order in which it takes them.
    pub selection: &'a Selection,
    /// The nodes it may take in slower states, the fastest state first; none where it may run at full speed only.
    pub slower: &'a [SlowerSelection],
    /// Price, CO2 intensity and power cap over time.
    pub agendas: &'a Agendas,
    /// What counts against the cap whatever is reserved:
    /// [`CapScope::base_power`](crate::cap_scope::CapScope::base_power).
    pub base_power: Power,
    /// Who holds which nodes when.
    pub book: &'a Book,
    /// What offers count of idle energy, where they do.
    pub idle: Option<IdleView<'a>>,
    /// What quotas let who asks have, where there are quotas.
    pub quota: Option<&'a QuotaJudge>,
}

/// What offers count of idle energy, and of which nodes.
#[derive(Clone, Copy, Debug)]
pub struct IdleView<'a> {
    /// What the site says of it.
    pub energy: &'a IdleEnergy,
    /// The nodes of the cluster.
    pub nodes: &'a Arc<Nodes>,
}

/// A feasible start of one of the request's shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Feasible {
    /// Of the reservation.
    span: Span,
    /// Which of the request's shapes at its speeds: [`Request::shapes`] at full speed come first.
    shape: usize,
    /// In the order of [`Criterion::ALL`](crate::criterion::Criterion::ALL).
    amounts: [i128; 3],
    /// Two starts of one shape and state take the same nodes.
    state: u32,
}

/// Plans one request: the decision of Algorithm 1, the as-soon-as-possible start and the front.
///
/// The request must have no [`Request::errors`] at `view.now`; its filter is the view's selection.
/// `cancelled` is asked every few microseconds to milliseconds, depending on the book.
///
/// # Errors
/// Only when `cancelled` says so.
pub fn plan(
    view: &PlanningView<'_>,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
) -> Result<Decision, Cancelled> {
    let decided =
        evaluated(view, request, cancelled, |evaluation| decide(view, request, evaluation))?;
    let mut decision = decided.unwrap_or_else(Decision::without_candidates);
    if decision.candidate_starts == 0 {
        decision.reasons.extend(no_slot::no_slot(view, request));
    }
    Ok(decision)
}

/// Evaluates every candidate for `answer`; `None` where there is none.
fn evaluated<T>(
    view: &PlanningView<'_>,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
    answer: impl FnOnce(&mut Evaluation<'_>) -> T,
) -> Result<Option<T>, Cancelled> {
    let Some(reach) = view.reach(request) else { return Ok(None) };
    let (taken, bookings) = TakenNear::of(view, reach);
    let basis = idle::basis(view);
    let idle = basis.as_ref().and_then(|basis| IdleSearch::new(view, basis));
    let mut evaluation = Evaluation::new(view, request, (&taken, &bookings), idle, reach);
    evaluation.run(cancelled)?;
    Ok(Some(answer(&mut evaluation)))
}

fn decide(view: &PlanningView<'_>, request: &Request, evaluation: &mut Evaluation<'_>) -> Decision {
    let exclusions = std::mem::take(&mut evaluation.exclusions);
    let front: Vec<Feasible> =
        pareto::front(&evaluation.starts).into_iter().map(|it| evaluation.starts[it]).collect();
    let winners = choose::winners(&front, &request.tolerances);
    let mut offers = Offers { view, request, evaluation, latest: None };
    let pareto: Vec<Offer> = front.iter().map(|start| offers.offer(start)).collect();
    let winners: Vec<Offer> = winners
        .into_iter()
        .map(|(index, rankings)| Offer { rankings, ..pareto[index].clone() })
        .collect();
    let soonest = offers.evaluation.starts.first().copied();
    let as_soon_as_possible = soonest.map(|soonest| {
        let soonest = offers.offer(&soonest);
        let same = |it: &&Offer| it.is_same_start(&soonest);
        winners.iter().find(same).cloned().unwrap_or(soonest)
    });
    let compromise = compromise(&front.iter().map(Feasible::four_amounts).collect::<Vec<_>>());
    Decision {
        outcome: Outcome::of(winners),
        candidate_starts: evaluation.candidates,
        reasons: exclusions.into_reasons(view.selection.order().count()),
        as_soon_as_possible,
        pareto,
        compromise,
    }
}

impl Feasible {
    /// What the compromise weighs. Delays of one decision differ as its starts do.
    fn four_amounts(&self) -> FourAmounts {
        let [energy, cost, co2] = self.amounts;
        [energy, cost, co2, self.span.start().as_unix_seconds().into()]
    }
}

/// Plans a problem as it stands, with the least-drawing nodes; the offers' nodes are ranks of the
/// order returned.
pub fn plan_problem(problem: &PlanningProblem) -> (Arc<NodeOrder>, Decision) {
    let selection = problem.selection();
    let book = problem.book(&selection);
    let slower = problem.slower_selections(&selection);
    let view = PlanningView::of(problem, &selection, &book).with_slower(&slower);
    let decision = match plan(&view, &problem.request, &|| false) {
        Ok(decision) => decision,
        Err(Cancelled) => unreachable!("never asked to cancel"),
    };
    (Arc::clone(selection.order()), decision)
}

impl<'a> PlanningView<'a> {
    /// The view of a problem, with what is made of it: at full speed only.
    pub fn of(problem: &'a PlanningProblem, selection: &'a Selection, book: &'a Book) -> Self {
        let PlanningProblem { now, search, currency, ref agendas, .. } = *problem;
        let base_power = problem.cap_scope.base_power(&problem.nodes);
        let idle = problem.idle_energy.as_ref();
        let idle = idle.map(|energy| IdleView { energy, nodes: &problem.nodes });
        let (slower, quota) = (&[][..], None);
        Self { now, search, currency, selection, slower, agendas, base_power, book, idle, quota }
    }

    /// This view with slower states: those that the request allows.
    #[must_use]
    pub const fn with_slower(self, slower: &'a [SlowerSelection]) -> Self {
        Self { slower, ..self }
    }

    fn values(&self, [energy, cost, co2]: [i128; 3]) -> Values {
        Values {
            energy: Energy::from_microjoules(energy),
            cost: Money::from_exact(cost, self.currency),
            co2: CarbonMass::from_exact(co2),
        }
    }

    /// Everything that a start for the request could touch, and what candidates depend on beside
    /// it; `None` where no start is left.
    fn reach(&self, request: &Request) -> Option<Span> {
        let earliest = request.earliest_start_at(self.now);
        let last_end = |duration: Seconds| {
            Some(request.latest_start_for(duration))
                .filter(|&latest| latest >= earliest)
                .map(|latest| latest + duration)
        };
        let variants = self.variants(request);
        let last = variants.iter().filter_map(|it| last_end(it.shape.duration)).max()?;
        Span::new(earliest - candidates::MARGIN, last + candidates::MARGIN)
    }
}

/// Starts as offers.
struct Offers<'a, 'b> {
    view: &'a PlanningView<'a>,
    request: &'a Request,
    evaluation: &'a mut Evaluation<'b>,
    /// The nodes of the latest start: neighbours on the front often share them.
    latest: Option<(usize, u32, Offer)>,
}

impl Offers<'_, '_> {
    fn offer(&mut self, start: &Feasible) -> Offer {
        let span = start.span;
        let counted = self.view.values(start.amounts);
        let soonest = self.evaluation.starts.first().unwrap_or(start).amounts;
        let (ranks, peak_power) = match self.latest.take() {
            Some((shape, state, offer))
                if (shape, state) == (start.shape, start.state)
                    && self.evaluation.states_have_nodes() =>
            {
                (offer.ranks, offer.peak_power)
            }
            _ => self.evaluation.nodes(start),
        };
        let idle = self.evaluation.idle_change(start);
        let own = idle.map_or(start.amounts, |idle| {
            std::array::from_fn(|criterion| start.amounts[criterion] - idle[criterion])
        });
        let offer = Offer {
            rankings: Vec::new(),
            span,
            ranks,
            values: self.view.values(own),
            idle_change: idle.map(|idle| Box::new(self.view.values(idle))),
            peak_power,
            delay: span.start() - self.request.earliest_start_at(self.view.now),
            saves: Savings::against(&self.view.values(soonest), &counted),
            slowing: self.evaluation.slowing(start),
        };
        self.latest = Some((start.shape, start.state, offer.clone()));
        offer
    }
}
