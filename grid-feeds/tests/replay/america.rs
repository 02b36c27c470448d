//! The markets of the USA: their days are out later than those of Europe, and their clocks change on other days.

use grid_feeds::feed::{FeedError, Query};
use planner::time::Span;
use replay_supplier::Fault;

use crate::world::{World, assert_true, at};

const MARKETS: [&str; 6] = ["caiso", "ercot", "iso-ne", "miso", "pjm", "spp"];

/// In Boston, Philadelphia, Dallas and Los Angeles tomorrow is out between 12:30 and 13:30 of their clocks: 17:00 to
/// 20:00 UTC in March.
#[tokio::test]
async fn tomorrow_appears_with_its_publication() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    let noon = at("2026-03-11T12:00:00Z");
    for name in MARKETS {
        let source = world.source(name);
        world.supplier.set_fault(None);
        world.supplier.set_now(at("2026-03-10T15:00:00Z"));
        let before = world.fetch(&source, 1, 2).await.unwrap();
        assert_eq!(before.series.agenda.at(noon), None, "{name}");
        world.supplier.set_now(at("2026-03-10T20:30:00Z"));
        let after = world.fetch(&source, 1, 2).await.unwrap();
        assert!(after.series.agenda.at(noon).is_some(), "{name}");
        assert_true(&source, &after, 0);
        world.supplier.set_fault(Some(Fault::Late));
        let late = world.fetch(&source, 1, 2).await.unwrap();
        assert_eq!(late.series.agenda.at(noon), None, "{name}");
    }
}

#[tokio::test]
async fn nothing_but_days_to_come_is_not_published_yet() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    for name in MARKETS {
        let source = world.source(name);
        let now = at("2026-03-10T15:00:00Z");
        for (start, end) in [
            ("2026-03-11T07:00:00Z", "2026-03-12T04:00:00Z"),
            ("2026-03-14T00:00:00Z", "2026-03-15T00:00:00Z"),
        ] {
            let window = Span::new(at(start), at(end)).unwrap();
            let answer = source.role.fetch(Query { now, window, validator: None }).await;
            assert!(matches!(answer, Err(FeedError::NotPublished { .. })), "{name}: {answer:?}");
        }
    }
}

/// Clocks went forward on 2026-03-08 at 02:00: from 05:00 UTC (06:00 in Dallas, 08:00 in Los Angeles) of that day to
/// 04:00 (05:00, 07:00) of the next the days have 23 hours.
#[tokio::test]
async fn the_day_of_the_change_of_the_clock_is_whole() {
    let world = World::at("2026-03-07T21:30:00Z").await;
    for name in MARKETS {
        let source = world.source(name);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let day = Span::new(at("2026-03-08T05:00:00Z"), at("2026-03-09T04:00:00Z")).unwrap();
        assert!(revision.series.agenda.covers(day), "{name}");
    }
}

#[tokio::test]
async fn values_of_another_place_are_refused() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    world.supplier.set_fault(Some(Fault::OtherArea));
    for name in MARKETS {
        let error = world.fetch(&world.source(name), 1, 2).await.unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{name}: {error}");
        assert!(error.to_string().contains("ELSEWHERE"), "{name}: {error}");
    }
}
