//! Japan and Australia: no day ends with one of Europe, years begin in April, and a price may be no more than expected.

use grid_feeds::feed::{FeedError, Fetched, Quality, Query};
use planner::time::{Seconds, Span};
use replay_supplier::Fault;

use crate::world::{World, assert_true, at};

fn between(start: &str, end: &str) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// Tomorrow in Tokyo is out at 10:00 of its clock, 01:00 UTC; its noon is 03:00 UTC.
#[tokio::test]
async fn tomorrow_in_tokyo_appears_with_its_publication() {
    let world = World::at("2026-03-10T00:30:00Z").await;
    let source = world.source("jepx");
    let noon = at("2026-03-11T03:00:00Z");
    let before = world.fetch(&source, 1, 2).await.unwrap();
    assert_eq!(before.series.agenda.at(noon), None);
    assert_eq!(before.series.kind.to_string(), "price in JPY/MWh");
    world.supplier.set_now(at("2026-03-10T01:30:00Z"));
    let after = world.fetch(&source, 1, 2).await.unwrap();
    assert_eq!(after.series.agenda.at(noon).unwrap().quality, Quality::Measured);
    assert_true(&source, &after, 0);
    world.supplier.set_fault(Some(Fault::Late));
    let late = world.fetch(&source, 1, 2).await.unwrap();
    assert_eq!(late.series.agenda.at(noon), None);
}

#[tokio::test]
async fn nothing_but_days_to_come_is_not_published_yet() {
    let world = World::at("2026-03-10T00:30:00Z").await;
    let now = at("2026-03-10T00:30:00Z");
    for (name, start, end) in [
        ("jepx", "2026-03-10T15:00:00Z", "2026-03-11T15:00:00Z"),
        ("jepx", "2026-03-12T00:00:00Z", "2026-03-13T00:00:00Z"),
        ("japan-area", "2026-03-10T00:30:00Z", "2026-03-11T00:00:00Z"),
        // A pre-dispatch has nothing of the past.
        ("aemo", "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z"),
    ] {
        let query = Query { now, window: between(start, end), validator: None };
        let answer = world.source(name).role.fetch(query).await;
        assert!(matches!(answer, Err(FeedError::NotPublished { .. })), "{name}: {answer:?}");
    }
}

/// The last day of March and the first of April in Tokyo are in the files of two fiscal years; that of the new one begins when
/// its first day is out.
#[tokio::test]
async fn a_fiscal_year_follows_the_other_without_a_gap() {
    let world = World::at("2026-03-31T00:30:00Z").await;
    let source = world.source("jepx");
    let before = world.fetch(&source, 1, 2).await.unwrap();
    let april = at("2026-03-31T15:00:00Z");
    assert_eq!(before.series.agenda.at(april), None);
    assert_eq!(before.series.notes, ["there is no file of the fiscal year 2026"]);
    world.supplier.set_now(at("2026-03-31T01:30:00Z"));
    let after = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &after, 0);
    let both = between("2026-03-29T15:00:00Z", "2026-04-01T15:00:00Z");
    assert!(after.series.agenda.covers(both));
    assert_eq!(source.http.requests(), 4);
}

/// 2026-04-01 begins at 15:00 UTC of the day before in Tokyo.
#[tokio::test]
async fn a_month_follows_the_other_without_a_gap() {
    for now in ["2026-03-31T15:10:00Z", "2026-04-01T02:00:00Z"] {
        let world = World::at(now).await;
        let source = world.source("japan-area");
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let span = revision.series.span().unwrap();
        assert!(revision.series.agenda.covers(span));
        assert!(span.contains(at(now) - Seconds::new(3600)), "{now}");
        assert_eq!(source.http.requests(), 2, "{now}");
    }
}

/// Trading days end at 04:00 of the market's time, 18:00 UTC; the bids of the next one count from 12:30, 02:30 UTC.
#[tokio::test]
async fn a_pre_dispatch_reaches_to_the_end_of_a_trading_day_and_is_a_forecast() {
    let world = World::at("2026-03-10T01:10:00Z").await;
    let source = world.source("aemo");
    for (now, span) in [
        ("2026-03-10T01:10:00Z", between("2026-03-10T01:00:00Z", "2026-03-10T18:00:00Z")),
        ("2026-03-10T03:10:00Z", between("2026-03-10T03:00:00Z", "2026-03-11T18:00:00Z")),
    ] {
        world.supplier.set_now(at(now));
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        assert_eq!(revision.series.span(), Some(span));
        let pieces = revision.series.agenda.pieces();
        assert!(pieces.iter().all(|piece| piece.value.quality == Quality::Forecast));
        assert_eq!(revision.series.issued_at, Some(span.start()));
    }
}

#[tokio::test]
async fn a_pre_dispatch_is_fetched_once() {
    let world = World::at("2026-03-10T01:10:00Z").await;
    let source = world.source("aemo");
    let revision = world.fetch(&source, 1, 2).await.unwrap();
    let window = between("2026-03-10T00:00:00Z", "2026-03-12T00:00:00Z");
    let validator = revision.validator.as_ref();
    let ask = async |now: &str| {
        world.supplier.set_now(at(now));
        source.role.fetch(Query { now: at(now), window, validator }).await.unwrap()
    };
    assert_eq!(ask("2026-03-10T01:20:00Z").await, Fetched::Unchanged);
    assert!(matches!(ask("2026-03-10T01:30:00Z").await, Fetched::Revision(_)));
}

#[tokio::test]
async fn values_of_another_area_are_refused() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    world.supplier.set_fault(Some(Fault::OtherArea));
    for (name, says) in
        [("aemo", "\"QLD1, ELSEWHERE\""), ("jepx", "エリアプライスELSEWHERE(円/kWh)")]
    {
        let error = world.fetch(&world.source(name), 1, 2).await.unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{name}: {error}");
        assert!(error.to_string().contains(says), "{name}: {error}");
    }
}
