//! Whether the offers win the rankings they claim, and whether the Pareto front is one.

use std::cmp::Ordering;

use super::shapes::{Way, position, way_of, ways};
use super::values::counted;
use super::{Place, Start, Violation};
use crate::criterion::Criterion;
use crate::decision::{Decision, Offer, Outcome};
use crate::problem::PlanningProblem;
use crate::ranking::Ranking;

pub(super) fn judge(
    problem: &PlanningProblem,
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    judge_words(decision, violations);
    judge_repeated_words(decision, starts, violations);
    judge_time_order(problem, decision, violations);
    judge_winners(problem, decision, starts, violations);
    judge_front(decision, starts, violations);
    judge_compromise(decision, violations);
}

/// Each of the six once over all offers, in the order of Algorithm 1 within each.
fn judge_words(decision: &Decision, violations: &mut Vec<Violation>) {
    let offers = decision.offers();
    if let Outcome::Choice(offers) = &decision.outcome
        && offers.len() < 2
    {
        violations.push(Violation::NoChoice { offers: offers.len() });
    }
    if offers.is_empty() {
        return;
    }
    for ranking in Ranking::ALL {
        let listed = offers.iter().flat_map(|offer| &offer.rankings);
        let times = listed.filter(|&&other| other == ranking).count();
        if times != 1 {
            violations.push(Violation::RankingNotOnce { ranking, times });
        }
    }
    for (index, Offer { rankings, .. }) in offers.iter().enumerate() {
        let place = Place::Offer(index);
        if rankings.is_empty() {
            violations.push(Violation::OfferWithoutRanking { place });
        }
        let position = |ranking| Ranking::ALL.iter().position(|other| other == ranking);
        if !rankings.is_sorted_by(|left, right| position(left) < position(right)) {
            violations.push(Violation::RankingsUnsorted { place });
        }
    }
}

/// Outside the offers a start lists the rankings that its offer wins; the front may leave them out.
fn judge_repeated_words(
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    for &(place, start) in starts {
        let rankings = &start.rankings;
        let same = |offer: &&Offer| is_same(offer, start);
        let won = decision.offers().iter().find(same);
        let won = won.map_or(&[][..], |offer| &offer.rankings);
        let left_out = matches!(place, Place::Pareto(_)) && rankings.is_empty();
        if rankings != won && !left_out {
            violations.push(Violation::OtherRankings { place });
        }
    }
}

/// By start, then shape, so that those of one start stand for shapes in the order listed. Of equal
/// shapes the front holds each, where offers hold the first.
fn judge_time_order(
    problem: &PlanningProblem,
    decision: &Decision,
    violations: &mut Vec<Violation>,
) {
    let ways: Vec<Way> = ways(problem);
    let mut judge = |starts: &[Offer], place: fn(usize) -> Place| {
        let mut free_from = 0;
        for (index, offer) in starts.iter().enumerate() {
            let order = match index.checked_sub(1) {
                Some(before) => starts[before].span.start().cmp(&offer.span.start()),
                None => Ordering::Less,
            };
            if order != Ordering::Equal {
                free_from = 0;
            }
            let asked = way_of(offer);
            let next = ways.iter().skip(free_from).position(|way| *way == asked);
            if order == Ordering::Greater || (order == Ordering::Equal && next.is_none()) {
                violations.push(Violation::NotInTimeOrder { place: place(index) });
            }
            free_from += next.map_or(0, |skipped| skipped + 1);
        }
    };
    judge(decision.offers(), Place::Offer);
    judge(&decision.pareto, Place::Pareto);
}

/// Of the starts of the decision each offer wins its rankings.
fn judge_winners(
    problem: &PlanningProblem,
    decision: &Decision,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    for (index, offer) in decision.offers().iter().enumerate() {
        let place = Place::Offer(index);
        for &ranking in &offer.rankings {
            let Some((by, winner)) = winner(problem, ranking, starts) else { continue };
            if !is_same(winner, offer) || winner.values != offer.values {
                violations.push(Violation::Beaten { place, ranking, by });
            }
        }
    }
}

/// What is within the tolerance of the least in each criterion in turn, the earliest of it; at one
/// instant the least, then the first listed shape.
fn winner<'a>(
    problem: &PlanningProblem,
    ranking: Ranking,
    starts: &[Start<'a>],
) -> Option<Start<'a>> {
    let mut kept = starts.to_vec();
    for criterion in ranking.criteria() {
        let least = kept.iter().map(|(_, offer)| amount(criterion, offer)).min()?;
        let most = problem.request.tolerances.of(criterion).threshold(least);
        kept.retain(|(_, offer)| amount(criterion, offer) <= most);
    }
    let key = |offer: &Offer| ranking.criteria().map(|criterion| amount(criterion, offer));
    kept.into_iter()
        .min_by_key(|(_, offer)| (offer.span.start(), key(offer), position(problem, offer)))
}

