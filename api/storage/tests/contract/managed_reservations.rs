//! The outbox of reservations that the resource manager is to have, and reservations given back early.

use std::collections::BTreeSet;

use planner::identity::ReservationId;
use planner::reservation::{Ending, OfferSelector, ReservationState};
use planner::resource_manager::{ManagedState, WantedReservation, reservation_name};
use storage::{ChooseError, Database, ManagedReservationEvent, StoredManagedReservation};

use crate::bench::{
    Bench, install_ten_nodes, next_uuid, offer, on_both_engines, propose, ranks, reservation, span,
    t,
};

on_both_engines![
    what_is_chosen_is_in_the_outbox_in_the_same_transaction,
    what_was_chosen_before_is_adopted_once,
    how_one_stands_comes_back_whole,
    where_jobs_may_have_run_unseen_is_known_until_it_is_asked_for,
    those_that_are_settled_are_not_open,
    what_is_given_back_early_is_free_at_once,
    only_what_is_active_is_given_back_early,
];

/// Proposed at 0: nodes 0 and 1 from 2000 to 3000, or nodes 4 and 5 then.
async fn held(bench: &Bench) -> (&Database, ReservationId, OfferSelector) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let offers = vec![offer(ranks(0..2), span(2000, 3000)), offer(ranks(4..6), span(2000, 3000))];
    let made = reservation(offers);
    propose(database, &made, 0).await.unwrap();
    (database, made.id, OfferSelector::Offer(made.offers[0].id))
}

/// Kind, owner and data of what is told after the reservation was proposed.
async fn told(database: &Database) -> Vec<(String, Option<String>, serde_json::Value)> {
    let events = database.events_after(None, 1000).await.unwrap();
    let proposed = |kind: &str| kind == "reservation.proposed";
    let events = events.into_iter().skip_while(|event| !proposed(&event.kind)).skip(1);
    events
        .map(|event| (event.kind, event.owner, serde_json::from_str(&event.data).unwrap()))
        .collect()
}

async fn what_is_chosen_is_in_the_outbox_in_the_same_transaction(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    // What is refused, or fails on its way, is in neither.
    let refused = database.choose(id, first, t(1000), None, true).await;
    assert!(matches!(refused, Err(ChooseError::Refused(_))), "{refused:?}");
    // A row of another reservation has the name already, so that the outbox refuses.
    let other = reservation(vec![offer(ranks(8..9), span(5000, 6000))]);
    propose(database, &other, 0).await.unwrap();
    let taken = StoredManagedReservation {
        name: reservation_name(id),
        ..StoredManagedReservation::new(other.id, t(1))
    };
    database.put_managed_reservation(&taken, None, t(1)).await.unwrap();
    let failed = database.choose(id, first, t(10), None, true).await;
    assert!(matches!(failed, Err(ChooseError::Storage(_))), "{failed:?}");
    let stored = database.reservation(id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.chosen), (ReservationState::Proposed, None));
    assert_eq!(database.managed_reservations_of(&[id]).await.unwrap(), []);
    let free = format!("DELETE FROM managed_reservations WHERE name = '{}'", taken.name);
    bench.raw.execute(free).await.unwrap();
    // And what is chosen is in both.
    let before = database.marks().await.unwrap();
    database.choose(id, first, t(10), None, true).await.unwrap();
    assert_eq!(database.marks().await.unwrap().changes, before.changes + 1);
    let waiting = StoredManagedReservation::new(id, t(10));
    assert_eq!((waiting.state, &waiting.name), (ManagedState::Waiting, &format!("wattbook-{id}")));
    assert_eq!(database.managed_reservations_of(&[id]).await.unwrap(), [waiting]);
    let [.., chosen, outbox] = &told(database).await[..] else { panic!("too few") };
    assert_eq!(chosen.0, "reservation.confirmed");
    let name = reservation_name(id);
    let data = serde_json::json!({
        "reservation_id": id.to_string(), "name": name, "state": "waiting"
    });
    let kind = "managed_reservation.waiting".to_owned();
    assert_eq!(*outbox, (kind, Some("ada".to_owned()), data));
    // Choosing again does nothing more.
    let events = told(database).await.len();
    database.choose(id, first, t(11), None, true).await.unwrap();
    assert_eq!(told(database).await.len(), events);
}

