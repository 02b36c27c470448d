//! The best start for each ranking (paper, Algorithms 2 and 3).
//!
//! Minimising the first criterion, then the second among its minima, then the third, and taking
//! the earliest of what remains is the lexicographic minimum of (first, second, third, start).
//! One start minimises all three criteria exactly when it wins all six rankings.

use crate::decision::Offer;
use crate::ranking::Ranking;

/// The offers that win a ranking, in time order, with the rankings they win; `starts` are in time
/// order.
pub(super) fn best_offers(starts: &[Offer]) -> Vec<Offer> {
    let mut best: Vec<(usize, Vec<Ranking>)> = Vec::new();
    for ranking in Ranking::ALL {
        let Some(winner) = best_start(starts, ranking) else { continue };
        match best.iter_mut().find(|(index, _)| *index == winner) {
            Some((_, rankings)) => rankings.push(ranking),
            None => best.push((winner, vec![ranking])),
        }
    }
    best.sort_by_key(|(index, _)| *index);
    best.into_iter().map(|(index, rankings)| Offer { rankings, ..starts[index].clone() }).collect()
}

/// The earliest start with the least key: `min_by_key` keeps the first of equals.
fn best_start(starts: &[Offer], ranking: Ranking) -> Option<usize> {
    (0..starts.len()).min_by_key(|&index| ranking.key(&starts[index].values))
}