/// Whether two offers take the same nodes for the same time, as fast as each other.
fn is_same(one: &Offer, other: &Offer) -> bool {
    one.span == other.span && one.ranks == other.ranks && way_of(one) == way_of(other)
}

fn amount(criterion: Criterion, offer: &Offer) -> i128 {
    counted(offer)[criterion as usize]
}

/// Nothing on the front is dominated, and every offer is on it: whatever dominates one would be kept
/// by every step that keeps it, and start no later. So is the first start, unless another shape at
/// the same instant dominates it.
fn judge_front(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    let amounts: Vec<[i128; 4]> = starts.iter().map(|(_, offer)| amounts(offer)).collect();
    for (&(place, offer), amount) in starts.iter().zip(&amounts) {
        let dominating = amounts.iter().position(|other| dominates(other, amount));
        let same = |other: &Offer| is_same(other, offer);
        match (place, dominating) {
            (Place::AsSoonAsPossible, Some(_)) | (Place::Pareto(_), None) => {}
            (_, Some(by)) => violations.push(Violation::Dominated { place, by: starts[by].0 }),
            (_, None) if decision.pareto.iter().any(same) => {}
            (_, None) => violations.push(Violation::MissingFromFront { place }),
        }
    }
}

fn amounts(offer: &Offer) -> [i128; 4] {
    let [energy, cost, co2] = Criterion::ALL.map(|criterion| amount(criterion, offer));
    [energy, cost, co2, offer.delay.get().into()]
}

fn dominates(left: &[i128; 4], right: &[i128; 4]) -> bool {
    left != right && left.iter().zip(right).all(|(left, right)| left <= right)
}

/// The compromise is the first start on the front of which no other loses less in what it loses most.
fn judge_compromise(decision: &Decision, violations: &mut Vec<Violation>) {
    let front: Vec<[i128; 4]> = decision.pareto.iter().map(amounts).collect();
    let column = |at: usize| front.iter().map(move |it| it[at]);
    let extremes = std::array::from_fn::<_, 4, _>(|at| (column(at).min(), column(at).max()));
    let losses = |start: &[i128; 4]| -> Vec<Fraction> {
        let parts = start.iter().zip(&extremes).filter_map(|(amount, (least, most))| {
            let (lost, range) = (amount - (*least)?, (*most)? - (*least)?);
            Some((lost.unsigned_abs(), range.unsigned_abs()))
        });
        parts.filter(|(_, range)| *range > 0).collect()
    };
    let largest = |start: &[i128; 4]| {
        losses(start).into_iter().reduce(|most, it| if is_less(most, it) { it } else { most })
    };
    let mut derived: Option<(usize, Option<Fraction>)> = None;
    for (index, loss) in front.iter().map(largest).enumerate() {
        let is_better = derived.is_none_or(|(_, least)| match (loss, least) {
            (Some(loss), Some(least)) => is_less(loss, least),
            _ => false,
        });
        if is_better {
            derived = Some((index, loss));
        }
    }
    let (stated, derived) = (decision.compromise, derived.map(|(index, _)| index));
    if stated != derived {
        violations.push(Violation::OtherCompromise { stated, derived });
    }
}

/// A numerator over a denominator that is not nothing.
type Fraction = (u128, u128);

fn is_less(one: Fraction, two: Fraction) -> bool {
    product(one.0, two.1) < product(two.0, one.1)
}

/// A product in two halves, the higher first.
fn product(left: u128, right: u128) -> (u128, u128) {
    let halves = |it: u128| (it >> 64, it & u128::from(u64::MAX));
    let ((left_high, left_low), (right_high, right_low)) = (halves(left), halves(right));
    let low = left_low * right_low;
    let one = left_high * right_low + (low >> 64);
    let (middle, carried) = one.overflowing_add(left_low * right_high);
    let high = left_high * right_high + (middle >> 64) + (u128::from(carried) << 64);
    (high, (middle << 64) | (low & u128::from(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_take_two_halves() {
        assert_eq!(product(7, 6), (0, 42));
        assert_eq!(product(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert_eq!(product(1 << 100, 3 << 90), (3 << 62, 0));
        assert!(is_less((10_u128.pow(37) - 1, 3 * 10_u128.pow(37)), (1, 3)));
    }
}
