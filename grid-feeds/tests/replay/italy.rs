//! Italy: values come late, a token lasts minutes, and one that is refused is asked for anew.

use grid_feeds::feed::{FeedError, Fetched, Query, RetryClass};
use planner::time::{Seconds, Span};
use replay_supplier::Fault;

use crate::hostile::{Hostile, answer};
use crate::world::{World, assert_true, at};

fn between(start: &str, end: &str) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// The clock of Italy goes forward on 2026-03-29.
#[tokio::test]
async fn the_day_of_the_change_of_the_clock_is_whole_once_it_is_over() {
    let world = World::at("2026-03-30T10:00:00Z").await;
    let source = world.source("terna");
    let revision = world.fetch(&source, 2, 1).await.unwrap();
    assert_true(&source, &revision, 0);
    assert!(revision.series.agenda.covers(between("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")));
}

/// A poll asks for ten days, since what was missing yesterday may be there today; a back-fill for what it is about.
#[tokio::test]
async fn late_values_are_asked_for_again_and_a_back_fill_is_of_its_span() {
    let world = World::at("2026-03-20T12:00:00Z").await;
    let source = world.source("terna");
    let revision = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &revision, 0);
    // The latest quarter-hours are told half an hour after their ends.
    let expected = between("2026-03-10T12:00:00Z", "2026-03-20T11:30:00Z");
    assert_eq!(revision.series.span(), Some(expected));
    let window = between("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z");
    let query = Query { now: world.supplier.now(), window, validator: None };
    let Fetched::Revision(past) = source.role.fetch(query).await.unwrap() else {
        panic!("no validator was sent")
    };
    assert_true(&source, &past, 0);
    assert_eq!(past.series.span(), Some(window));
}

#[tokio::test]
async fn nothing_but_days_to_come_is_not_published_yet() {
    let world = World::at("2026-03-10T12:00:00Z").await;
    let source = world.source("terna");
    for (start, end) in [
        ("2026-03-10T12:15:00Z", "2026-03-10T23:00:00Z"),
        ("2026-03-12T00:00:00Z", "2026-03-13T00:00:00Z"),
    ] {
        let query =
            Query { now: world.supplier.now(), window: between(start, end), validator: None };
        let answer = source.role.fetch(query).await;
        assert!(matches!(answer, Err(FeedError::NotPublished { .. })), "{answer:?}");
    }
}

/// It lasts five minutes, and is renewed a minute before that: after four.
#[tokio::test]
async fn a_token_is_kept_until_a_minute_before_it_ends() {
    let world = World::at("2026-03-10T12:00:00Z").await;
    let source = world.source("terna");
    for (seconds, requests) in [(0, 2), (239, 3), (240, 5), (479, 6)] {
        world.supplier.set_now(at("2026-03-10T12:00:00Z") + Seconds::new(seconds));
        world.fetch(&source, 1, 1).await.unwrap();
        assert_eq!(source.http.requests(), requests, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_asked_for_anew() {
    let world = World::at("2026-03-10T12:00:00Z").await;
    let source = world.source("terna");
    world.fetch(&source, 1, 1).await.unwrap();
    world.supplier.set_fault(Some(Fault::Unauthorised));
    let error = world.fetch(&source, 1, 1).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::Backoff, "{error}");
    // With the token that was kept.
    assert_eq!(source.http.requests(), 3);
    // No new token either.
    let error = world.fetch(&source, 1, 1).await.unwrap_err();
    assert_eq!((error.retry(), source.http.requests()), (RetryClass::Permanent, 4), "{error}");
    world.supplier.set_fault(None);
    world.fetch(&source, 1, 1).await.unwrap();
    assert_eq!(source.http.requests(), 6);
}

/// The gateway says so with status 403, in place of a token or of rows, and may say how long to wait.
#[tokio::test]
async fn what_is_beyond_the_limits_is_busy_for_as_long_as_is_said() {
    const TOKEN: &str = r#"{"access_token": "granted", "expires_in": 300}"#;
    for (refused, requests) in [("/public-api/access-token", 1), ("/generation/v2.0/", 2)] {
        for (header, expected) in
            [("retry-after: 7\r\n", RetryClass::After(Seconds::new(7))), ("", RetryClass::Backoff)]
        {
            let supplier = Hostile::new(move |head| {
                if head.contains(refused) {
                    return answer("403 Forbidden", header, "<h1>Developer Over Qps</h1>");
                }
                answer("200 OK", "", TOKEN)
            });
            let world = World::asking("2026-03-10T12:00:00Z", &supplier.base);
            let error = world.fetch(&world.source("terna"), 1, 1).await.unwrap_err();
            assert!(matches!(error, FeedError::Busy { status: 403, .. }), "{refused}: {error}");
            assert_eq!(error.retry(), expected, "{refused}");
            assert_eq!(supplier.asked().len(), requests, "{refused}");
        }
    }
}
