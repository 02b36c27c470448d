//! The best start for each ranking (paper, Algorithms 2 and 3).
//!
//! Minimising the first criterion, then the second among its minima, then the third, and taking
//! the earliest of what remains is the lexicographic minimum of (first, second, third, start).
//! One start minimises all three criteria exactly when it wins all six rankings.

use super::Feasible;
use crate::ranking::Ranking;

/// A start that wins at least one ranking.
pub(super) struct BestStart {
    /// Its index among the feasible starts.
    pub index: usize,
    /// What it wins.
    pub rankings: Vec<Ranking>,
}

/// The starts that win a ranking, in time order.
pub(super) fn best_starts(feasible: &[Feasible]) -> Vec<BestStart> {
    let mut best: Vec<BestStart> = Vec::new();
    for ranking in Ranking::ALL {
        let Some(index) = best_start(feasible, ranking) else { continue };
        match best.iter_mut().find(|start| start.index == index) {
            Some(start) => start.rankings.push(ranking),
            None => best.push(BestStart { index, rankings: vec![ranking] }),
        }
    }
    best.sort_by_key(|start| start.index);
    best
}

/// The earliest start with the least key; `feasible` is in time order and `min_by_key` keeps the
/// first of equals.
fn best_start(feasible: &[Feasible], ranking: Ranking) -> Option<usize> {
    (0..feasible.len()).min_by_key(|&index| ranking.key(&feasible[index].values))
}