async fn what_was_chosen_before_is_adopted_once(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    database.choose(id, first, t(10), None, false).await.unwrap();
    assert_eq!(database.managed_reservations_of(&[id]).await.unwrap(), []);
    // What is only held is no concern of the resource manager, nor what is over.
    let held = reservation(vec![offer(ranks(8..9), span(5000, 6000))]);
    propose(database, &held, 10).await.unwrap();
    assert_eq!(database.adopt_reservations(t(3000)).await.unwrap(), []);
    let before = database.marks().await.unwrap();
    assert_eq!(database.adopt_reservations(t(2999)).await.unwrap(), [id]);
    assert_eq!(database.adopt_reservations(t(2999)).await.unwrap(), []);
    // No plan rests on it.
    assert_eq!(database.marks().await.unwrap(), before);
    let stored = database.managed_reservations_of(&[held.id, id]).await.unwrap();
    assert_eq!(stored, [StoredManagedReservation::new(id, t(2999))]);
    let adopted = told(database).await.pop().unwrap();
    assert_eq!(
        (adopted.0.as_str(), adopted.1.as_deref()),
        ("managed_reservation.waiting", Some("ada"))
    );
}

fn pushed(id: ReservationId) -> WantedReservation {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    WantedReservation {
        name: reservation_name(id),
        nodes: names(&["n1", "n\"2"]),
        span: span(2000, 3000),
        users: names(&["alice"]),
        accounts: BTreeSet::new(),
    }
}

async fn how_one_stands_comes_back_whole(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    database.choose(id, first, t(10), None, true).await.unwrap();
    let stands = StoredManagedReservation {
        state: ManagedState::InForce,
        because: Some("n3 was refused".to_owned()),
        pushed: Some((pushed(id), 7)),
        drift: Some("it lacks n\"2".to_owned()),
        changed: t(20),
        attempts: 3,
        next_attempt: Some(t(30)),
        idle_since: Some(t(25)),
        used_node_seconds: 1 << 40,
        ..StoredManagedReservation::new(id, t(10))
    };
    let before = told(database).await.len();
    database.put_managed_reservation(&stands, None, t(20)).await.unwrap();
    assert_eq!(told(database).await.len(), before);
    let drifted = Some(ManagedReservationEvent::Drifted);
    database.put_managed_reservation(&stands, drifted, t(21)).await.unwrap();
    let event = told(database).await.pop().unwrap();
    assert_eq!(
        (event.0.as_str(), event.1.as_deref()),
        ("managed_reservation.drifted", Some("ada"))
    );
    assert_eq!(event.2["state"], "in_force");
    let open = database.managed_reservations_open().await.unwrap();
    let [(open, reservation)] = open.as_slice() else { panic!("{open:?}") };
    assert_eq!(*open, stands);
    assert_eq!(Some(reservation.clone()), database.reservation(id).await.unwrap());
}

/// It was pushed, and is gone from the resource manager by the time at which somebody asks.
async fn where_jobs_may_have_run_unseen_is_known_until_it_is_asked_for(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    database.choose(id, first, t(10), None, true).await.unwrap();
    database.note_unseen_jobs(&[id]).await.unwrap();
    assert_eq!(database.unseen_jobs(9).await.unwrap(), [], "no job runs in what was not pushed");
    let stands = StoredManagedReservation {
        state: ManagedState::InForce,
        pushed: Some((pushed(id), 7)),
        ..StoredManagedReservation::new(id, t(10))
    };
    database.put_managed_reservation(&stands, None, t(20)).await.unwrap();
    database.note_unseen_jobs(&[id]).await.unwrap();
    let gone = StoredManagedReservation::new(id, t(30));
    let gone = StoredManagedReservation { state: ManagedState::Removed, ..gone };
    database.put_managed_reservation(&gone, None, t(30)).await.unwrap();
    assert_eq!(database.unseen_jobs(9).await.unwrap(), [(id, pushed(id))]);
    assert_eq!(database.unseen_jobs(0).await.unwrap(), []);
    database.forget_unseen_jobs(id).await.unwrap();
    assert_eq!(database.unseen_jobs(9).await.unwrap(), []);
}

