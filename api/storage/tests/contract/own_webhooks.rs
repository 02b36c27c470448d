//! Webhooks of users' own: one for each, told from when it was named on.

use storage::{Database, EventId, OwnWebhook};

use crate::bench::{Bench, next_uuid, on_both_engines};

on_both_engines![a_user_has_one_webhook_and_another_begins_anew];

fn own(owner: &str, webhook: &str) -> OwnWebhook {
    OwnWebhook {
        owner: owner.to_owned(),
        url: format!("https://hooks.site.example/{webhook}"),
        secret: "s".to_owned(),
        webhook: webhook.to_owned(),
    }
}

async fn states(database: &Database) -> Vec<String> {
    database.webhooks().await.unwrap().into_iter().map(|state| state.id).collect()
}

async fn a_user_has_one_webhook_and_another_begins_anew(bench: Bench) {
    let database = &bench.database;
    database.open_webhook("site", next_uuid()).await.unwrap();
    for it in [own("ada", "own-1"), own("bob", "own-2")] {
        database.put_own_webhook(&it, next_uuid()).await.unwrap();
    }
    assert_eq!(database.own_webhooks().await.unwrap(), [own("ada", "own-1"), own("bob", "own-2")]);
    assert_eq!(states(database).await, ["own-1", "own-2", "site"]);
    database.put_own_webhook(&own("ada", "own-3"), next_uuid()).await.unwrap();
    assert_eq!(database.own_webhook_of("ada").await.unwrap(), Some(own("ada", "own-3")));
    assert_eq!(states(database).await, ["own-2", "own-3", "site"]);
    let after = database.reservation_events_after("ada", EventId::from(0), 10).await.unwrap();
    assert_eq!(after, []);
    database.end_own_webhook("ada").await.unwrap();
    database.end_own_webhook("ada").await.unwrap();
    assert_eq!(database.own_webhook_of("ada").await.unwrap(), None);
    assert_eq!(states(database).await, ["own-2", "site"]);
}
