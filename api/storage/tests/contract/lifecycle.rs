//! Choosing, ending and what the clock does.

use planner::identity::{OfferId, ReservationId};
use planner::preference::Preference;
use planner::ranking::Ranking;
use planner::reservation::{ChoiceRefused, EndRefused, Ending, OfferSelector, ReservationState};
use storage::{Advanced, ChooseError, Database, EndError, NewReservation};

use crate::bench::{
    Bench, install_ten_nodes, next_uuid, notice, offer, on_both_engines, propose, ranks,
    reservation, span, t,
};

on_both_engines![
    choosing_an_offer_frees_the_others,
    an_offer_is_chosen_by_its_ranking,
    choosing_the_same_offer_again_succeeds,
    a_choice_is_refused_with_the_reason,
    cancelling_frees_the_nodes,
    cancelling_what_runs_keeps_its_past,
    what_has_ended_is_not_ended_again,
    the_clock_expires_starts_and_completes,
    what_started_and_ended_unseen_is_completed,
    choosing_ending_and_expiring_leave_the_version,
    degraded_is_a_flag_beside_the_state,
];

/// Two alternatives: ranks 0 to 4 from 2000 to 3000 by all rankings, or 5 to 7 from 2500 to 2600.
async fn proposed(database: &Database) -> NewReservation {
    install_ten_nodes(database).await;
    let mut late = offer(ranks(5..8), span(2500, 2600));
    late.terms.rankings = Vec::new();
    let made = reservation(vec![offer(ranks(0..5), span(2000, 3000)), late]);
    propose(database, &made, 0).await.unwrap();
    made
}

async fn confirmed(database: &Database) -> NewReservation {
    let made = proposed(database).await;
    let first = OfferSelector::Offer(made.offers[0].id);
    database.choose(made.id, first, t(10), None, false).await.unwrap();
    made
}

async fn state(database: &Database, id: ReservationId) -> ReservationState {
    database.reservation(id).await.unwrap().unwrap().state
}

async fn choosing_an_offer_frees_the_others(bench: Bench) {
    let database = &bench.database;
    let made = proposed(database).await;
    let selector = OfferSelector::Offer(made.offers[1].id);
    let chosen = database.choose(made.id, selector, t(999), Some(1), false).await.unwrap();
    assert_eq!(chosen.state, ReservationState::Confirmed);
    assert_eq!(chosen.chosen, Some((made.offers[1].id, span(2500, 2600))));
    assert_eq!(chosen.row_version, 2);
    assert_eq!(database.reservation(made.id).await.unwrap(), Some(chosen));
    let held = database.allocations_of(made.id).await.unwrap();
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].offer_id, &held[0].ranks), (made.offers[1].id, &ranks(5..8)));
    let other = reservation(vec![offer(ranks(0..5), span(2000, 3000))]);
    propose(database, &other, 10).await.unwrap();
}

async fn an_offer_is_chosen_by_its_ranking(bench: Bench) {
    let made = proposed(&bench.database).await;
    let selector = OfferSelector::Preferred(Preference::Ranking(Ranking::ALL[3]));
    let chosen = bench.database.choose(made.id, selector, t(10), None, false).await.unwrap();
    assert_eq!(chosen.chosen.unwrap().0, made.offers[0].id);
}

/// Also with the row version from before, once it runs, and by ranking.
async fn choosing_the_same_offer_again_succeeds(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    let by_id = OfferSelector::Offer(made.offers[0].id);
    let again = database.choose(made.id, by_id, t(11), Some(1), false).await.unwrap();
    assert_eq!(again.row_version, 2);
    let by_ranking = OfferSelector::Preferred(Preference::Ranking(Ranking::ALL[0]));
    database.choose(made.id, by_ranking, t(2500), None, false).await.unwrap();
    let other = OfferSelector::Offer(made.offers[1].id);
    let refused = database.choose(made.id, other, t(11), None, false).await;
    let confirmed = ReservationState::Confirmed;
    assert!(
        matches!(refused, Err(ChooseError::Refused(ChoiceRefused::NotProposed { state })) if state == confirmed)
    );
}

async fn a_choice_is_refused_with_the_reason(bench: Bench) {
    let database = &bench.database;
    let made = proposed(database).await;
    let first = OfferSelector::Offer(made.offers[0].id);
    let unknown = OfferSelector::Offer(OfferId::new(next_uuid()));
    let nobody = ReservationId::new(next_uuid());
    let missing = database.choose(nobody, first, t(10), None, false).await;
    assert!(matches!(missing, Err(ChooseError::NotFound)));
    let refused = database.choose(made.id, unknown, t(10), None, false).await;
    assert!(matches!(refused, Err(ChooseError::Refused(ChoiceRefused::UnknownOffer))));
    let refused = database.choose(made.id, first, t(10), Some(7), false).await;
    assert!(matches!(
        refused,
        Err(ChooseError::Refused(ChoiceRefused::VersionMismatch { found: 1 }))
    ));
    let late = database.choose(made.id, first, t(1000), None, false).await;
    assert!(
        matches!(late, Err(ChooseError::Refused(ChoiceRefused::Expired { expired })) if expired == t(1000))
    );
    database.advance(t(1000)).await.unwrap();
    let late = database.choose(made.id, first, t(1000), None, false).await;
    assert!(matches!(late, Err(ChooseError::Refused(ChoiceRefused::Expired { .. }))));
}

