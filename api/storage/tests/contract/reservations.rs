//! Listing reservations.

use planner::identity::ReservationId;
use planner::reservation::{OfferSelector, ReservationState};
use storage::{Database, Filter, NewReservation};

use crate::bench::{
    Bench, install_ten_nodes, offer, on_both_engines, propose, ranks, reservation, span, t,
};

on_both_engines![
    pages_follow_each_other_without_gaps_or_repeats,
    the_newest_come_first_where_that_is_wanted,
    owners_and_states_narrow_the_list,
    a_span_finds_the_chosen_offer_or_any_before_the_choice,
];

async fn ids(
    database: &Database,
    filter: &Filter,
    after: Option<ReservationId>,
    limit: u16,
) -> Vec<ReservationId> {
    let page = database.reservations(filter, after, limit).await.unwrap();
    page.iter().map(|reservation| reservation.id).collect()
}

/// Seven reservations of a node each, from 100 to 200, 200 to 300 and so on.
async fn seven(database: &Database) -> Vec<ReservationId> {
    install_ten_nodes(database).await;
    let mut made = Vec::new();
    for n in 1..=7_i64 {
        let owner = if n % 2 == 0 { "bob'; --" } else { "ada" }.to_owned();
        let offers = vec![offer(ranks(0..1), span(n * 100, n * 100 + 100))];
        let next = NewReservation { owner, ..reservation(offers) };
        propose(database, &next, 0).await.unwrap();
        made.push(next.id);
    }
    made
}

async fn pages_follow_each_other_without_gaps_or_repeats(bench: Bench) {
    let made = seven(&bench.database).await;
    let mut seen = Vec::new();
    loop {
        let after = seen.last().copied();
        let page = bench.database.reservations(&Filter::default(), after, 3).await.unwrap();
        assert!(page.len() <= 3);
        if page.is_empty() {
            break;
        }
        assert!(page.iter().all(|reservation| reservation.offers.len() == 1));
        seen.extend(page.iter().map(|reservation| reservation.id));
    }
    assert_eq!(seen, made);
}

async fn the_newest_come_first_where_that_is_wanted(bench: Bench) {
    let database = &bench.database;
    let mut made = seven(database).await;
    made.reverse();
    let newest = Filter { newest: true, ..Filter::default() };
    assert_eq!(ids(database, &newest, None, 3).await, made[..3]);
    assert_eq!(ids(database, &newest, Some(made[2]), 10).await, made[3..]);
    let of_bob = Filter { owner: Some("bob'; --".to_owned()), ..newest };
    assert_eq!(ids(database, &of_bob, Some(made[2]), 10).await, [made[3], made[5]]);
}

async fn owners_and_states_narrow_the_list(bench: Bench) {
    let database = &bench.database;
    let made = seven(database).await;
    database.cancel(made[1], t(10), None).await.unwrap();
    let of_bob = Filter { owner: Some("bob'; --".to_owned()), ..Filter::default() };
    assert_eq!(ids(database, &of_bob, None, 10).await, [made[1], made[3], made[5]]);
    assert_eq!(ids(database, &of_bob, Some(made[3]), 10).await, [made[5]]);
    let states = vec![ReservationState::Cancelled, ReservationState::Expired];
    let ended = Filter { states, ..Filter::default() };
    assert_eq!(ids(database, &ended, None, 10).await, [made[1]]);
    let proposed = Filter { states: vec![ReservationState::Proposed], ..of_bob };
    assert_eq!(ids(database, &proposed, None, 10).await, [made[3], made[5]]);
}

async fn a_span_finds_the_chosen_offer_or_any_before_the_choice(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let made = reservation(vec![
        offer(ranks(0..1), span(2000, 2100)),
        offer(ranks(0..1), span(5000, 5100)),
    ]);
    propose(database, &made, 0).await.unwrap();
    let within = async |from: Option<i64>, to: Option<i64>| {
        let filter = Filter { from: from.map(t), to: to.map(t), ..Filter::default() };
        !ids(database, &filter, None, 10).await.is_empty()
    };
    assert!(within(Some(2099), Some(3000)).await);
    assert!(within(Some(4000), None).await);
    assert!(!within(Some(2100), Some(5000)).await);
    assert!(!within(None, Some(2000)).await);
    let selector = OfferSelector::Offer(made.offers[0].id);
    database.choose(made.id, selector, t(10), None, false).await.unwrap();
    assert!(within(Some(2099), None).await);
    assert!(!within(Some(4000), None).await);
}
