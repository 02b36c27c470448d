//! Calendar feeds: one secret for each user.

use storage::CalendarFeed;

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![a_user_has_one_secret_the_newest];

fn feed(owner: &str, digest: &str, at: i64) -> CalendarFeed {
    CalendarFeed { owner: owner.to_owned(), digest: digest.to_owned(), created: t(at) }
}

async fn a_user_has_one_secret_the_newest(bench: Bench) {
    let database = &bench.database;
    for it in [feed("ada", "a1", 1), feed("bob", "b1", 2), feed("ada", "a2", 3)] {
        database.put_calendar_feed(&it).await.unwrap();
    }
    assert_eq!(database.calendar_feed("a1").await.unwrap(), None);
    assert_eq!(database.calendar_feed("a2").await.unwrap(), Some(feed("ada", "a2", 3)));
    assert_eq!(database.calendar_feed_of("bob").await.unwrap(), Some(feed("bob", "b1", 2)));
    assert!(database.end_calendar_feed("ada").await.unwrap());
    assert!(!database.end_calendar_feed("ada").await.unwrap());
    assert_eq!(database.calendar_feed("a2").await.unwrap(), None);
    assert_eq!(database.calendar_feed_of("ada").await.unwrap(), None);
    assert!(database.calendar_feed("b1").await.unwrap().is_some());
}
