//! How meters stand that are asked: kept as it was noted last.

use storage::PolledMeter;

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![a_meter_stands_as_it_was_noted_last];

async fn a_meter_stands_as_it_was_noted_last(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.polled_meters().await.unwrap(), []);
    let new = PolledMeter {
        id: "bmc".to_owned(),
        asked_until: None,
        last_poll: t(10),
        last_success: None,
        next_poll: t(70),
        failures_in_turn: 1,
        failure: Some((t(10), "no answer".to_owned())),
        notes: Vec::new(),
        polls: 1,
        failures: 1,
        taken: 0,
        late: 0,
        doubled: 0,
        refused: 0,
    };
    database.put_polled_meter(&new).await.unwrap();
    let other = PolledMeter { id: "a".to_owned(), ..new.clone() };
    database.put_polled_meter(&other).await.unwrap();
    let later = PolledMeter {
        asked_until: Some(t(70)),
        last_poll: t(70),
        last_success: Some(t(70)),
        next_poll: t(130),
        failures_in_turn: 0,
        failure: None,
        notes: vec!["n1: null".to_owned(), "n2: null".to_owned()],
        polls: 2,
        taken: 5,
        late: 1,
        doubled: 2,
        refused: 3,
        ..new
    };
    database.put_polled_meter(&later).await.unwrap();
    assert_eq!(database.polled_meters().await.unwrap(), [other, later]);
}
