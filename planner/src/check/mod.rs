//! The judge: re-derives a decision from its problem and says everything that is wrong with it.
//!
//! It shares no code with [`search`](crate::search): every quantity is summed again from pieces,
//! reservations and nodes, so that a mistake in one of the two shows as a disagreement.
//!
//! What it proves of every start in a decision (offers, as soon as possible, Pareto front): the
//! window, the deadline and the slots, a shape of the request, the agendas' cover, as many nodes as
//! the shape says, all admitted by the filter, free and in service, that the preference puts first,
//! the cap at every instant, and the exact values, idle energy, peak power, delay and savings. What it proves of
//! the decision: the rankings' words, that among the starts in it each offer wins its rankings,
//! tolerances applied, that the Pareto front is one, which start on it is the compromise, that the counts add up, and that each reason
//! binds where it says, with the shortage that it says. That no start *outside* the decision is
//! better, nor closer to being feasible, takes a search over all candidates; the tests compare with
//! brute force for that. So does the number of candidates in the exact mode with tolerances, of
//! which the bounds are proved here.
//!
//! Of the order it trusts no more than which ordinal a rank stands for. Shared with the search are
//! the quantities: draws and tolerances are applied by the types that hold them.
//!
//! Quotas are no part of a problem; whether the starts keep the budgets of energy, cost and CO2 [`check_budgets`] says.
//!
//! Costs `O(starts x (nodes + reservations + pieces))`; starts with equal free nodes and equal
//! choices are judged once. Source of the rules: paper, section V, constraints C1-C3, objectives
//! O1-O3, Algorithms 1-3; `docs/MODEL.md` for what it leaves open.

mod agendas;
mod bindings;
mod budgets;
mod candidates;
mod counts;
mod idle;
mod nodes;
mod rankings;
mod reserved_power;
mod service;
mod shapes;
mod sleep_cost;
mod starts;
mod values;
mod violation;

use crate::decision::{Decision, Offer};
use crate::order::{NodeOrder, Preference};
use crate::problem::PlanningProblem;

use nodes::NodeJudge;
use service::Eligible;

pub use budgets::{BudgetsAsked, check_budgets};
pub use violation::{Place, Violation};

/// Judges a decision that takes the least-drawing nodes.
///
/// `order` is the one the plan was made with: offers hold its ranks.
///
/// # Errors
/// Everything that is wrong.
pub fn check(
    problem: &PlanningProblem,
    order: &NodeOrder,
    decision: &Decision,
) -> Result<(), Vec<Violation>> {
    check_preferring(problem, Preference::LeastDraw, order, decision)
}

/// Judges a decision that takes the nodes `preference` puts first.
///
/// # Errors
/// Everything that is wrong.
pub fn check_preferring(
    problem: &PlanningProblem,
    preference: Preference,
    order: &NodeOrder,
    decision: &Decision,
) -> Result<(), Vec<Violation>> {
    let eligible = Eligible::of(problem);
    eligible.judge_order(order)?;
    let starts = starts_of(decision);
    let mut violations = Vec::new();
    let mut nodes = NodeJudge::new(problem, preference, order, &eligible);
    starts::judge(problem, &mut nodes, &starts, &mut violations);
    bindings::judge(problem, &nodes, &decision.reasons, &mut violations);
    values::judge_savings(decision.as_soon_as_possible.as_ref(), &starts, &mut violations);
    rankings::judge(problem, decision, &starts, &mut violations);
    counts::judge(problem, decision, &starts, &mut violations);
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

/// A start of the decision and where it stands.
type Start<'a> = (Place, &'a Offer);

fn starts_of(decision: &Decision) -> Vec<Start<'_>> {
    let offers = decision.offers().iter().enumerate();
    let soonest = decision.as_soon_as_possible.iter();
    let pareto = decision.pareto.iter().enumerate();
    offers
        .map(|(index, offer)| (Place::Offer(index), offer))
        .chain(soonest.map(|offer| (Place::AsSoonAsPossible, offer)))
        .chain(pareto.map(|(index, offer)| (Place::Pareto(index), offer)))
        .collect()
}
