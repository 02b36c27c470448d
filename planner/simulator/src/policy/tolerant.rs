//! The offer of a user with a ranking who gives way a little in its first criterion: of all starts
//! within a tolerance of the best, `value <= min + tolerance * |min|`, the one that is best in the
//! ranking's second criterion, then its third, then its first; the earliest of equals.
//!
//! Chosen on the Pareto front. That loses nothing: what beats a start in all criteria is within the
//! tolerance when the start is.

use planner::decision::{Decision, Offer};
use planner::ranking::Ranking;

/// Tolerances are in whole thousandths.
const SCALE: i128 = 1000;

pub(super) fn choose(decision: &Decision, ranking: Ranking, permille: u16) -> Option<&Offer> {
    let [first, second, third] = ranking.criteria();
    let of = |offer: &Offer| first.exact(&offer.values);
    let least = decision.pareto.iter().map(of).min()?;
    // The whole part of permille * |least| / 1000, without leaving 128 bits.
    let permille = i128::from(permille);
    let most = permille * (least.abs() / SCALE) + permille * (least.abs() % SCALE) / SCALE;
    let tolerable = decision.pareto.iter().filter(|offer| of(offer) - least <= most);
    tolerable.min_by_key(|offer| [second, third, first].map(|by| by.exact(&offer.values)))
}
