//! Proposing: versions, holds and races.

use planner::node_set::NodeSet;
use planner::reservation::{OfferSelector, ReservationState};
use storage::{OfferError, PlanBasis, ProposeError};

use crate::bench::{
    Bench, install_ten_nodes, newest, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    a_proposal_comes_back_with_its_offers_and_nodes,
    a_plan_that_rests_on_an_older_book_is_refused,
    held_nodes_are_refused_to_others,
    a_hold_that_is_over_frees_its_nodes,
    a_hold_chosen_in_its_last_moment_is_not_taken_for_over,
    ranks_beyond_the_cluster_are_refused,
    a_reservation_without_offers_awaits_the_supplier,
    of_twenty_proposals_at_once_exactly_one_wins_a_version,
    of_twenty_retried_proposals_for_the_same_nodes_one_is_booked,
];

async fn a_proposal_comes_back_with_its_offers_and_nodes(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let scattered = NodeSet::from_positions([0, 1, 4, 9]);
    let made = reservation(vec![
        offer(scattered.clone(), span(100, 200)),
        offer(ranks(0..5), span(150, 250)),
    ]);
    propose(database, &made, 0).await.unwrap();
    let stored = database.reservation(made.id).await.unwrap().unwrap();
    assert_eq!(stored.state, ReservationState::Proposed);
    assert_eq!((stored.owner, stored.request), (made.owner.clone(), made.request.clone()));
    assert_eq!((stored.created, stored.expires), (made.created, made.expires));
    assert_eq!((stored.chosen, stored.degraded, stored.row_version), (None, false, 1));
    assert_eq!(stored.offers.len(), 2);
    for (stored, made) in stored.offers.iter().zip(&made.offers) {
        assert_eq!((stored.id, &stored.terms), (made.id, &made.terms));
    }
    let held = database.allocations(span(0, 130), t(0)).await.unwrap();
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].owner.as_str(), &held[0].ranks), ("ada", &scattered));
    assert_eq!(database.marks().await.unwrap().version, 2);
}

async fn a_plan_that_rests_on_an_older_book_is_refused(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let version = database.marks().await.unwrap().version;
    let [first, second] =
        [0..1, 1..2].map(|nodes| reservation(vec![offer(ranks(nodes), span(10, 20))]));
    database.propose(newest(version), &first, t(0), None).await.unwrap();
    let stale = database.propose(newest(version), &second, t(0), None).await;
    assert!(matches!(stale, Err(ProposeError::BookChanged { expected: 1, found: 2 })));
    assert_eq!(database.reservation(second.id).await.unwrap(), None);
}

async fn held_nodes_are_refused_to_others(bench: Bench) {
    install_ten_nodes(&bench.database).await;
    let held = reservation(vec![offer(ranks(0..5), span(100, 200))]);
    propose(&bench.database, &held, 0).await.unwrap();
    let wanted = reservation(vec![offer(ranks(4..6), span(150, 160))]);
    let refused = propose(&bench.database, &wanted, 0).await;
    assert!(matches!(refused, Err(ProposeError::DoubleBooking)));
    assert_eq!(bench.database.reservation(wanted.id).await.unwrap(), None);
    assert_eq!(bench.database.marks().await.unwrap().version, 2);
}

/// The hold ends at 1000: at 999 it is in the way, at 1000 it is not.
async fn a_hold_that_is_over_frees_its_nodes(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let held = reservation(vec![offer(ranks(0..5), span(2000, 3000))]);
    propose(database, &held, 0).await.unwrap();
    let window = span(2000, 3000);
    assert_eq!(database.allocations(window, t(999)).await.unwrap().len(), 1);
    assert_eq!(database.allocations(window, t(1000)).await.unwrap(), []);
    let mut wanted = reservation(vec![offer(ranks(0..5), window)]);
    wanted.expires = t(1500);
    assert!(matches!(propose(database, &wanted, 999).await, Err(ProposeError::DoubleBooking)));
    propose(database, &wanted, 1000).await.unwrap();
    let expired = database.reservation(held.id).await.unwrap().unwrap();
    assert_eq!((expired.state, expired.row_version), (ReservationState::Expired, 2));
    assert_eq!(database.allocations_of(held.id).await.unwrap(), []);
}

