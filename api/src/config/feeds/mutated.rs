//! Mutated settings files: none makes the reader panic, each refusal names its place, and what is
//! accepted can be kept.
//!
//! `WATTBOOK_PROPERTY_CASES` says how many are tried, `WATTBOOK_FUZZ_SECONDS` for how long instead.

use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use self::mutation::mutation;
use super::*;
use crate::config::{Overrides, Settings};

// The same changes that parsers of payloads are given.
#[path = "../../../../grid-feeds/tests/mutation/mutation.rs"]
mod mutation;

/// The most changes of one text.
const MAX_MUTATIONS: usize = 8;

/// Everything that can be said of feeds and agendas.
const WHOLE: &str = r#"
listen = "127.0.0.1:8080"
currency = "EUR"
hold_s = 600
feed_lease_s = 20

[[feeds]]
id = "entsoe-fr"
quantity = "price"
provider = "entsoe"
zone = "10YFR-RTE------C"
token = { file = "/run/secrets/entsoe" }
poll = { poll_every_s = 600, publications = ["12:55"], time_zone = "Europe/Brussels", backoff_first_s = 30 }
timeouts = { connect_s = 5, total_s = 20 }
fresh_for_s = 7200
usable_for_s = 90000

[[feeds]]
id = "tempo"
quantity = "price"
provider = "contract"
time_zone = "Europe/Paris"
currency = "EUR"
day_starts_at = "06:00"
vat_percent = "20"
rules = [
    { colour = "red", from = "06:00", to = "22:00", energy_per_mwh = "500.5" },
    { months = [11, 12, 1], days = "free", energy_per_mwh = "80" },
    { energy_per_mwh = "120" },
]
colours = { access = "public" }

[[feeds]]
id = "eco2mix"
quantity = "co2"
provider = "odre"

[[feeds]]
id = "caps"
quantity = "power-cap"
provider = "file-drop"
path = "/srv/wattbook/caps"
binding = true

[[inputs]]
id = "temperature"
quantity = "temperature"
provider = "open-meteo"
latitude = 48.85
longitude = 2.35

[agendas.price]
chain = ["entsoe-fr", "tempo"]
contract = "tempo"
refuse_estimates = false
days_ahead = 12
disagreement = { take = "median", absolute = 0.5, percent = 2, least_s = 900 }

[agendas.co2]
accounting = "average"
disagreement = { usual_ratio = false }
factors = "direct"
forecast = { time_zone = "Europe/Paris", weeks = 4, step_s = 1800, holidays = "france", inputs = ["temperature"] }

[agendas.power-cap]
safe_mode_cap_w = 500000.5
fresh_for_s = 3600
usable_for_s = 7200
"#;

/// What an error may name as its place.
const PLACES: [&str; 11] = [
    "feeds[",
    "inputs[",
    "agendas.",
    "feed_lease_s",
    "TOML parse error at line",
    "stream did not contain valid UTF-8",
    "hold_s",
    "currency",
    "unknown field",
    "invalid type",
    "invalid socket address",
];

/// Reads a text as the settings file; what is accepted must be in range.
fn accepts(path: &Path, text: &str) -> bool {
    std::fs::write(path, text).unwrap();
    let overrides = Overrides { config: Some(path.to_owned()), ..Overrides::default() };
    let feeds = match Settings::load(&overrides) {
        Ok(settings) => settings.feeds,
        Err(error) => {
            let error = format!("{error:#}");
            assert!(PLACES.iter().any(|place| error.contains(place)), "no place: {error}");
            return false;
        }
    };
    assert!((1..=3600).contains(&feeds.lease.as_secs()));
    for source in &feeds.sources {
        assert!(source.fresh_for <= source.usable_for, "{source:?}");
        assert!(!source.timeouts.total.is_zero() && !source.timeouts.connect.is_zero());
        assert!(source.rhythm.poll_every_s > 0 && source.rhythm.budget_requests > 0);
        assert!(source.id != API_SOURCE && !source.id.is_empty());
    }
    for rules in &feeds.agendas {
        let of_quantity = |&index: &usize| feeds.sources[index].quantity == rules.quantity;
        assert!(rules.chain.iter().all(of_quantity), "{rules:?}");
        assert!((1..=60 * 86_400).contains(&rules.ahead.get()), "{rules:?}");
    }
    true
}

#[test]
fn no_mutation_of_the_settings_makes_the_reader_panic_or_fail_without_a_place() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let cases = number("WATTBOOK_PROPERTY_CASES").unwrap_or(400);
    let time = number("WATTBOOK_FUZZ_SECONDS").map(|seconds| Duration::from_secs(seconds.into()));
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wattbook.toml");
    assert!(accepts(&path, WHOLE), "refuses its own text");
    let began = Instant::now();
    let (tried, accepted) = (Cell::new(0_u64), Cell::new(0_u64));
    loop {
        let mutations = prop::collection::vec(mutation(), 1..=MAX_MUTATIONS);
        let outcome = TestRunner::new(config.clone()).run(&mutations, |mutations| {
            let mutated = mutations.iter().fold(WHOLE.to_owned(), |text, it| it.apply(&text));
            accepted.set(accepted.get() + u64::from(accepts(&path, &mutated)));
            tried.set(tried.get() + 1);
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{failure}");
        }
        if time.is_none_or(|time| began.elapsed() >= time) {
            break;
        }
    }
    if time.is_some() {
        println!("settings: {} executions, {} accepted", tried.get(), accepted.get());
    }
}
