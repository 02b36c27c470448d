//! How far webhooks are told: begins with now, and goes on from where it was.

use planner::agenda::Piece;
use storage::{AgendaMeta, Database, EventId, Quantity, WebhookState};
use uuid::Uuid;

use crate::bench::{Bench, next_uuid, on_both_engines, span, t};

on_both_engines![
    a_new_webhook_begins_after_what_happened,
    a_webhook_goes_on_from_where_it_was_noted,
];

async fn happen(database: &Database) {
    let meta = AgendaMeta {
        source: "s".to_owned(),
        kind: "k".to_owned(),
        quality: "measured".to_owned(),
        issued: None,
    };
    let pieces = [Piece { span: span(0, 3600), value: 1 }];
    database.put_agenda(Quantity::Price, &meta, &pieces, t(1)).await.unwrap();
}

async fn state(database: &Database, id: &str) -> WebhookState {
    let all = database.webhooks().await.unwrap();
    all.into_iter().find(|state| state.id == id).unwrap()
}

async fn a_new_webhook_begins_after_what_happened(bench: Bench) {
    let database = &bench.database;
    let instance = next_uuid();
    database.open_webhook("early", instance).await.unwrap();
    happen(database).await;
    let newest = database.events_kept().await.unwrap().newest.unwrap();
    database.open_webhook("late", next_uuid()).await.unwrap();
    // Once it is known it stays as it is.
    database.open_webhook("early", next_uuid()).await.unwrap();
    let early = state(database, "early").await;
    assert_eq!((early.position, early.instance), (EventId::from(0), instance));
    let fresh = WebhookState {
        id: "late".to_owned(),
        instance: state(database, "late").await.instance,
        position: newest,
        tried_since: None,
        failures: 0,
        next_attempt: None,
        last_success: None,
        last_failure: None,
        delivered: 0,
        given_up: 0,
        gone: false,
    };
    assert_eq!(state(database, "late").await, fresh);
    assert_ne!(fresh.instance, Uuid::nil());
}

async fn a_webhook_goes_on_from_where_it_was_noted(bench: Bench) {
    let database = &bench.database;
    database.open_webhook("a", next_uuid()).await.unwrap();
    database.open_webhook("b", next_uuid()).await.unwrap();
    let before = state(database, "a").await;
    let failing = WebhookState {
        tried_since: Some(t(10)),
        failures: 3,
        next_attempt: Some(t(50)),
        last_success: Some(t(5)),
        last_failure: Some((t(15), "no answer".to_owned())),
        gone: true,
        ..before.clone()
    };
    assert!(database.put_webhook(&failing, before.position).await.unwrap());
    assert_eq!(state(database, "a").await, failing);
    let told = WebhookState { position: EventId::from(7), delivered: 1, given_up: 2, ..before };
    assert!(database.put_webhook(&told, failing.position).await.unwrap());
    assert_eq!(state(database, "a").await, told);
    // Whoever did not see that it moved on changes nothing.
    assert!(!database.put_webhook(&failing, failing.position).await.unwrap());
    assert_eq!(state(database, "a").await, told);
    assert_eq!(state(database, "b").await.position, EventId::from(0));
}
