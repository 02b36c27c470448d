//! Other nodes and other offers for reservations that outages hit.

use planner::identity::{OfferId, ReservationId};
use planner::node_set::NodeSet;
use planner::reservation::{OfferSelector, OfferTerms, ReservationState};
use planner::time::{Span, Timestamp};
use storage::{BookChanges, Database, NewNodes, NewOffer, PlanBasis, ProposeError, Unchanged};

use crate::bench::{
    Bench, install_ten_nodes, newest, notice, offer, on_both_engines, propose, ranks, reservation,
    span, t, terms,
};

on_both_engines![
    other_nodes_are_taken_from_an_instant_on_and_healthy_ones_kept,
    nodes_that_others_hold_are_refused_and_nothing_changes,
    what_changed_since_it_was_read_is_left_alone,
    held_offers_are_made_anew,
    offers_are_withdrawn_only_as_they_were_read,
];

/// Holds nodes 0 to 2 from 2000 to 3000, confirmed at 20.
async fn confirmed(database: &Database) -> (ReservationId, OfferId) {
    let held = reservation(vec![offer(ranks(0..3), span(2000, 3000))]);
    propose(database, &held, 10).await.unwrap();
    let chosen = OfferSelector::Offer(held.offers[0].id);
    database.choose(held.id, chosen, t(20), None, false).await.unwrap();
    (held.id, held.offers[0].id)
}

async fn as_read(database: &Database, id: ReservationId) -> Unchanged {
    let row_version = database.reservation(id).await.unwrap().unwrap().row_version;
    Unchanged { id, row_version, basis: newest(database.marks().await.unwrap().version) }
}

fn nodes(offer: OfferId, from: i64, holdings: &[(Span, NodeSet)]) -> NewNodes {
    let (span, ranks) = &holdings[0];
    let terms = OfferTerms { basis: None, cost_band: None, ..terms(ranks, *span) };
    NewNodes { offer, from: t(from), holdings: holdings.to_vec(), terms }
}

async fn held(database: &Database, id: ReservationId) -> Vec<(Span, NodeSet)> {
    let allocations = database.allocations_of(id).await.unwrap();
    allocations.into_iter().map(|it| (it.span, it.ranks)).collect()
}

/// Kinds of the events so far.
async fn told(database: &Database) -> Vec<String> {
    let events = database.events_after(None, 100).await.unwrap();
    events.into_iter().map(|event| event.kind).collect()
}

async fn other_nodes_are_taken_from_an_instant_on_and_healthy_ones_kept(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, offer_id) = confirmed(database).await;
    let unchanged = as_read(database, id).await;
    let before = database.marks().await.unwrap();
    let others = NodeSet::from_positions([0, 2, 7]);
    let new = [nodes(offer_id, 2400, &[(span(2400, 3000), others.clone())])];
    assert!(database.replace_nodes_of(unchanged, &new, false, &notice(), t(30)).await.unwrap());
    let expected = [(span(2000, 2400), ranks(0..3)), (span(2400, 3000), others.clone())];
    assert_eq!(held(database, id).await, expected);
    let stored = database.reservation(id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.degraded), (ReservationState::Confirmed, false));
    assert_eq!(stored.notice, Some(notice()));
    assert_eq!(stored.offers[0].terms.nodes, new[0].terms.nodes);
    assert_eq!((stored.offers[0].terms.cost_band, &stored.offers[0].terms.basis), (None, &None));
    assert_eq!(told(database).await.last().unwrap(), "reservation.nodes_replaced");
    // Plans made before are wrong, and whoever has the book in memory hears of it.
    let changes = database.changes(Some(before), None, t(30), true).await.unwrap();
    assert!(changes.marks.version > before.version);
    let BookChanges::Of(ids, holdings) = changes.book else { panic!("only what changed") };
    assert_eq!((ids, holdings.len()), (vec![id], 2));
    // n1 is free from 2400 on, n7 until then.
    let free = reservation(vec![
        offer(ranks(1..2), span(2400, 3000)),
        offer(ranks(7..8), span(2000, 2400)),
    ]);
    propose(database, &free, 40).await.unwrap();
    // And once more, while it runs.
    database.advance(t(2500)).await.unwrap();
    let unchanged = as_read(database, id).await;
    let last = NodeSet::from_positions([2, 7, 8]);
    let new = [nodes(offer_id, 2500, &[(span(2500, 3000), last.clone())])];
    assert!(database.replace_nodes_of(unchanged, &new, true, &notice(), t(2500)).await.unwrap());
    let expected =
        [expected[0].clone(), (span(2400, 2500), others), (span(2500, 3000), last.clone())];
    assert_eq!(held(database, id).await, expected);
    assert!(database.reservation(id).await.unwrap().unwrap().degraded);
    // What is cancelled is free from then on.
    database.cancel(id, t(2600), None).await.unwrap();
    assert_eq!(held(database, id).await[2], (span(2500, 2600), last));
}

