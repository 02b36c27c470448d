//! The offer that a user with one ranking of the criteria chooses (paper, sections V and VI-A). Its
//! name is the ranking's.

use planner::decision::{Decision, Offer};
use planner::ranking::Ranking;

pub(super) fn choose(decision: &Decision, ranking: Ranking) -> Option<&Offer> {
    decision.offer_for(ranking)
}
