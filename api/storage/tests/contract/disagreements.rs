//! That sources disagree is told once, and once that they agree again.

use serde_json::{Value, json};
use storage::{Quantity, SourceDisagreement};

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![a_disagreement_is_told_once_and_so_is_its_end];

async fn a_disagreement_is_told_once_and_so_is_its_end(bench: Bench) {
    let database = &bench.database;
    let price = Quantity::Price;
    // Nothing was told that could be over.
    database.tell_agreement(price, t(5)).await.unwrap();
    assert_eq!(database.disagreements().await.unwrap(), []);
    let about = |widest: &str| json!({ "quantity": "price", "widest": widest });
    database.tell_disagreement(price, "first", about("a"), t(10)).await.unwrap();
    // It goes on elsewhere: that is noted and not told.
    database.tell_disagreement(price, "second", about("b"), t(11)).await.unwrap();
    database.tell_disagreement(Quantity::Co2, "other", about("c"), t(12)).await.unwrap();
    let mut found = database.disagreements().await.unwrap();
    found.sort_by_key(|it| it.since);
    let noted = |quantity, since, found: &str| SourceDisagreement {
        quantity,
        since: t(since),
        found: found.to_owned(),
    };
    assert_eq!(found, [noted(price, 10, "second"), noted(Quantity::Co2, 12, "other")]);
    database.tell_agreement(price, t(20)).await.unwrap();
    database.tell_agreement(price, t(21)).await.unwrap();
    assert_eq!(database.disagreements().await.unwrap(), [noted(Quantity::Co2, 12, "other")]);
    database.tell_disagreement(price, "third", about("d"), t(30)).await.unwrap();
    let events = database.events_after(None, 200).await.unwrap();
    let of_feeds = events.iter().filter(|event| event.subject() == "feed");
    let told: Vec<_> = of_feeds
        .map(|it| {
            assert_eq!(it.owner, None, "{it:?}");
            (it.at, it.kind.as_str(), serde_json::from_str::<Value>(&it.data).unwrap())
        })
        .collect();
    let expected = [
        (t(10), "feed.disagreed", about("a")),
        (t(12), "feed.disagreed", about("c")),
        (t(20), "feed.agreed", json!({ "quantity": "price", "since": t(10) })),
        (t(30), "feed.disagreed", about("d")),
    ];
    assert_eq!(told, expected);
}
