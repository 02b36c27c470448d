//! With faults: an error of the right class or explicit gaps, never a wrong value.

use grid_feeds::feed::{FeedError, Quality, RetryClass};
use planner::time::{Seconds, Span};
use replay_supplier::Fault;

use crate::truthful::{PUBLISHED, series};
use crate::world::{MILLION, World, assert_true, at};

const NOW: &str = "2026-03-10T16:30:00Z";

async fn failures(fault: Fault) -> Vec<(&'static str, FeedError)> {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(fault));
    let mut failures = Vec::new();
    for name in series().chain(["tempo", "tempo-public"]) {
        let source = world.source(name);
        let error = world.fetch(&source, 1, 2).await.expect_err(name);
        assert!(!error.to_string().contains("t0ken"), "{error}");
        failures.push((name, error));
    }
    failures
}

#[tokio::test]
async fn too_many_requests_wait_as_long_as_asked() {
    for (name, error) in failures(Fault::TooManyRequests).await {
        assert_eq!(error.retry(), RetryClass::After(Seconds::new(30)), "{name}: {error}");
    }
}

#[tokio::test]
async fn maintenance_pages_back_off() {
    for (name, error) in failures(Fault::Unavailable).await {
        assert_eq!(error.retry(), RetryClass::Backoff, "{name}: {error}");
    }
}

/// ENTSO-E's 404 was an outage of weeks; Energy-Charts says so when there is nothing yet, and so do those
/// who have a file for each day, month or year.
#[tokio::test]
async fn a_404_text_means_what_it_means_at_each_supplier() {
    for (name, error) in failures(Fault::NotFoundText).await {
        let wanted = match name {
            "entsoe" | "entsoe-co2" => RetryClass::Backoff,
            "energy-charts" | "energy-charts-co2" | "japan-area" | "jepx" | "miso" | "nyiso"
            | "spp" => RetryClass::NotYet,
            _ => RetryClass::Permanent,
        };
        assert_eq!(error.retry(), wanted, "{name}: {error}");
    }
}

#[tokio::test]
async fn empty_answers_with_status_200_are_no_values() {
    for (name, error) in failures(Fault::Empty).await {
        assert_eq!(error.retry(), RetryClass::Backoff, "{name}: {error}");
    }
    for (name, error) in failures(Fault::EmptyObject).await {
        let wanted = match name {
            "uk-carbon-intensity" | "electricity-maps" | "electricity-maps-v4" => {
                RetryClass::NotYet
            }
            _ => RetryClass::Backoff,
        };
        assert_eq!(error.retry(), wanted, "{name}: {error}");
    }
}

#[tokio::test]
async fn truncated_answers_are_bad_payloads() {
    for (name, error) in failures(Fault::Truncated).await {
        assert!(matches!(error, FeedError::Payload { .. }), "{name}: {error}");
    }
}

#[tokio::test]
async fn slow_answers_time_out() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::Slow(4000)));
    let (entsoe, charts) = (world.source("entsoe"), world.source("energy-charts"));
    let (one, other) = tokio::join!(world.fetch(&entsoe, 1, 2), world.fetch(&charts, 1, 2));
    for error in [one.unwrap_err(), other.unwrap_err()] {
        assert!(matches!(error, FeedError::Transient { .. }), "{error}");
        assert!(!error.to_string().contains("t0ken"), "{error}");
    }
}

#[tokio::test]
async fn nulls_are_gaps_and_the_other_values_stay_true() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::Nulls));
    for name in series() {
        let source = world.source(name);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let span = revision.series.span().unwrap();
        assert!(!revision.series.agenda.covers(span), "{name} has no gap");
    }
}

/// At 16:30 UTC nothing that comes out at noon or later, but six hours late, is out.
#[tokio::test]
async fn a_late_publication_leaves_tomorrow_open() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::Late));
    for name in PUBLISHED {
        let source = world.source(name);
        let revision = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let tomorrow = Span::new(at("2026-03-11T00:00:00Z"), at("2026-03-12T00:00:00Z")).unwrap();
        assert!(!revision.series.agenda.covers(tomorrow), "{name}");
    }
}

