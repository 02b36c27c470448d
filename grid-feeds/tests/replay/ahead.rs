//! CO2 ahead of time from forecasts of generation. All zones of the replay supplier have the true intensity, so that
//! imports change nothing of it.

use grid_feeds::feed::{FeedError, Fetched, Quality, Query, Revision};
use planner::time::{Seconds, Span, Timestamp};
use replay_supplier::Fault;

use crate::world::{Source, World, assert_true, at};

const BOTH: [&str; 2] = ["entsoe-ahead", "entsoe-traced"];

/// Where the values that are estimated begin and where they end.
fn estimated(revision: &Revision) -> Option<(Timestamp, Timestamp)> {
    let pieces = revision.series.agenda.pieces();
    let span = |quality| {
        let mut pieces = pieces.iter().filter(move |piece| piece.value.quality == quality);
        let first = pieces.next()?.span.start();
        Some((first, pieces.next_back()?.span.end()))
    };
    span(Quality::Estimated)
}

async fn heard(world: &World, source: &Source) -> Revision {
    world.fetch(source, 1, 3).await.unwrap()
}

/// At 19:00 UTC tomorrow's forecasts are there; the delivery day of tomorrow ends at 23:00 UTC. Generation is known until
/// 18:00.
#[tokio::test]
async fn tomorrow_is_estimated_from_forecasts() {
    let world = World::at("2026-03-10T19:00:00Z").await;
    for name in BOTH {
        let source = world.source(name);
        let revision = heard(&world, &source).await;
        assert_true(&source, &revision, 0);
        let whole = Span::new(at("2026-03-09T19:00:00Z"), at("2026-03-11T23:00:00Z")).unwrap();
        assert!(revision.series.agenda.covers(whole), "{name} has a gap");
        let (first, end) = estimated(&revision).unwrap();
        assert_eq!(end, whole.end(), "{name}");
        let is_traced = name == "entsoe-traced";
        assert_eq!(first, at("2026-03-10T18:00:00Z"), "{name}: what is traced counts as measured");
        let notes = revision.series.notes.join("; ");
        assert!(notes.contains("estimated from 2026-03-10T18:00:00Z on"), "{name}: {notes}");
        assert!(notes.contains("past days estimates were off by"), "{name}: {notes}");
        let counted = "imports are traced over its own borders and 1 more";
        assert_eq!(notes.contains(counted), is_traced, "{name}: {notes}");
        // The second poll asks for little, and says it again.
        assert_eq!(heard(&world, &source).await.series.agenda, revision.series.agenda, "{name}");
    }
}

/// Before 18:00 in Brussels only today is forecast; forecasts that come six hours later are missing longer.
#[tokio::test]
async fn what_is_not_forecast_yet_is_a_gap() {
    for (now, fault, end) in [
        ("2026-03-10T15:00:00Z", None, "2026-03-10T23:00:00Z"),
        ("2026-03-10T19:00:00Z", Some(Fault::Late), "2026-03-10T23:00:00Z"),
        ("2026-03-10T17:30:00Z", None, "2026-03-11T23:00:00Z"),
    ] {
        let world = World::at(now).await;
        world.supplier.set_fault(fault);
        for name in BOTH {
            let revision = heard(&world, &world.source(name)).await;
            assert_eq!(estimated(&revision).unwrap().1, at(end), "{name} at {now}");
        }
    }
}

/// Values that are missing make gaps of their hours, and those that are there stay true.
#[tokio::test]
async fn missing_values_are_gaps_and_no_error() {
    let world = World::at("2026-03-10T19:00:00Z").await;
    let source = world.source("entsoe-ahead");
    world.supplier.set_fault(Some(Fault::Nulls));
    let revision = heard(&world, &source).await;
    assert_true(&source, &revision, 0);
    let whole = Span::new(at("2026-03-10T00:00:00Z"), at("2026-03-11T23:00:00Z")).unwrap();
    assert!(!revision.series.agenda.covers(whole));
}

#[tokio::test]
async fn without_its_own_generation_a_zone_has_nothing() {
    let world = World::at("2026-03-10T19:00:00Z").await;
    world.supplier.set_fault(Some(Fault::OtherArea));
    for name in BOTH {
        let error = world.fetch(&world.source(name), 1, 3).await.unwrap_err();
        assert!(error.to_string().contains("ELSEWHERE"), "{name}: {error}");
    }
    world.supplier.set_fault(Some(Fault::TooManyRequests));
    for name in BOTH {
        let error = world.fetch(&world.source(name), 1, 3).await.unwrap_err();
        assert!(matches!(error, FeedError::Busy { .. }), "{name}: {error}");
    }
}

/// What was told before stays in use when the platform has it no more: tomorrow's forecasts come six hours later here, and estimates
/// need them. But where the zone's generation cannot be had at all, the poll fails.
#[tokio::test]
async fn what_was_told_before_carries_estimates_on() {
    let world = World::at("2026-03-10T19:00:00Z").await;
    let source = world.source("entsoe-traced");
    heard(&world, &source).await;
    world.supplier.set_fault(Some(Fault::Late));
    world.supplier.set_now(at("2026-03-10T20:00:00Z"));
    let revision = heard(&world, &source).await;
    assert_true(&source, &revision, 0);
    assert_eq!(estimated(&revision).unwrap().1, at("2026-03-11T23:00:00Z"));
    for fault in [Fault::OtherArea, Fault::Unavailable, Fault::Unauthorised] {
        world.supplier.set_fault(Some(fault));
        assert!(world.fetch(&source, 1, 3).await.is_err(), "{fault:?}");
    }
    world.supplier.set_fault(None);
    let revision = heard(&world, &source).await;
    assert_eq!(estimated(&revision).unwrap().0, at("2026-03-10T19:00:00Z"));
}

/// Older parts of a back-fill have no estimates, and their values are as ever.
#[tokio::test]
async fn a_span_of_the_past_is_only_what_was() {
    let world = World::at("2026-03-10T19:00:00Z").await;
    for name in BOTH {
        let source = world.source(name);
        let window = Span::starting(at("2026-02-20T00:00:00Z"), Seconds::new(86_400)).unwrap();
        let query = Query { now: world.supplier.now(), window, validator: None };
        let Fetched::Revision(revision) = source.role.fetch(query).await.unwrap() else {
            panic!("{name}: nothing was known before")
        };
        assert_true(&source, &revision, 0);
        assert_eq!(revision.series.span(), Some(window), "{name}");
        assert!(!revision.series.notes.join("; ").contains("ahead"), "{name}");
    }
}
