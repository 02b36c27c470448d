//! The judge: re-derives a decision from its problem and says everything that is wrong with it.
//!
//! It shares no code with [`search`](crate::search): every quantity is summed again from pieces,
//! reservations and nodes, so that a mistake in one of the two shows as a disagreement.
//!
//! What it proves of every start in a decision (offers, as soon as possible, Pareto front): the
//! window and the grid, the agendas' cover, `n` free nodes that the preference puts first, the cap
//! at every instant, and the exact values, peak power, delay and savings. What it proves of the
//! decision: the rankings' words, that no start in it beats an offer in the offer's own ranking,
//! that the Pareto front is one, and that the counts add up. That no start *outside* the decision
//! is better takes a search over all candidates; the tests compare with brute force for that.
//!
//! Costs `O(starts x (nodes + reservations + pieces))`; starts with equal free nodes and equal
//! choices are judged once. Source of the rules: paper, section V, constraints C1-C3, objectives
//! O1-O3, Algorithms 1-3.

mod agendas;
mod counts;
mod nodes;
mod rankings;
mod reserved_power;
mod starts;
mod values;
mod violation;

use crate::decision::{Decision, Offer};
use crate::order::{NodeOrder, Preference};
use crate::problem::PlanningProblem;

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
    let (ordered, nodes) = (order.count(), problem.nodes.count());
    if ordered != nodes {
        return Err(vec![Violation::ForeignOrder { ordered, nodes }]);
    }
    let starts = starts_of(decision);
    let mut violations = Vec::new();
    starts::judge(problem, preference, order, &starts, &mut violations);
    values::judge_savings(decision.as_soon_as_possible.as_ref(), &starts, &mut violations);
    rankings::judge(decision, &starts, &mut violations);
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
