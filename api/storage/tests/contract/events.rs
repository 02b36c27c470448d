//! Events: recorded with what they tell of, read in order, forgotten.

use planner::agenda::Piece;
use planner::identity::OutageId;
use planner::reservation::{Ending, OfferSelector, Role};
use serde_json::{Value, json};
use storage::{
    AgendaMeta, ApiToken, Database, Event, EventId, FeedFailure, FeedState, NewSimulation, Outage,
    OutageKind, Quantity, SimulationId, SimulationQueue, TokenId, WorkerId,
};
use tokio::task::JoinSet;

use crate::bench::{
    Bench, cluster, install_ten_nodes, newest, next_uuid, notice, offer, on_both_engines, propose,
    ranks, reservation, span, t,
};

on_both_engines![
    every_step_of_a_reservation_is_told_to_its_owner,
    what_else_becomes_of_a_reservation_is_told_with_its_state,
    what_changes_the_site_is_told_to_all,
    a_feed_is_told_of_when_its_standing_changes,
    what_fails_or_changes_nothing_is_not_told,
    simulations_are_told_when_they_reach_a_state,
    ids_are_committed_in_their_order_whoever_writes,
    old_events_are_forgotten_and_ids_go_on,
];

async fn all(database: &Database) -> Vec<Event> {
    database.events_after(None, 1000).await.unwrap()
}

async fn kinds(database: &Database, after: Option<EventId>) -> Vec<String> {
    let events = database.events_after(after, 1000).await.unwrap();
    events.into_iter().map(|event| event.kind).collect()
}

fn data(event: &Event) -> Value {
    serde_json::from_str(&event.data).unwrap()
}

async fn newest_id(database: &Database) -> Option<EventId> {
    database.events_kept().await.unwrap().newest
}

async fn every_step_of_a_reservation_is_told_to_its_owner(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let before = newest_id(database).await;
    let made = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &made, 1).await.unwrap();
    let taken = OfferSelector::Offer(made.offers[0].id);
    database.choose(made.id, taken, t(2), None, false).await.unwrap();
    database.choose(made.id, taken, t(3), None, false).await.unwrap();
    database.advance(t(2000)).await.unwrap();
    database.advance(t(3000)).await.unwrap();
    let lapsing = reservation(vec![offer(ranks(2..3), span(5000, 6000))]);
    propose(database, &lapsing, 4).await.unwrap();
    database.advance(t(4000)).await.unwrap();
    let waiting = reservation(Vec::new());
    propose(database, &waiting, 4).await.unwrap();
    let offers = [offer(ranks(0..1), span(7000, 8000))];
    let version = newest(database.marks().await.unwrap().version);
    database.offer(version, waiting.id, "{}", &offers, t(9000), t(5)).await.unwrap();
    database.end(waiting.id, Ending::Cancelled, t(6), None).await.unwrap();
    let told = database.events_after(before, 1000).await.unwrap();
    let states = [
        ("proposed", 1, made.id),
        ("confirmed", 2, made.id),
        ("active", 2000, made.id),
        ("completed", 3000, made.id),
        ("proposed", 4, lapsing.id),
        ("expired", 4000, lapsing.id),
        ("awaiting_supplier", 4, waiting.id),
        ("proposed", 5, waiting.id),
        ("cancelled", 6, waiting.id),
    ];
    assert_eq!(told.len(), states.len(), "{told:?}");
    for (event, (state, at, id)) in told.iter().zip(states) {
        assert_eq!((event.kind.as_str(), event.at), (&*format!("reservation.{state}"), t(at)));
        assert_eq!((event.owner.as_deref(), event.subject()), (Some("ada"), "reservation"));
        assert_eq!(data(event), json!({ "reservation_id": id.to_string(), "state": state }));
    }
    assert!(told.is_sorted_by(|one, next| one.id < next.id));
}

