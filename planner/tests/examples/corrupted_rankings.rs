//! The judge against offers that win less than they claim, and fronts that are none.

use planner::check::{Place, Violation};
use planner::decision::{Decision, Offer, Outcome};
use planner::time::Seconds;

use super::build::*;
use super::corrupted_starts::{assert_violates, violations};

/// Plans the six trade-offs, corrupts the decision and judges.
fn corrupt(corruption: impl FnOnce(&mut Decision)) -> Vec<Violation> {
    let problem = six_trade_offs();
    let (order, mut decision) = planned(&problem);
    corruption(&mut decision);
    violations(&problem, &order, &decision)
}

fn offers(decision: &mut Decision) -> &mut Vec<Offer> {
    match &mut decision.outcome {
        Outcome::Choice(offers) => offers,
        _ => panic!("there are six offers"),
    }
}

/// A flat tariff's optimum at 0:00, and the equal start at 1:00.
fn later_by_an_hour(offer: &Offer) -> Offer {
    Offer { span: hours(1, 2), delay: Seconds::new(HOUR), ..offer.clone() }
}

#[test]
fn catches_a_ranking_dropped() {
    let found = corrupt(|decision| offers(decision)[2].rankings.clear());
    assert_violates!(found.clone(), Violation::OfferWithoutRanking { place: Place::Offer(2) });
    assert_violates!(found, Violation::RankingNotOnce { times: 0, .. });
}

#[test]
fn catches_another_compromise() {
    for other in [None, Some(0), Some(99)] {
        let found = corrupt(|decision| {
            assert_ne!(decision.compromise, other);
            decision.compromise = other;
        });
        assert_violates!(found, Violation::OtherCompromise { stated, .. } if *stated == other);
    }
}

#[test]
fn catches_an_offer_dropped() {
    let found = corrupt(|decision| {
        offers(decision).remove(4);
    });
    assert_violates!(found, Violation::RankingNotOnce { times: 0, ranking }
        if ranking.to_string() == "co2_energy_cost");
}

#[test]
fn catches_a_ranking_listed_twice() {
    let found = corrupt(|decision| {
        let offers = offers(decision);
        let ranking = offers[0].rankings[0];
        offers[1].rankings.push(ranking);
    });
    assert_violates!(found.clone(), Violation::RankingNotOnce { times: 2, .. });
    assert_violates!(found.clone(), Violation::RankingsUnsorted { place: Place::Offer(1) });
    assert_violates!(found, Violation::Beaten { place: Place::Offer(1), by: Place::Offer(0), .. });
}

#[test]
fn catches_two_offers_that_swap_their_rankings() {
    let found = corrupt(|decision| {
        let offers = offers(decision);
        let rankings = std::mem::take(&mut offers[4].rankings);
        offers[4].rankings = std::mem::replace(&mut offers[5].rankings, rankings);
    });
    assert_violates!(
        found.clone(),
        Violation::Beaten { place: Place::Offer(4), by: Place::Offer(5), .. }
    );
    assert_violates!(found, Violation::Beaten { place: Place::Offer(5), by: Place::Offer(4), .. });
}

#[test]
fn catches_a_choice_that_claims_to_be_an_optimum() {
    let found = corrupt(|decision| decision.outcome = Outcome::Optimum(offers(decision).remove(0)));
    assert_violates!(found, Violation::RankingNotOnce { times: 0, .. });
    let found = corrupt(|decision| {
        let mut first = offers(decision)[0].clone();
        first.rankings = planner::ranking::Ranking::ALL.to_vec();
        decision.outcome = Outcome::Optimum(first);
    });
    assert_violates!(found, Violation::Beaten { by: Place::Pareto(_), .. });
}

#[test]
fn catches_an_optimum_dressed_as_a_choice() {
    let problem = request_for_an_hour(&[10], 1);
    let (order, mut decision) = planned(&problem);
    decision.outcome = Outcome::Choice(decision.offers().to_vec());
    assert_eq!(violations(&problem, &order, &decision), [Violation::NoChoice { offers: 1 }]);
}

#[test]
fn catches_an_equal_start_later_than_the_first() {
    let problem = request_for_an_hour(&[10], 1);
    let (order, mut decision) = planned(&problem);
    decision.outcome = Outcome::Optimum(later_by_an_hour(&decision.offers()[0]));
    let found = violations(&problem, &order, &decision);
    let claimed = found.iter().filter(|it| matches!(it, Violation::Beaten { .. })).count();
    assert_eq!(claimed, 6, "the first start wins all six");
}

#[test]
fn catches_offers_out_of_time_order() {
    let found = corrupt(|decision| offers(decision).swap(0, 1));
    assert_violates!(found, Violation::NotInTimeOrder { place: Place::Offer(1) });
    let found = corrupt(|decision| decision.pareto.swap(4, 5));
    assert_violates!(found, Violation::NotInTimeOrder { place: Place::Pareto(5) });
}

#[test]
fn catches_a_dominated_start_on_the_front() {
    let problem = request_for_an_hour(&[10], 1);
    let (order, mut decision) = planned(&problem);
    let later = later_by_an_hour(&decision.pareto[0]);
    decision.pareto.push(Offer { rankings: Vec::new(), ..later });
    assert_eq!(
        violations(&problem, &order, &decision),
        [Violation::Dominated { place: Place::Pareto(1), by: Place::Offer(0) }]
    );
}

#[test]
fn catches_an_offer_missing_from_the_front() {
    let found = corrupt(|decision| {
        decision.pareto.remove(3);
    });
    assert_eq!(found, [Violation::MissingFromFront { place: Place::Offer(3) }]);
}

#[test]
fn catches_other_rankings_on_the_first_start_than_on_its_offer() {
    let found = corrupt(|decision| {
        decision.as_soon_as_possible.as_mut().unwrap().rankings.clear();
    });
    assert_eq!(found, [Violation::OtherRankings { place: Place::AsSoonAsPossible }]);
}
