//! Without faults: what is read is what is true, as far as it is published.

use grid_feeds::feed::{FeedError, Fetched, Kind, Quality, Query};
use planner::time::{Seconds, Span};
use replay_supplier::Fault;

use crate::world::{World, assert_true, at};

/// Those that publish the prices of a whole day at once, in the afternoon.
pub const PUBLISHED: [&str; 10] = [
    "entsoe",
    "energy-charts",
    "octopus",
    "octopus-family",
    "awattar",
    "nord-pool",
    "nord-pool-account",
    "nyiso",
    "energinet",
    "smard",
];

/// All but the contract, whose prices are its own.
pub fn series() -> impl Iterator<Item = &'static str> {
    let all = replay_supplier::sources().map(|source| source.id);
    all.filter(|id| !id.starts_with("contract"))
}

#[tokio::test]
async fn every_source_reads_what_is_true() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    for name in series() {
        let source = world.source(name);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let span = revision.series.span().unwrap();
        assert!(revision.series.agenda.covers(span), "{name} has a gap");
        // A pre-dispatch tells nothing of the past.
        if name == "aemo" {
            continue;
        }
        let now = at("2026-03-10T15:00:00Z");
        let before = Span::new(now - Seconds::new(20 * 3600), now - Seconds::new(7200)).unwrap();
        assert!(revision.series.agenda.covers(before), "{name} does not know yesterday");
    }
}

/// Before the auction there is no tomorrow, after it there is.
#[tokio::test]
async fn tomorrow_appears_with_its_publication() {
    let world = World::at("2026-03-10T11:00:00Z").await;
    let noon = at("2026-03-11T12:00:00Z");
    for name in PUBLISHED {
        let source = world.source(name);
        world.supplier.set_now(at("2026-03-10T11:00:00Z"));
        let before = world.fetch(&source, 1, 2).await.unwrap();
        assert_eq!(before.series.agenda.at(noon), None, "{name}");
        world.supplier.set_now(at("2026-03-10T16:30:00Z"));
        let after = world.fetch(&source, 1, 2).await.unwrap();
        assert!(after.series.agenda.at(noon).is_some(), "{name}");
    }
}

/// The hourly auction of Great Britain is published at 10:00 in London, hours before the others.
#[tokio::test]
async fn each_market_is_published_at_its_time() {
    let world = World::at("2026-03-10T09:30:00Z").await;
    let source = world.source("nord-pool-n2ex");
    let noon = at("2026-03-11T12:00:00Z");
    let before = world.fetch(&source, 1, 2).await.unwrap();
    assert_eq!(before.series.agenda.at(noon), None);
    assert_eq!(before.series.kind.to_string(), "price in GBP/MWh");
    world.supplier.set_now(at("2026-03-10T10:30:00Z"));
    let after = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &after, 0);
    assert!(after.series.agenda.at(noon).is_some());
}

/// The product that was sold until 2026-03-10 and the one since then are one agenda.
#[tokio::test]
async fn products_of_a_family_follow_each_other() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    let source = world.source("octopus-family");
    let revision = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &revision, 0);
    let span = revision.series.span().unwrap();
    assert!(revision.series.agenda.covers(span));
    assert_eq!(&*revision.zone, "E-1R-AGILE-26-03-10-C");
    let notes = &revision.series.notes;
    assert!(notes[0].starts_with("product AGILE-24-10-01 from 2026-03-09T15"), "{notes:?}");
    assert_eq!(notes[1], "product AGILE-26-03-10 from 2026-03-10T00:00:00Z");
}

#[tokio::test]
async fn a_product_that_has_ended_is_told_with_the_one_that_is_sold() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    let error = world.fetch(&world.source("octopus-ended"), 1, 2).await.unwrap_err();
    let words = error.to_string();
    assert!(matches!(error, FeedError::Configuration { .. }), "{words}");
    assert!(words.contains("AGILE-FLEX-22-11-25 has ended"), "{words}");
    assert!(words.contains("AGILE-26-03-10 is sold now"), "{words}");
    let error = world.fetch(&world.source("octopus-misspelt"), 1, 2).await.unwrap_err();
    let words = error.to_string();
    assert!(words.contains("there are AGILE, VAR: check `product`"), "{words}");
}

#[tokio::test]
async fn nothing_but_days_to_come_is_not_published_yet() {
    let world = World::at("2026-03-10T11:00:00Z").await;
    for name in PUBLISHED {
        let source = world.source(name);
        let now = at("2026-03-10T11:00:00Z");
        let window = Span::new(at("2026-03-12T00:00:00Z"), at("2026-03-13T00:00:00Z")).unwrap();
        let query = Query { now, window, validator: None };
        let answer = source.role.fetch(query).await;
        assert!(matches!(answer, Err(FeedError::NotPublished { .. })), "{name}: {answer:?}");
    }
}

/// Days of 23 and 25 hours: 2026-03-29 in Europe.
#[tokio::test]
async fn the_day_of_the_change_of_the_clock_is_whole() {
    let world = World::at("2026-03-28T17:30:00Z").await;
    for name in PUBLISHED {
        let source = world.source(name);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let day = Span::new(at("2026-03-28T23:00:00Z"), at("2026-03-29T21:00:00Z")).unwrap();
        assert!(revision.series.agenda.covers(day), "{name}");
    }
}

