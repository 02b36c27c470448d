//! Whether the offers win the rankings they claim, and whether the Pareto front is one.

use super::{Place, Start, Violation};
use crate::criterion::Criterion;
use crate::decision::{Decision, Offer, Outcome};
use crate::ranking::Ranking;
use crate::time::Timestamp;

pub(super) fn judge(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    judge_words(decision, violations);
    judge_repeated_words(decision, starts, violations);
    judge_time_order(decision, violations);
    judge_winners(decision, starts, violations);
    judge_front(decision, starts, violations);
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
    for &(place, Offer { rankings, span, .. }) in starts {
        let won = decision.offers().iter().find(|offer| offer.span == *span);
        let won = won.map_or(&[][..], |offer| &offer.rankings);
        let left_out = matches!(place, Place::Pareto(_)) && rankings.is_empty();
        if rankings != won && !left_out {
            violations.push(Violation::OtherRankings { place });
        }
    }
}

fn judge_time_order(decision: &Decision, violations: &mut Vec<Violation>) {
    let mut judge = |starts: &[Offer], place: fn(usize) -> Place| {
        for (index, pair) in starts.windows(2).enumerate() {
            if pair[0].span.start() >= pair[1].span.start() {
                violations.push(Violation::NotInTimeOrder { place: place(index + 1) });
            }
        }
    };
    judge(decision.offers(), Place::Offer);
    judge(&decision.pareto, Place::Pareto);
}

/// No start of the decision comes before an offer in the offer's own ranking, nor equals it earlier.
fn judge_winners(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    let key = |ranking: Ranking, offer: &Offer| -> ([i128; 3], Timestamp) {
        (ranking.criteria().map(|criterion| amount(criterion, offer)), offer.span.start())
    };
    for (index, offer) in decision.offers().iter().enumerate() {
        let place = Place::Offer(index);
        for &ranking in &offer.rankings {
            let winner = starts.iter().min_by_key(|(_, other)| key(ranking, other));
            if let Some(&(by, winner)) = winner
                && key(ranking, winner) < key(ranking, offer)
            {
                violations.push(Violation::Beaten { place, ranking, by });
            }
        }
    }
}

fn amount(criterion: Criterion, offer: &Offer) -> i128 {
    match criterion {
        Criterion::Energy => offer.values.energy.as_microjoules(),
        Criterion::Cost => offer.values.cost.as_exact(),
        Criterion::Co2 => offer.values.co2.as_exact(),
    }
}

/// Nothing on the front is dominated, and every other start of the decision is on it: a
/// lexicographic minimum, earliest among equals, and the first start cannot be dominated.
fn judge_front(decision: &Decision, starts: &[Start<'_>], violations: &mut Vec<Violation>) {
    let amounts: Vec<[i128; 4]> = starts
        .iter()
        .map(|(_, offer)| {
            let [energy, cost, co2] = Criterion::ALL.map(|criterion| amount(criterion, offer));
            [energy, cost, co2, offer.delay.get().into()]
        })
        .collect();
    for (&(place, _), amount) in starts.iter().zip(&amounts) {
        if let Some(by) = amounts.iter().position(|other| dominates(other, amount)) {
            violations.push(Violation::Dominated { place, by: starts[by].0 });
        }
    }
    for &(place, offer) in starts.iter().filter(|(place, _)| !matches!(place, Place::Pareto(_))) {
        let same = |other: &Offer| other.span == offer.span && other.ranks == offer.ranks;
        if !decision.pareto.iter().any(same) {
            violations.push(Violation::MissingFromFront { place });
        }
    }
}

fn dominates(left: &[i128; 4], right: &[i128; 4]) -> bool {
    left != right && left.iter().zip(right).all(|(left, right)| left <= right)
}