/// The hold ends at 1000 and is chosen at 999. A plan of 1000 that did not see that took it for over;
/// one of 999 counted it as held, one made later as booked.
async fn a_hold_chosen_in_its_last_moment_is_not_taken_for_over(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let held = reservation(vec![offer(ranks(0..5), span(2000, 3000))]);
    propose(database, &held, 0).await.unwrap();
    let before = PlanBasis::from(database.marks().await.unwrap());
    let selector = OfferSelector::Offer(held.offers[0].id);
    database.choose(held.id, selector, t(999), None, false).await.unwrap();
    let wanted = || reservation(vec![offer(ranks(5..6), span(2000, 3000))]);
    let late = database.propose(before, &wanted(), t(1000), None).await;
    assert!(matches!(late, Err(ProposeError::HoldChosen)));
    database.propose(before, &wanted(), t(999), None).await.unwrap();
    let after = PlanBasis::from(database.marks().await.unwrap());
    let other = reservation(vec![offer(ranks(6..7), span(2000, 3000))]);
    database.propose(after, &other, t(1000), None).await.unwrap();
}

async fn ranks_beyond_the_cluster_are_refused(bench: Bench) {
    let wanted = reservation(vec![offer(ranks(9..11), span(10, 20))]);
    let refused = propose(&bench.database, &wanted, 0).await;
    assert!(matches!(refused, Err(ProposeError::UnknownNodes { node_count: 0 })));
    install_ten_nodes(&bench.database).await;
    let refused = propose(&bench.database, &wanted, 0).await;
    assert!(matches!(refused, Err(ProposeError::UnknownNodes { node_count: 10 })));
}

async fn a_reservation_without_offers_awaits_the_supplier(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let waiting = reservation(Vec::new());
    propose(database, &waiting, 0).await.unwrap();
    let state_now = async || database.reservation(waiting.id).await.unwrap().unwrap().state;
    assert_eq!(state_now().await, ReservationState::AwaitingSupplier);
    let offers = [offer(ranks(0..3), span(2000, 2100))];
    let stale = database.offer(newest(1), waiting.id, "{}", &offers, t(1500), t(10)).await;
    let changed = ProposeError::BookChanged { expected: 1, found: 2 };
    assert!(
        matches!(stale, Err(OfferError::Propose(error)) if error.to_string() == changed.to_string())
    );
    database.offer(newest(2), waiting.id, "{}", &offers, t(1500), t(10)).await.unwrap();
    assert_eq!(state_now().await, ReservationState::Proposed);
    assert_eq!(database.marks().await.unwrap().version, 3);
    let again = database.offer(newest(3), waiting.id, "{}", &offers, t(1500), t(10)).await;
    let proposed = ReservationState::Proposed;
    assert!(matches!(again, Err(OfferError::NotAwaitingSupplier { state }) if state == proposed));
    let selector = OfferSelector::Offer(offers[0].id);
    database.choose(waiting.id, selector, t(1499), None, false).await.unwrap();
}

async fn of_twenty_proposals_at_once_exactly_one_wins_a_version(bench: Bench) {
    install_ten_nodes(&bench.database).await;
    let proposals = (0..20).map(|_| {
        let database = bench.database.clone();
        tokio::spawn(async move {
            let wanted = reservation(vec![offer(ranks(0..5), span(100, 200))]);
            database.propose(newest(1), &wanted, t(0), None).await
        })
    });
    let mut won = 0;
    for proposal in proposals.collect::<Vec<_>>() {
        match proposal.await.unwrap() {
            Ok(()) => won += 1,
            Err(ProposeError::BookChanged { expected: 1, found: 2 }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(bench.database.marks().await.unwrap().version, 2);
}

/// Each takes the version anew until the book tells it that the nodes are taken.
async fn of_twenty_retried_proposals_for_the_same_nodes_one_is_booked(bench: Bench) {
    install_ten_nodes(&bench.database).await;
    let proposals = (0..20).map(|_| {
        let database = bench.database.clone();
        tokio::spawn(async move {
            let wanted = reservation(vec![offer(ranks(0..5), span(100, 200))]);
            loop {
                match propose(&database, &wanted, 0).await {
                    Err(ProposeError::BookChanged { .. }) => {}
                    outcome => break outcome,
                }
            }
        })
    });
    let mut won = 0;
    for proposal in proposals.collect::<Vec<_>>() {
        match proposal.await.unwrap() {
            Ok(()) => won += 1,
            Err(ProposeError::DoubleBooking) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(won, 1);
    let held = bench.database.allocations(span(0, 1000), t(0)).await.unwrap();
    assert_eq!(held.len(), 1);
}