/// In America the clock is put forward on 2026-03-08: midnight is 05:00 UTC before and 04:00 UTC after
/// it in New York.
#[tokio::test]
async fn the_american_day_of_the_change_of_the_clock_is_whole() {
    let world = World::at("2026-03-07T22:30:00Z").await;
    let source = world.source("nyiso");
    let revision = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &revision, 0);
    let day = Span::new(at("2026-03-08T05:00:00Z"), at("2026-03-09T04:00:00Z")).unwrap();
    assert!(revision.series.agenda.covers(day));
}

/// Numbers of quarter-hours have no mark of the change of the clock: the day has 92.
#[tokio::test]
async fn the_measured_day_of_the_change_of_the_clock_is_whole_once_it_is_over() {
    let world = World::at("2026-03-30T10:00:00Z").await;
    let source = world.source("rte-eco2mix");
    let revision = world.fetch(&source, 2, 1).await.unwrap();
    assert_true(&source, &revision, 0);
    let day = Span::new(at("2026-03-28T23:00:00Z"), at("2026-03-29T22:00:00Z")).unwrap();
    assert!(revision.series.agenda.covers(day));
}

/// Blue, white and red in turn from 2026-02-01: 2026-03-10 is the 38th day, blue (index 37 = 3 x 12
/// + 1 is white). In March 06:00 in Paris is 05:00 UTC.
#[tokio::test]
async fn colours_become_prices_with_and_without_an_account() {
    let world = World::at("2026-03-10T08:00:00Z").await;
    for name in ["tempo", "tempo-public"] {
        let source = world.source(name);
        world.supplier.set_now(at("2026-03-10T08:00:00Z"));
        let early = world.fetch(&source, 1, 2).await.unwrap();
        let price = |text| early.series.agenda.at(at(text)).map(|known| known.value / 1_000_000);
        assert_eq!(price("2026-03-10T04:59:00Z"), Some(10), "{name}: the night of the blue 9th");
        assert_eq!(price("2026-03-10T05:00:00Z"), Some(20), "{name}");
        assert_eq!(price("2026-03-11T05:00:00Z"), None, "{name}: not binding before 10:30");
        world.supplier.set_now(at("2026-03-10T10:00:00Z"));
        let late = world.fetch(&source, 1, 2).await.unwrap();
        let tomorrow = late.series.agenda.at(at("2026-03-11T05:00:00Z")).unwrap();
        assert_eq!((tomorrow.value, tomorrow.quality), (30_000_000, Quality::Measured), "{name}");
    }
}

#[tokio::test]
async fn kinds_are_told_apart() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    let mut kinds = Vec::new();
    for name in ["odre", "electricity-maps", "octopus", "entsoe", "watttime"] {
        let source = world.source(name);
        kinds.push(world.fetch(&source, 1, 1).await.unwrap().series.kind);
    }
    let words: Vec<String> = kinds.iter().map(Kind::to_string).collect();
    assert_eq!(
        words,
        [
            "average direct CO2 in g/kWh",
            "average life-cycle CO2 in g/kWh",
            "price in GBP/MWh",
            "price in EUR/MWh",
            "marginal direct CO2 in g/kWh",
        ]
    );
}

#[tokio::test]
async fn what_did_not_change_is_not_sent_again() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    for name in ["energy-charts", "awattar"] {
        let source = world.source(name);
        world.supplier.set_fault(None);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        let now = world.supplier.now();
        let window = Span::new(now - Seconds::new(86_400), now + Seconds::new(2 * 86_400)).unwrap();
        let query = Query { now, window, validator: revision.validator.as_ref() };
        assert_eq!(source.role.fetch(query).await, Ok(Fetched::Unchanged), "{name}");
        world.supplier.set_fault(Some(Fault::Revised));
        let revised = source.role.fetch(query).await.unwrap();
        assert!(matches!(revised, Fetched::Revision(_)), "{name}");
    }
}

/// The replay has 40 half-hours on a page: three days of Octopus take several requests.
#[tokio::test]
async fn requests_are_counted_for_each_source() {
    let world = World::at("2026-03-10T17:00:00Z").await;
    let (octopus, charts) = (world.source("octopus"), world.source("energy-charts"));
    world.fetch(&octopus, 1, 2).await.unwrap();
    assert_eq!((octopus.http.requests(), charts.http.requests()), (3, 0));
    assert_eq!(world.supplier.requests(), 3);
}

#[tokio::test]
async fn the_second_host_answers_where_the_first_is_down() {
    let world = World::at("2026-03-10T15:00:00Z").await;
    let source = world.source("entsoe-second-host");
    let revision = world.fetch(&source, 1, 2).await.unwrap();
    assert_true(&source, &revision, 0);
    world.supplier.set_fault(Some(Fault::Unavailable));
    let error = world.fetch(&source, 1, 2).await.unwrap_err();
    assert!(matches!(error, FeedError::Busy { status: 503, .. }), "{error}");
}
