//! The best start for each ranking (paper, Algorithms 2 and 3), with tolerances.
//!
//! Each step of a ranking keeps the starts whose criterion is within the tolerance of the least
//! among those kept before; of what remains the earliest wins, and of several shapes at that
//! instant the least in the ranking's own order. Without tolerances that is the lexicographic
//! minimum of (first, second, third, start). One start minimises all three criteria exactly when it
//! wins all six rankings.

use super::Feasible;
use crate::criterion::Criterion;
use crate::ranking::Ranking;
use crate::request::Tolerances;

/// The winners among `starts`, which are in time order, with the rankings they win: positions, in
/// the same order.
pub(super) fn winners(starts: &[Feasible], tolerances: &Tolerances) -> Vec<(usize, Vec<Ranking>)> {
    let mut best: Vec<(usize, Vec<Ranking>)> = Vec::new();
    for ranking in Ranking::ALL {
        let Some(winner) = winner(starts, tolerances, ranking) else { continue };
        match best.iter_mut().find(|(index, _)| *index == winner) {
            Some((_, rankings)) => rankings.push(ranking),
            None => best.push((winner, vec![ranking])),
        }
    }
    best.sort_by_key(|(index, _)| *index);
    best
}

/// The position of the winner of one ranking.
pub(super) fn winner(
    starts: &[Feasible],
    tolerances: &Tolerances,
    ranking: Ranking,
) -> Option<usize> {
    let mut kept: Vec<usize> = (0..starts.len()).collect();
    for criterion in ranking.criteria() {
        let amount = |index: usize| starts[index].amounts[criterion as usize];
        let least = kept.iter().map(|&index| amount(index)).min()?;
        let threshold = tolerances.of(criterion).threshold(least);
        kept.retain(|&index| amount(index) <= threshold);
    }
    let key = |&index: &usize| {
        let it = &starts[index];
        (it.span.start(), ranking.key_of(it.amounts), it.shape)
    };
    kept.into_iter().min_by_key(key)
}

/// The criteria in the order of [`Criterion::ALL`], by which amounts are indexed.
const _: () = assert!(
    Criterion::ALL[0] as usize == 0
        && Criterion::ALL[1] as usize == 1
        && Criterion::ALL[2] as usize == 2
);
