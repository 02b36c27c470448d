//! The dialogue with the supplier, grants, consumption, and what a lowered cap does.

use planner::dialogue::{Grant, GrantState};
use planner::identity::{GrantId, NegotiationId};
use planner::quantity::Power;
use planner::reservation::{OfferSelector, ReservationState};
use storage::{
    Attempt, Consumed, Database, Delivery, Direction, MessageId, Negotiation, NegotiationFilter,
    NegotiationKind, NegotiationOutcome, NewMessage,
};

use crate::bench::{
    Bench, install_ten_nodes, next_uuid, notice, offer, on_both_engines, propose, ranks,
    reservation, span, t,
};

on_both_engines![
    one_conversation_of_a_kind_is_open,
    messages_wait_until_they_arrive_or_are_given_up,
    a_later_message_takes_the_place_of_one_that_waits,
    a_grant_changes_the_version_and_the_marks_once,
    a_named_grant_is_replaced_and_keeps_its_standing,
    what_is_set_aside_is_released,
    consumption_is_replaced_by_its_window,
    withdrawn_offers_free_their_nodes_and_reject_what_has_none,
    a_replacement_ends_what_it_replaces,
];

fn negotiation(kind: NegotiationKind) -> Negotiation {
    Negotiation {
        id: NegotiationId::new(next_uuid()),
        kind,
        outcome: None,
        subject: "{}".to_owned(),
        opened: t(10),
        deadline: Some(t(20)),
        closed: None,
    }
}