/// Five reservations, one in each state; then all of them end.
async fn those_that_are_settled_are_not_open(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let mut ids = Vec::new();
    for (node, state) in (0..).zip(ManagedState::ALL) {
        let made = reservation(vec![offer(ranks(node..node + 1), span(2000, 3000))]);
        propose(database, &made, 0).await.unwrap();
        let chosen = OfferSelector::Offer(made.offers[0].id);
        database.choose(made.id, chosen, t(1), None, true).await.unwrap();
        let stands =
            StoredManagedReservation { state, ..StoredManagedReservation::new(made.id, t(1)) };
        database.put_managed_reservation(&stands, None, t(1)).await.unwrap();
        ids.push(made.id);
    }
    let open = async || -> Vec<(ReservationId, ManagedState)> {
        let open = database.managed_reservations_open().await.unwrap();
        assert!(open.iter().all(|(managed, of)| managed.reservation_id == of.id));
        open.into_iter().map(|(managed, _)| (managed.reservation_id, managed.state)).collect()
    };
    let [waiting, in_force, failed, lost, _] = ids[..] else { panic!("five states") };
    let unsettled = [
        (waiting, ManagedState::Waiting),
        (in_force, ManagedState::InForce),
        (failed, ManagedState::Failed),
    ];
    let with_lost = [&unsettled[..], &[(lost, ManagedState::Lost)]].concat();
    assert_eq!(open().await, with_lost);
    for &id in &ids {
        database.end(id, Ending::Cancelled, t(2), None).await.unwrap();
    }
    assert_eq!(open().await, unsettled);
    let unknown = ReservationId::new(next_uuid());
    let all = [ids, vec![unknown]].concat();
    assert_eq!(database.managed_reservations_of(&all).await.unwrap().len(), 5);
}

/// From 2000 to 3000, given back at 2400: others may have its nodes from then on.
async fn what_is_given_back_early_is_free_at_once(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    database.choose(id, first, t(10), None, true).await.unwrap();
    let before = database.marks().await.unwrap();
    let given = database.complete_early(id, t(2400)).await.unwrap().unwrap();
    assert_eq!(given.state, ReservationState::Completed);
    assert_eq!(given.chosen.unwrap().1, span(2000, 2400));
    assert_eq!(Some(given), database.reservation(id).await.unwrap());
    let after = database.marks().await.unwrap();
    assert_eq!((after.version, after.changes), (before.version, before.changes + 1));
    let held = database.allocations_of(id).await.unwrap();
    let held: Vec<_> = held.iter().map(|it| (it.span, it.ranks.clone())).collect();
    assert_eq!(held, [(span(2000, 2400), ranks(0..2))]);
    let others = reservation(vec![offer(ranks(0..2), span(2400, 3000))]);
    propose(database, &others, 900).await.unwrap();
    let completed = told(database).await.into_iter().filter(|it| it.0 == "reservation.completed");
    assert_eq!(completed.count(), 1);
    assert_eq!(database.advance(t(2999)).await.unwrap().len(), 1, "the others' hold alone is over");
}

async fn only_what_is_active_is_given_back_early(bench: Bench) {
    let (database, id, first) = held(&bench).await;
    let nobody = ReservationId::new(next_uuid());
    assert_eq!(database.complete_early(nobody, t(2400)).await.unwrap(), None);
    assert_eq!(database.complete_early(id, t(900)).await.unwrap(), None);
    database.choose(id, first, t(10), None, true).await.unwrap();
    assert_eq!(database.complete_early(id, t(1999)).await.unwrap(), None);
    // Nothing ends before it has lasted a second.
    let given = database.complete_early(id, t(2000)).await.unwrap().unwrap();
    assert_eq!(given.chosen.unwrap().1, span(2000, 2001));
    assert_eq!(database.complete_early(id, t(2100)).await.unwrap(), None);
}