async fn nodes_that_others_hold_are_refused_and_nothing_changes(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, offer_id) = confirmed(database).await;
    let other = reservation(vec![offer(ranks(7..8), span(2900, 4000))]);
    propose(database, &other, 20).await.unwrap();
    let unchanged = as_read(database, id).await;
    let taken = NodeSet::from_positions([0, 2, 7]);
    let new = [nodes(offer_id, 2000, &[(span(2000, 3000), taken)])];
    let refused = database.replace_nodes_of(unchanged, &new, false, &notice(), t(30)).await;
    assert!(matches!(refused, Err(ProposeError::DoubleBooking)), "{refused:?}");
    let new = [nodes(offer_id, 2000, &[(span(2000, 3000), ranks(9..11))])];
    let refused = database.replace_nodes_of(unchanged, &new, false, &notice(), t(30)).await;
    assert!(matches!(refused, Err(ProposeError::UnknownNodes { node_count: 10 })), "{refused:?}");
    assert_eq!(held(database, id).await, [(span(2000, 3000), ranks(0..3))]);
    let stored = database.reservation(id).await.unwrap().unwrap();
    assert_eq!((stored.row_version, stored.notice), (unchanged.row_version, None));
    assert_eq!(told(database).await.last().unwrap(), "reservation.proposed");
}

async fn what_changed_since_it_was_read_is_left_alone(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (id, offer_id) = confirmed(database).await;
    let unchanged = as_read(database, id).await;
    let new = [nodes(offer_id, 2000, &[(span(2000, 3000), ranks(3..6))])];
    let replace = async |unchanged: Unchanged, now: Timestamp| {
        database.replace_nodes_of(unchanged, &new, false, &notice(), now).await
    };
    let older = PlanBasis { version: unchanged.basis.version - 1, ..unchanged.basis };
    let refused = replace(Unchanged { basis: older, ..unchanged }, t(30)).await;
    assert!(matches!(refused, Err(ProposeError::BookChanged { .. })), "{refused:?}");
    let row_version = unchanged.row_version - 1;
    assert!(!replace(Unchanged { row_version, ..unchanged }, t(30)).await.unwrap());
    assert!(!replace(unchanged, t(3000)).await.unwrap(), "it is over");
    database.cancel(id, t(40), None).await.unwrap();
    assert!(!replace(as_read(database, id).await, t(50)).await.unwrap());
    assert_eq!(held(database, id).await, []);
}

async fn held_offers_are_made_anew(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let before = reservation(vec![
        offer(ranks(0..3), span(2000, 3000)),
        offer(ranks(0..3), span(4000, 5000)),
    ]);
    propose(database, &before, 10).await.unwrap();
    let anew: [NewOffer; 1] = [offer(ranks(1..4), span(2000, 3000))];
    let make = async |unchanged: Unchanged, now: Timestamp| {
        database.offer_anew(unchanged, r#"{"a":1}"#, &anew, t(1500), &notice(), now).await
    };
    let unchanged = as_read(database, before.id).await;
    assert!(!make(unchanged, t(1000)).await.unwrap(), "its hold is over");
    assert!(make(unchanged, t(20)).await.unwrap());
    let stored = database.reservation(before.id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.expires), (ReservationState::Proposed, t(1500)));
    assert_eq!((stored.notice, stored.summary.as_str()), (Some(notice()), r#"{"a":1}"#));
    assert_eq!(stored.offers.iter().map(|it| it.id).collect::<Vec<_>>(), [anew[0].id]);
    assert_eq!(held(database, before.id).await, [(span(2000, 3000), ranks(1..4))]);
    let told = told(database).await;
    assert_eq!(told[told.len() - 2..], ["reservation.withdrawn", "reservation.proposed"]);
    let chosen = OfferSelector::Offer(anew[0].id);
    assert!(!make(unchanged, t(30)).await.is_ok_and(|made| made), "it was read before");
    database.choose(before.id, chosen, t(1200), None, false).await.unwrap();
    let late = as_read(database, before.id).await;
    let again = [offer(ranks(5..6), span(2000, 3000))];
    let written = database.offer_anew(late, "{}", &again, t(9000), &notice(), t(1300)).await;
    assert!(!written.unwrap(), "it is chosen");
}

async fn offers_are_withdrawn_only_as_they_were_read(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let before = reservation(vec![
        offer(ranks(0..3), span(2000, 3000)),
        offer(ranks(0..3), span(4000, 5000)),
    ]);
    propose(database, &before, 10).await.unwrap();
    let [first, second] = [before.offers[0].id, before.offers[1].id];
    let unchanged = as_read(database, before.id).await;
    let withdraw = async |unchanged: Unchanged, offer: OfferId| {
        database.withdraw_lost_offers(unchanged, &[offer], &notice(), t(20)).await
    };
    let older = PlanBasis { version: unchanged.basis.version - 1, ..unchanged.basis };
    let refused = withdraw(Unchanged { basis: older, ..unchanged }, first).await;
    assert!(matches!(refused, Err(ProposeError::BookChanged { .. })), "{refused:?}");
    let row_version = unchanged.row_version - 1;
    assert!(!withdraw(Unchanged { row_version, ..unchanged }, first).await.unwrap());
    assert_eq!(held(database, before.id).await.len(), 2);
    assert!(withdraw(unchanged, first).await.unwrap());
    assert_eq!(held(database, before.id).await, [(span(4000, 5000), ranks(0..3))]);
    assert!(!withdraw(unchanged, second).await.unwrap(), "it was read before");
    assert!(withdraw(as_read(database, before.id).await, second).await.unwrap());
    let stored = database.reservation(before.id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.offers.len()), (ReservationState::Rejected, 0));
    assert_eq!(told(database).await.last().unwrap(), "reservation.withdrawn");
    // What is chosen is not withdrawn.
    let (id, offer_id) = confirmed(database).await;
    assert!(!withdraw(as_read(database, id).await, offer_id).await.unwrap());
}