async fn what_else_becomes_of_a_reservation_is_told_with_its_state(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let before = newest_id(database).await;
    let held = [offer(ranks(0..2), span(2000, 3000)), offer(ranks(2..3), span(2000, 2500))];
    let made = reservation(held.to_vec());
    propose(database, &made, 1).await.unwrap();
    let ids = [made.offers[0].id, made.offers[1].id];
    for gone in &ids {
        let gone = std::slice::from_ref(gone);
        assert!(database.withdraw_offers(made.id, gone, &notice(), t(2)).await.unwrap());
    }
    let chosen = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &chosen, 3).await.unwrap();
    let taken = OfferSelector::Offer(chosen.offers[0].id);
    database.choose(chosen.id, taken, t(4), None, false).await.unwrap();
    assert!(database.set_degraded(chosen.id, true, Some(&notice()), t(5)).await.unwrap());
    assert!(!database.set_degraded(chosen.id, true, Some(&notice()), t(6)).await.unwrap());
    database.advance(t(2000)).await.unwrap();
    assert!(database.set_degraded(chosen.id, false, None, t(2001)).await.unwrap());
    let waiting = reservation(Vec::new());
    propose(database, &waiting, 7).await.unwrap();
    assert!(database.reject(waiting.id, &notice(), t(8)).await.unwrap());
    assert!(!database.reject(waiting.id, &notice(), t(9)).await.unwrap());
    let told = database.events_after(before, 1000).await.unwrap();
    let expected = [
        ("proposed", "proposed", made.id),
        ("withdrawn", "proposed", made.id),
        ("withdrawn", "rejected", made.id),
        ("proposed", "proposed", chosen.id),
        ("confirmed", "confirmed", chosen.id),
        ("degraded", "confirmed", chosen.id),
        ("active", "active", chosen.id),
        ("restored", "active", chosen.id),
        ("awaiting_supplier", "awaiting_supplier", waiting.id),
        ("rejected", "rejected", waiting.id),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (event, (kind, state, id)) in told.iter().zip(expected) {
        assert_eq!(event.kind, format!("reservation.{kind}"));
        assert_eq!(event.owner.as_deref(), Some("ada"));
        assert_eq!(data(event), json!({ "reservation_id": id.to_string(), "state": state }));
    }
}

async fn what_changes_the_site_is_told_to_all(bench: Bench) {
    let database = &bench.database;
    let epoch = database.replace_nodes(&cluster(&[("a", 1)]), &[], None, t(1)).await.unwrap();
    let meta = AgendaMeta {
        source: "test".to_owned(),
        kind: "average".to_owned(),
        quality: "forecast".to_owned(),
        issued: None,
    };
    let piece = Piece { span: span(0, 100), value: 7 };
    database.put_agenda(Quantity::Price, &meta, &[piece], t(2)).await.unwrap();
    let outage = Outage {
        id: OutageId::new(next_uuid()),
        kind: OutageKind::OutOfService,
        managed_key: None,
        owner: "olga".to_owned(),
        reason: "fans".to_owned(),
        created: t(3),
        epoch,
        start: t(3),
        end: None,
        ranks: ranks(0..1),
    };
    database.create_outage(&outage).await.unwrap();
    database.end_outage(outage.id, t(4)).await.unwrap();
    let token = ApiToken {
        id: TokenId::new(next_uuid()),
        owner: "ada".to_owned(),
        role: Role::User,
        digest: "aa".to_owned(),
        created: t(5),
        revoked: None,
        expires: None,
        used: None,
        actions: None,
    };
    database.create_token(&token).await.unwrap();
    let told = all(database).await;
    let shown: Vec<(&str, i64, Value)> =
        told.iter().map(|it| (it.kind.as_str(), it.at.as_unix_seconds(), data(it))).collect();
    let outage = json!({ "outage_id": outage.id.to_string() });
    let (start, end) = ("1970-01-01T00:00:00Z", "1970-01-01T00:01:40Z");
    let agenda = json!({ "quantity": "price", "revision": 1, "start": start, "end": end });
    let expected = [
        ("nodes.replaced", 1, json!({ "epoch": 1, "count": 1 })),
        ("agenda.revised", 2, agenda),
        ("outage.announced", 3, outage.clone()),
        ("outage.ended", 4, outage),
        ("tokens.changed", 5, json!({})),
    ];
    assert_eq!(shown, expected);
    assert!(told.iter().all(|event| event.owner.is_none()));
}

async fn what_fails_or_changes_nothing_is_not_told(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let made = reservation(vec![offer(ranks(0..2), span(2000, 3000))]);
    propose(database, &made, 1).await.unwrap();
    let before = newest_id(database).await;
    let twice = reservation(vec![offer(ranks(1..3), span(2000, 3000))]);
    propose(database, &twice, 1).await.unwrap_err();
    let wrong = OfferSelector::Offer(twice.offers[0].id);
    database.choose(made.id, wrong, t(2), None, false).await.unwrap_err();
    database.advance(t(5)).await.unwrap();
    database.end_outage(OutageId::new(next_uuid()), t(4)).await.unwrap();
    assert_eq!(kinds(database, before).await, Vec::<String>::new());
}