#[tokio::test]
async fn a_revision_is_read_as_the_supplier_says_it_now() {
    let world = World::at(NOW).await;
    for name in series() {
        let source = world.source(name);
        world.supplier.set_fault(None);
        let before = world.fetch(&source, 1, 2).await.unwrap();
        world.supplier.set_fault(Some(Fault::Revised));
        let after = world.fetch(&source, 1, 2).await.unwrap();
        assert_true(&source, &after, MILLION);
        assert_ne!(before.series.agenda, after.series.agenda, "{name}");
    }
}

#[tokio::test]
async fn data_of_a_trial_account_is_refused() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::Sandbox));
    for name in ["electricity-maps", "electricity-maps-v4"] {
        let error = world.fetch(&world.source(name), 1, 2).await.unwrap_err();
        assert!(matches!(error, FeedError::Sandbox { .. }), "{name}: {error}");
        assert_eq!(error.retry(), RetryClass::Permanent, "{name}");
    }
}

#[tokio::test]
async fn maintenance_elsewhere_passes_and_a_refusal_is_tried_again() {
    for (name, error) in failures(Fault::Elsewhere).await {
        assert_eq!(error.retry(), RetryClass::Backoff, "{name}: {error}");
        assert!(error.to_string().contains("https://maintenance.invalid"), "{name}: {error}");
    }
    for (name, error) in failures(Fault::Unauthorised).await {
        assert_eq!(error.retry(), RetryClass::Permanent, "{name}: {error}");
        assert!(error.to_string().contains("401"), "{name}: {error}");
    }
}

#[tokio::test]
async fn what_cannot_be_is_a_gap_and_the_other_values_stay_true() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::Absurd));
    // Their intensities are made of other values.
    for name in series().filter(|name| !["entsoe-co2", "smard-co2"].contains(name)) {
        let source = world.source(name);
        // Of a day's hours none may be the fiftieth.
        let of_hours = ["caiso", "eia", "ercot", "iso-ne", "miso", "nyiso", "pjm", "spp"];
        let days_before = if of_hours.contains(&name) { 3 } else { 1 };
        let revision = world.fetch(&source, days_before, 2).await.unwrap();
        assert_true(&source, &revision, 0);
        let span = revision.series.span().unwrap();
        let notes = &revision.series.notes;
        assert!(!revision.series.agenda.covers(span), "{name} has no gap");
        assert!(notes.iter().any(|note| note.contains("cannot be")), "{name}: {notes:?}");
    }
}

/// An early auction tells tomorrow at half past ten; at 13:00 in Paris it is the final one's turn.
#[tokio::test]
async fn an_early_auction_is_provisional() {
    let world = World::at("2026-03-10T12:00:00Z").await;
    let noon = at("2026-03-11T12:00:00Z");
    for name in ["entsoe", "nord-pool", "nord-pool-account"] {
        let source = world.source(name);
        world.supplier.set_fault(Some(Fault::Provisional));
        let early = world.fetch(&source, 1, 2).await.unwrap().series.agenda;
        assert_eq!(early.at(noon).unwrap().quality, Quality::Forecast, "{name}");
        let today = early.at(at("2026-03-10T12:00:00Z")).unwrap();
        assert_eq!(today.quality, Quality::Measured, "{name}");
        world.supplier.set_fault(None);
        let last = world.fetch(&source, 1, 2).await.unwrap().series.agenda;
        assert_eq!(last.at(noon).unwrap().quality, Quality::Measured, "{name}");
        let rise = last.at(noon).unwrap().value - early.at(noon).unwrap().value;
        assert_eq!(rise, MILLION, "{name}");
    }
}

#[tokio::test]
async fn values_of_another_area_are_refused() {
    let world = World::at(NOW).await;
    world.supplier.set_fault(Some(Fault::OtherArea));
    for name in [
        "eia",
        "electricity-maps",
        "electricity-maps-v4",
        "elexon",
        "elexon-co2",
        "energinet",
        "energinet-co2",
        "entsoe",
        "entsoe-co2",
        "nord-pool",
        "nord-pool-account",
        "nyiso",
        "openelectricity",
        "openelectricity-co2",
        "terna",
        "watttime",
    ] {
        let error = world.fetch(&world.source(name), 1, 2).await.unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{name}: {error}");
        // Files of NYISO have all zones.
        let zones = if name == "nyiso" { "CAPITL, ELSEWHERE" } else { "ELSEWHERE" };
        let says = format!("the answer says {zones:?}");
        assert!(error.to_string().contains(&says), "{name}: {error}");
    }
}
