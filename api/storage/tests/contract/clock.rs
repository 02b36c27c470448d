//! A jump of the clock is told once, and once that it is over.

use serde_json::{Value, json};

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![a_jump_is_told_once_and_so_is_its_end];

async fn a_jump_is_told_once_and_so_is_its_end(bench: Bench) {
    let database = &bench.database;
    // Nothing was told that could be over.
    database.tell_clock_believed("lasted", t(5)).await.unwrap();
    assert_eq!(database.clock_doubt().await.unwrap(), None);
    database.tell_clock_doubted(-3600, t(10)).await.unwrap();
    // Another process, or the same one which was not told that it was written.
    database.tell_clock_doubted(-3601, t(11)).await.unwrap();
    assert_eq!(database.clock_doubt().await.unwrap(), Some(-3600));
    database.tell_clock_believed("went_back", t(20)).await.unwrap();
    database.tell_clock_believed("accepted", t(21)).await.unwrap();
    assert_eq!(database.clock_doubt().await.unwrap(), None);
    database.tell_clock_doubted(90, t(30)).await.unwrap();
    let events = database.events_after(None, 200).await.unwrap();
    let of_clock = events.iter().filter(|event| event.subject() == "clock");
    let told: Vec<_> = of_clock
        .map(|it| {
            assert_eq!(it.owner, None, "{it:?}");
            (it.at, it.kind.as_str(), serde_json::from_str::<Value>(&it.data).unwrap())
        })
        .collect();
    let expected = [
        (t(10), "clock.doubted", json!({ "jumped_by_s": -3600 })),
        (t(20), "clock.believed", json!({ "jumped_by_s": -3600, "because": "went_back" })),
        (t(30), "clock.doubted", json!({ "jumped_by_s": 90 })),
    ];
    assert_eq!(told, expected);
}