/// A feed that was asked at second 9.
fn feed(failure: Option<&str>, last_success: Option<i64>) -> FeedState {
    let failed = |class: &str| FeedFailure {
        at: t(9),
        class: class.to_owned(),
        message: "in words".to_owned(),
    };
    FeedState {
        last_poll: Some(t(9)),
        last_success: last_success.map(t),
        failure: failure.map(failed),
        validator: None,
        next_poll: t(99),
        closed_until: t(0),
        failures_in_turn: 0,
        horizon: None,
        grown: None,
        requests: 1,
        failures: 0,
        refresh: None,
    }
}

async fn a_feed_is_told_of_when_its_standing_changes(bench: Bench) {
    let database = &bench.database;
    for (failure, success) in [
        (Some("busy"), None),
        (Some("busy"), None),
        (Some("payload"), None),
        (None, Some(9)),
        (None, Some(10)),
        (Some("busy"), Some(10)),
    ] {
        database.put_feed("a", &feed(failure, success)).await.unwrap();
    }
    let told = all(database).await;
    let told_data: Vec<Value> = told.iter().map(data).collect();
    let class = |class: Value| json!({ "feed": "a", "error_class": class });
    assert_eq!(told_data, [json!("busy"), json!("payload"), json!(null), json!("busy")].map(class));
    assert!(told.iter().all(|it| it.kind == "feed.status" && it.at == t(9)));
}

async fn simulations_are_told_when_they_reach_a_state(bench: Bench) {
    let database = &bench.database;
    let new = NewSimulation {
        id: SimulationId::new(next_uuid()),
        owner: "ada".to_owned(),
        experiment: "{}".to_owned(),
        inputs: "{}".to_owned(),
        notes: "[]".to_owned(),
        cells: 1,
        runs: 1,
        created: t(1),
    };
    database
        .enqueue_simulation(&new, SimulationQueue { most: 10, most_of_owner: None }, None)
        .await
        .unwrap();
    let worker = WorkerId::new(next_uuid());
    let claimed = database.claim_simulation(worker, t(2), t(20)).await.unwrap().unwrap();
    database.end_simulation(claimed.lease, None, t(3)).await.unwrap();
    assert!(!database.cancel_simulation(new.id, t(4)).await.unwrap());
    let told = kinds(database, None).await;
    assert_eq!(told, ["simulation.queued", "simulation.running", "simulation.finished"]);
    assert!(all(database).await.iter().all(|event| event.owner.as_deref() == Some("ada")));
}

/// Writers of two handles, of the book and beside it, while somebody reads: who was told an id will
/// never be told a smaller one.
async fn ids_are_committed_in_their_order_whoever_writes(bench: Bench) {
    const EACH: u32 = 25;
    let other = Database::connect(&bench.url).await.unwrap();
    let mut writers = JoinSet::new();
    for (number, database) in (0..).zip([&bench.database, &other, &bench.database, &other]) {
        let database = database.clone();
        writers.spawn(async move {
            for round in 0..EACH {
                if number < 2 {
                    let nodes = cluster(&[("a", i64::from(round))]);
                    database.replace_nodes(&nodes, &[], None, t(0)).await.unwrap();
                } else {
                    let state = feed(Some(&format!("class {number} {round}")), None);
                    database.put_feed(&format!("feed {number}"), &state).await.unwrap();
                }
            }
        });
    }
    let reading = async {
        let mut read = Vec::new();
        while read.len() < 4 * EACH as usize {
            let after = read.last().map(|event: &Event| event.id);
            read.extend(bench.database.events_after(after, 7).await.unwrap());
        }
        read
    };
    let read = tokio::time::timeout(std::time::Duration::from_mins(2), reading).await.unwrap();
    writers.join_all().await;
    assert_eq!(read, all(&bench.database).await);
    other.close().await;
}

async fn old_events_are_forgotten_and_ids_go_on(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.forget_events(t(100), 0).await.unwrap(), 0);
    for at in 1..=6 {
        database.replace_nodes(&cluster(&[("a", 1)]), &[], None, t(at)).await.unwrap();
    }
    assert_eq!(database.forget_events(t(3), 1000).await.unwrap(), 2);
    let left = || async { all(database).await.iter().map(|it| it.at.as_unix_seconds()).collect() };
    let times: Vec<i64> = left().await;
    assert_eq!(times, [3, 4, 5, 6]);
    assert_eq!(database.forget_events(t(0), 2).await.unwrap(), 2);
    let newest = newest_id(database).await.unwrap();
    assert_eq!(database.forget_events(t(100), 0).await.unwrap(), 1);
    let times: Vec<i64> = left().await;
    assert_eq!(times, [6], "the newest stays");
    database.replace_nodes(&cluster(&[("a", 1)]), &[], None, t(7)).await.unwrap();
    let kept = database.events_kept().await.unwrap();
    assert_eq!(kept.oldest, Some(newest));
    assert!(kept.newest > kept.oldest);
}