fn message(kind: &str, said: i64) -> NewMessage {
    NewMessage {
        said: t(said),
        direction: Direction::ToSupplier,
        kind: kind.to_owned(),
        carrier: "webhook".to_owned(),
        document: format!(r#"{{"said":{said}}}"#),
        delivery: Delivery::Waiting,
    }
}

fn grant(name: Option<&str>, state: GrantState, watts: i64) -> Grant {
    Grant {
        id: GrantId::new(next_uuid()),
        supplier_id: name.map(str::to_owned),
        negotiation_id: None,
        state,
        span: span(100, 200),
        power: Power::from_microwatts(watts * 1_000_000),
        fee_millionths: 0,
        received: t(10),
    }
}

async fn one_conversation_of_a_kind_is_open(bench: Bench) {
    let database = &bench.database;
    let kind = NegotiationKind::ExtraPower;
    let first = negotiation(kind);
    database.open_negotiation(&first, &[]).await.unwrap();
    assert!(database.open_negotiation(&negotiation(kind), &[]).await.is_err());
    let other = negotiation(NegotiationKind::Notice);
    database.open_negotiation(&other, &[]).await.unwrap();
    assert_eq!(database.open_negotiation_of(kind).await.unwrap(), Some(first.clone()));
    let subject = Some((r#"{"power":1}"#, None));
    let outcome = Some((NegotiationOutcome::Refused, t(15)));
    database.say(first.id, &[], subject, outcome).await.unwrap();
    assert_eq!(database.open_negotiation_of(kind).await.unwrap(), None);
    let closed = database.negotiation(first.id).await.unwrap().unwrap();
    assert_eq!((closed.outcome, closed.closed), (Some(NegotiationOutcome::Refused), Some(t(15))));
    assert_eq!(closed.subject, r#"{"power":1}"#);
    database.open_negotiation(&negotiation(kind), &[]).await.unwrap();
    let listed = |kind, open| NegotiationFilter { kind, open };
    let count = async |filter| database.negotiations(filter, None, 10).await.unwrap().len();
    assert_eq!(count(listed(None, None)).await, 3);
    assert_eq!(count(listed(Some(kind), Some(false))).await, 1);
    let newest = database.negotiations(listed(None, None), None, 1).await.unwrap();
    let older = database.negotiations(listed(None, None), Some(newest[0].id), 10).await.unwrap();
    assert_eq!(older.len(), 2);
}

/// What one reads of messages that are due at an instant.
async fn due(database: &Database, now: i64) -> Vec<(String, u32)> {
    let due = database.messages_due(t(now), 10).await.unwrap();
    due.into_iter().map(|it| (it.said.kind, it.attempts)).collect()
}

async fn messages_wait_until_they_arrive_or_are_given_up(bench: Bench) {
    let database = &bench.database;
    let said = negotiation(NegotiationKind::ExtraPower);
    let messages = [message("request", 10), message("forecast", 11)];
    database.open_negotiation(&said, &messages).await.unwrap();
    assert_eq!(due(database, 10).await, [("request".to_owned(), 0)]);
    let told = database.messages(said.id, MessageId::from(0), 10).await.unwrap();
    let (request, forecast) = (told[0].id, told[1].id);
    let again = Attempt::Again(t(50), "busy".to_owned());
    database.note_attempt(request, &again, t(12)).await.unwrap();
    assert_eq!(due(database, 20).await, [("forecast".to_owned(), 0)]);
    assert_eq!(due(database, 50).await, [("request".to_owned(), 1), ("forecast".to_owned(), 0)]);
    database.note_attempt(request, &Attempt::Delivered, t(51)).await.unwrap();
    database.note_attempt(forecast, &Attempt::Failed("gone".to_owned()), t(52)).await.unwrap();
    // What arrived has arrived.
    database.note_attempt(request, &Attempt::Failed("late".to_owned()), t(53)).await.unwrap();
    let told = database.events_after(None, 10).await.unwrap();
    let told: Vec<_> = told.iter().map(|it| (it.kind.as_str(), it.at)).collect();
    assert_eq!(
        told[1..],
        [
            ("negotiation.delayed", t(12)),
            ("negotiation.delivered", t(51)),
            ("negotiation.failed", t(52)),
        ]
    );
    assert_eq!(due(database, 99).await, []);
    let told = database.messages(said.id, MessageId::from(0), 10).await.unwrap();
    assert_eq!((told[0].said.delivery, told[0].delivered), (Delivery::Delivered, Some(t(51))));
    assert_eq!((told[1].said.delivery, told[1].error.as_deref()), (Delivery::Failed, Some("gone")));
    assert_eq!(database.messages(said.id, request, 10).await.unwrap().len(), 1);
    let last = database.last_said("forecast", t(99)).await.unwrap();
    assert_eq!(last.map(|it| it.id), Some(forecast));
    assert_eq!(database.last_said("forecast", t(10)).await.unwrap(), None);
    let after = async |id, until, limit| {
        let said = database.said_after("forecast", id, t(until), limit).await.unwrap();
        said.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(after(MessageId::from(0), 11, 9).await, [forecast]);
    assert_eq!(after(MessageId::from(0), 10, 9).await, []);
    assert_eq!(after(MessageId::from(0), 11, 0).await, []);
    assert_eq!(after(forecast, 11, 9).await, []);
    database.forget_messages("forecast", t(60)).await.unwrap();
    assert_eq!(database.last_said("forecast", t(99)).await.unwrap(), None);
}

async fn a_later_message_takes_the_place_of_one_that_waits(bench: Bench) {
    let database = &bench.database;
    let said = negotiation(NegotiationKind::PlannedConsumption);
    database.open_negotiation(&said, &[message("forecast", 10)]).await.unwrap();
    database
        .say(said.id, &[message("forecast", 11), message("usage", 11)], None, None)
        .await
        .unwrap();
    let told = database.messages(said.id, MessageId::from(0), 10).await.unwrap();
    let deliveries: Vec<Delivery> = told.iter().map(|it| it.said.delivery).collect();
    assert_eq!(deliveries, [Delivery::Superseded, Delivery::Waiting, Delivery::Waiting]);
}

async fn a_grant_changes_the_version_and_the_marks_once(bench: Bench) {
    let database = &bench.database;
    let before = database.marks().await.unwrap();
    let given = grant(None, GrantState::InForce, 5);
    assert!(database.put_grants(std::slice::from_ref(&given), &[], t(10)).await.unwrap());
    let after = database.marks().await.unwrap();
    assert!(after.version > before.version && after.grants > before.grants);
    let changes = database.changes(Some(before), None, t(10), true).await.unwrap();
    assert_eq!(changes.grants, Some(vec![given.clone()]));
    assert!(database.put_grants(&[], &[given.id], t(20)).await.unwrap());
    assert!(!database.put_grants(&[], &[given.id], t(21)).await.unwrap());
    let changes = database.changes(Some(after), None, t(20), true).await.unwrap();
    assert_eq!(changes.grants, Some(Vec::new()));
    let all = database.grants(t(0)).await.unwrap();
    assert_eq!(all[0].state, GrantState::Revoked);
    assert_eq!(database.grants(t(200)).await.unwrap(), []);
}

async fn a_named_grant_is_replaced_and_keeps_its_standing(bench: Bench) {
    let database = &bench.database;
    let first = grant(Some("g1"), GrantState::SetAside, 5);
    database.put_grants(std::slice::from_ref(&first), &[], t(10)).await.unwrap();
    database.release_grants(t(11)).await.unwrap();
    let same = Grant { id: GrantId::new(next_uuid()), ..first.clone() };
    assert!(!database.put_grants(&[same], &[], t(12)).await.unwrap(), "nothing is new");
    let more = grant(Some("g1"), GrantState::SetAside, 7);
    assert!(database.put_grants(&[more], &[], t(13)).await.unwrap());
    let all = database.grants(t(0)).await.unwrap();
    assert_eq!((all.len(), all[0].id, all[0].state), (1, first.id, GrantState::InForce));
    assert_eq!(all[0].power, Power::from_microwatts(7_000_000));
    assert_eq!(database.grants(t(200)).await.unwrap(), [], "it has ended");
    let named = database.grant_by_name("g1").await.unwrap();
    assert_eq!(named.map(|it| it.id), Some(first.id));
    assert_eq!(database.grant_by_name("g2").await.unwrap(), None);
}

async fn what_is_set_aside_is_released(bench: Bench) {
    let database = &bench.database;
    assert!(!database.release_grants(t(9)).await.unwrap());
    let aside = grant(None, GrantState::SetAside, 5);
    database.put_grants(&[aside], &[], t(10)).await.unwrap();
    let before = database.marks().await.unwrap();
    assert!(database.release_grants(t(11)).await.unwrap());
    assert!(database.marks().await.unwrap().version > before.version);
    assert_eq!(database.grants(t(0)).await.unwrap()[0].state, GrantState::InForce);
}

async fn consumption_is_replaced_by_its_window(bench: Bench) {
    let database = &bench.database;
    let consumed = |start, end, microwatts| Consumed {
        span: span(start, end),
        power: Power::from_microwatts(microwatts),
    };
    let first = [consumed(0, 10, 1), consumed(10, 20, 2)];
    database.put_consumption(span(0, 20), &first).await.unwrap();
    database.put_consumption(span(10, 20), &[consumed(12, 18, 3)]).await.unwrap();
    let found = database.consumption(span(0, 100)).await.unwrap();
    assert_eq!(found, [consumed(0, 10, 1), consumed(12, 18, 3)]);
    assert_eq!(database.consumption(span(10, 12)).await.unwrap(), []);
}

async fn withdrawn_offers_free_their_nodes_and_reject_what_has_none(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let held = reservation(vec![
        offer(ranks(0..2), span(2000, 3000)),
        offer(ranks(0..2), span(4000, 5000)),
    ]);
    propose(database, &held, 10).await.unwrap();
    let [first, second] = [held.offers[0].id, held.offers[1].id];
    assert!(database.withdraw_offers(held.id, &[first], &notice(), t(20)).await.unwrap());
    let stored = database.reservation(held.id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.offers.len()), (ReservationState::Proposed, 1));
    assert_eq!(stored.notice, Some(notice()));
    let other = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &other, 21).await.unwrap();
    assert!(database.withdraw_offers(held.id, &[second], &notice(), t(22)).await.unwrap());
    let stored = database.reservation(held.id).await.unwrap().unwrap();
    assert_eq!((stored.state, stored.offers.len()), (ReservationState::Rejected, 0));
    assert!(!database.withdraw_offers(held.id, &[second], &notice(), t(23)).await.unwrap());
}

async fn a_replacement_ends_what_it_replaces(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let first = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &first, 10).await.unwrap();
    let chosen = OfferSelector::Offer(first.offers[0].id);
    database.choose(first.id, chosen, t(20), None, false).await.unwrap();
    let mut second = reservation(vec![offer(ranks(0..2), span(4000, 5000))]);
    second.replaces = Some(first.id);
    propose(database, &second, 30).await.unwrap();
    assert_eq!(
        database.reservation(first.id).await.unwrap().unwrap().state,
        ReservationState::Confirmed
    );
    let chosen = OfferSelector::Offer(second.offers[0].id);
    let moved = database.choose(second.id, chosen, t(40), None, false).await.unwrap();
    assert_eq!((moved.state, moved.confirmed), (ReservationState::Confirmed, Some(t(40))));
    let ended = database.reservation(first.id).await.unwrap().unwrap();
    assert_eq!(ended.state, ReservationState::Cancelled);
    let third = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &third, 50).await.unwrap();
}