async fn cancelling_frees_the_nodes(bench: Bench) {
    let database = &bench.database;
    let made = proposed(database).await;
    let stale = database.cancel(made.id, t(10), Some(9)).await;
    assert!(matches!(stale, Err(EndError::Refused(EndRefused::VersionMismatch { found: 1 }))));
    let cancelled = database.cancel(made.id, t(10), Some(1)).await.unwrap();
    assert_eq!((cancelled.state, cancelled.row_version), (ReservationState::Cancelled, 2));
    assert_eq!(database.reservation(made.id).await.unwrap(), Some(cancelled));
    assert_eq!(database.allocations_of(made.id).await.unwrap(), []);
    let again = confirmed(&bench.database).await;
    database.cancel(again.id, t(1999), None).await.unwrap();
    assert_eq!(database.allocations_of(again.id).await.unwrap(), []);
    let nobody = database.cancel(ReservationId::new(next_uuid()), t(10), None).await;
    assert!(matches!(nobody, Err(EndError::NotFound)));
}

/// It runs from 2000 to 3000 and is cancelled at 2400: the row keeps 2000 to 2400, the rest is
/// free.
async fn cancelling_what_runs_keeps_its_past(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    database.advance(t(2000)).await.unwrap();
    database.cancel(made.id, t(2400), None).await.unwrap();
    let past = database.allocations_of(made.id).await.unwrap();
    assert_eq!(past.len(), 1);
    assert_eq!(past[0].span, span(2000, 2400));
    let window = span(2000, 3000);
    assert_eq!(database.allocations(window, t(2400)).await.unwrap(), []);
    let next = reservation(vec![offer(ranks(0..5), span(2400, 3000))]);
    propose(database, &next, 2400).await.unwrap();
}

async fn what_has_ended_is_not_ended_again(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    // The row still says confirmed, but the end has passed.
    let late = database.cancel(made.id, t(3000), None).await;
    let completed = ReservationState::Completed;
    assert!(
        matches!(late, Err(EndError::Refused(EndRefused::AlreadyEnded { state })) if state == completed)
    );
    let failed = database.end(made.id, Ending::Failed, t(2500), None).await.unwrap();
    assert_eq!(failed.state, ReservationState::Failed);
    let again = database.cancel(made.id, t(2500), None).await;
    let failed = ReservationState::Failed;
    assert!(
        matches!(again, Err(EndError::Refused(EndRefused::AlreadyEnded { state })) if state == failed)
    );
}

async fn the_clock_expires_starts_and_completes(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    let held = reservation(vec![offer(ranks(8..9), span(2000, 3000))]);
    propose(database, &held, 20).await.unwrap();
    let moved = |id, state| vec![Advanced { id, state }];
    assert_eq!(database.advance(t(999)).await.unwrap(), []);
    let expired = moved(held.id, ReservationState::Expired);
    assert_eq!(database.advance(t(1000)).await.unwrap(), expired);
    assert_eq!(database.allocations_of(held.id).await.unwrap(), []);
    assert_eq!(database.advance(t(1999)).await.unwrap(), []);
    let active = moved(made.id, ReservationState::Active);
    assert_eq!(database.advance(t(2000)).await.unwrap(), active);
    assert_eq!(database.advance(t(2999)).await.unwrap(), []);
    let completed = moved(made.id, ReservationState::Completed);
    assert_eq!(database.advance(t(3000)).await.unwrap(), completed);
    assert_eq!(state(database, made.id).await, ReservationState::Completed);
    assert_eq!(database.advance(t(9000)).await.unwrap(), []);
    assert_eq!(database.allocations_of(made.id).await.unwrap().len(), 1);
}

async fn what_started_and_ended_unseen_is_completed(bench: Bench) {
    let made = confirmed(&bench.database).await;
    let stored = bench.database.reservation(made.id).await.unwrap().unwrap();
    assert_eq!(stored.state_at(t(2000)), ReservationState::Active);
    assert_eq!(stored.state_at(t(3000)), ReservationState::Completed);
    let advanced = bench.database.advance(t(5000)).await.unwrap();
    assert_eq!(advanced, [Advanced { id: made.id, state: ReservationState::Completed }]);
}

async fn choosing_ending_and_expiring_leave_the_version(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    let held = reservation(vec![offer(ranks(8..9), span(2000, 3000))]);
    propose(database, &held, 20).await.unwrap();
    let version = database.marks().await.unwrap().version;
    database.cancel(made.id, t(30), None).await.unwrap();
    database.advance(t(1000)).await.unwrap();
    assert_eq!(database.marks().await.unwrap().version, version);
}

async fn degraded_is_a_flag_beside_the_state(bench: Bench) {
    let database = &bench.database;
    let made = confirmed(database).await;
    assert!(database.set_degraded(made.id, true, Some(&notice()), t(1)).await.unwrap());
    assert!(!database.set_degraded(made.id, true, Some(&notice()), t(1)).await.unwrap());
    let stored = database.reservation(made.id).await.unwrap().unwrap();
    assert!(stored.degraded);
    assert_eq!((stored.state, stored.row_version), (ReservationState::Confirmed, 3));
}
