//! `wattbook supplier` as a process: real clients against the sources that it prints.

use std::io::{BufRead, BufReader};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use grid_feeds::demonstration::demonstration;
use grid_feeds::feed::{FeedError, Fetched, Quantity, Query, RetryClass, Revision};
use grid_feeds::http::{Http, Timeouts};
use grid_feeds::provider::Provider;
use planner::agenda::Agenda;
use planner::quantity::Rate;
use planner::time::{Seconds, Span, Timestamp};
use reqwest::Method;
use serde::Deserialize;
use tempfile::TempDir;
use toml::Table;

use crate::client::{Client, answer};
use crate::server::PATIENCE;
use crate::site::wattbook;

const NOW: &str = "2026-03-10T16:30:00Z";

/// A running supplier; it is killed when dropped.
struct Supplier {
    child: Child,
    client: Client,
    /// What it printed.
    sources: Vec<Table>,
    folder: TempDir,
}

impl Supplier {
    /// Starts at [`NOW`] with a clock that stands still, unless told otherwise.
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "any").unwrap();
        let mut command = wattbook(&["supplier", "--listen", "127.0.0.1:0", "--drop", "series"]);
        command.current_dir(folder.path()).args(arguments);
        if !arguments.contains(&"--rate") {
            command.args(["--rate", "0"]);
        }
        if !arguments.contains(&"--at") {
            command.args(["--at", NOW]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The files' sources are printed last.
        let mut text = String::new();
        while !text.contains("series/power-cap.csv") {
            text.push_str(&lines.next().expect("the supplier stopped"));
            text.push('\n');
        }
        let (_, rest) = text.split_once("listens on http://").unwrap();
        let client = Client::new(rest.split(';').next().unwrap());
        let token = folder.path().join("token").display().to_string();
        let text = text.replace("environment = \"REPLAY_TOKEN\"", &format!("file = \"{token}\""));
        let text = text.replace("series/", &format!("{}/series/", folder.path().display()));
        let mut settings: Table = text.parse().unwrap();
        let sources = settings.remove("feeds").unwrap().try_into().unwrap();
        Self { child, client, sources, folder }
    }

    /// Asks each source but those of files for a day back and two ahead.
    async fn fetch_all(&self) -> Vec<(String, Quantity, Result<Revision, FeedError>)> {
        let mut fetched = Vec::new();
        for source in &self.sources {
            let id = source["id"].as_str().unwrap().to_owned();
            let quantity = match source["quantity"].as_str().unwrap() {
                "price" => Quantity::Price,
                "co2" => Quantity::Co2,
                "power-cap" => Quantity::PowerCap,
                word => panic!("{id}: {word}"),
            };
            fetched.push((id, quantity, fetch(source, quantity).await));
        }
        fetched
    }
}

impl Drop for Supplier {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn fetch(source: &Table, quantity: Quantity) -> Result<Revision, FeedError> {
    let mut settings = source.clone();
    settings.remove("id");
    settings.remove("quantity");
    let provider = Provider::deserialize(settings).unwrap();
    let http = Http::new(Timeouts { connect: PATIENCE, total: PATIENCE }).unwrap();
    let role = provider.connect("a", quantity, &http)?;
    let now = at(NOW);
    let day = Seconds::new(86_400);
    let window = Span::new(now - day, now + day + day).unwrap();
    match role.fetch(Query { now, window, validator: None }).await? {
        Fetched::Revision(revision) => Ok(*revision),
        Fetched::Unchanged => panic!("nothing was known before"),
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The mean over a span; `None` where it is not covered.
fn mean(agenda: &Agenda<i64>, span: Span) -> Option<i64> {
    let part = |span: Span, value: i64| value * span.length().get();
    let pieces = agenda.overlapping(span).iter();
    let sum =
        pieces.map(|piece| part(piece.span.intersection(span).unwrap(), piece.value)).sum::<i64>();
    agenda.covers(span).then(|| sum / span.length().get())
}

#[tokio::test]
async fn every_source_that_is_printed_tells_the_demonstration_s_series_over_sockets() {
    let supplier = Supplier::start(&[]);
    let demonstration = demonstration(at(NOW)).unwrap();
    let price = demonstration.price.map(Rate::as_millionths);
    let co2 = demonstration.co2.map(Rate::as_millionths);
    let fetched = supplier.fetch_all().await;
    assert_eq!(fetched.len(), 42);
    for (id, quantity, revision) in fetched {
        let series = revision.unwrap_or_else(|error| panic!("{id}: {error}")).series;
        let agenda = match quantity {
            // These have prices of their own, by the colours of the demonstration.
            Quantity::Price if id.starts_with("contract") => continue,
            Quantity::Price => &price,
            Quantity::Co2 => &co2,
            Quantity::PowerCap => {
                let cap = demonstration.power_cap.map(planner::quantity::Power::as_microwatts);
                assert_eq!(series.agenda.map(|known| known.value), cap);
                continue;
            }
        };
        assert!(!series.agenda.pieces().is_empty(), "{id}");
        for piece in series.agenda.pieces() {
            // Generation is told in millionths of a megawatt, pounds as doubles; Elexon's and that of Japan's areas in whole megawatts
            // of 30,000: half of one between gas and nuclear power is (490 - 12) g/kWh / 60,000 = 0.008 g/kWh.
            let most = if ["elexon-co2", "japan-area"].contains(&&*id) { 8000 } else { 10 };
            let off = piece.value.value - mean(agenda, piece.span).unwrap();
            assert!(off.abs() <= most, "{id}: {} is off by {off}", piece.span);
        }
    }
}

/// 2026-03-10 is the demonstration's day 0, white, and its day 1 is red: 180 until 06:00 in Paris,
/// which is 05:00Z, then 500.
#[tokio::test]
async fn a_contract_has_the_demonstration_s_colours_with_and_without_an_account() {
    let supplier = Supplier::start(&[]);
    let contracts: Vec<_> = (supplier.fetch_all().await.into_iter())
        .filter(|(id, _, _)| id.starts_with("contract"))
        .collect();
    assert_eq!(contracts.len(), 2);
    for (id, _, revision) in contracts {
        let agenda = revision.unwrap().series.agenda;
        let price = |time| agenda.at(at(time)).map(|known| known.value);
        assert_eq!(price("2026-03-11T04:59:59Z"), Some(180_000_000), "{id}");
        assert_eq!(price("2026-03-11T05:00:00Z"), Some(500_000_000), "{id}");
    }
}

#[tokio::test]
async fn a_fault_without_a_share_is_in_every_answer() {
    let supplier = Supplier::start(&["--fault", "429"]);
    for (id, _, revision) in supplier.fetch_all().await {
        if id.starts_with("file-") {
            revision.unwrap();
        } else {
            let error = revision.unwrap_err();
            assert_eq!(error.retry(), RetryClass::After(Seconds::new(30)), "{id}: {error}");
        }
    }
}

async fn statuses(seed: &str) -> Vec<u16> {
    let faults = ["--fault", "503=0.3", "--fault", "404=0.3", "--seed", seed];
    let supplier = Supplier::start(&faults);
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(supplier.client.get("/price?start=2026-03-10&end=2026-03-10").await.status);
    }
    statuses
}

#[tokio::test]
async fn shares_of_faults_fall_on_the_same_answers_for_one_seed() {
    let first = statuses("7").await;
    assert_eq!(statuses("7").await, first);
    assert_ne!(statuses("8").await, first);
    for status in [200, 503, 404] {
        assert!(first.contains(&status), "{first:?}");
    }
}

/// Prices of the 12th come out at 12:55 in Berlin on the 11th, 11:55Z.
#[tokio::test]
async fn what_is_not_out_at_the_virtual_time_is_not_told_until_the_clock_gets_there() {
    let supplier = Supplier::start(&[]);
    let day = "/api/DayAheadPrices?date=2026-03-12&deliveryArea=SE3&currency=EUR";
    assert_eq!(supplier.client.get(day).await.status, 204);
    let put = async |path| {
        assert_eq!(answer(supplier.client.request(Method::PUT, path)).await.status, 204);
    };
    put("/control/clock/2026-03-11T11:54:59Z").await;
    assert_eq!(supplier.client.get(day).await.status, 204);
    put("/control/rate/1").await;
    let patience = Instant::now();
    while supplier.client.get(day).await.status != 200 {
        assert!(patience.elapsed() < PATIENCE, "the clock does not run");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// 25 October 2026 has 25 hours.
#[tokio::test]
async fn a_day_of_a_clock_change_can_be_asked_for() {
    let start = "2026-07-01T00:00:00Z";
    let supplier = Supplier::start(&["--at", start, "--fault", "dst-day"]);
    let prices = supplier.client.get("/price?start=2026-10-25&end=2026-10-25").await.ok(200);
    assert_eq!(prices["price"].as_array().unwrap().len(), 100);
}

/// Two hours of 10 and 30 per MWh; what no file covers is not told.
#[tokio::test]
async fn series_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("price.json");
    let prices = r#"[
        {"start": "2026-03-10T00:00:00Z", "end": "2026-03-10T01:00:00Z", "price_per_mwh": 10},
        {"start": "2026-03-10T01:00:00Z", "end": "2026-03-10T02:00:00Z", "price_per_mwh": 30}]"#;
    std::fs::write(&path, prices).unwrap();
    let supplier = Supplier::start(&["--price", path.to_str().unwrap()]);
    // Milliseconds of 00:00Z and 03:00Z.
    let path = "/v1/marketdata?start=1773100800000&end=1773111600000";
    let hours = supplier.client.get(path).await.ok(200);
    let hours: Vec<_> =
        hours["data"].as_array().unwrap().iter().map(|hour| hour["marketprice"].as_f64()).collect();
    assert_eq!(hours[..2], [Some(10.0), Some(30.0)]);
    assert!(hours[2..].iter().all(Option::is_none), "{hours:?}");
    let dropped = std::fs::read_to_string(supplier.folder.path().join("series/price.csv")).unwrap();
    assert_eq!(dropped.lines().count(), 3);
}

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } =
        wattbook(&["supplier", "--listen", "127.0.0.1:0"]).args(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    for (arguments, code, named) in [
        (&["--fault", "teapot"][..], 2, "\"teapot\" is no fault"),
        (&["--fault", "429=2"], 2, "between 0 and 1"),
        (&["--fault", "429=0.6", "--fault", "503=0.6"], 2, "more than all answers"),
        (&["--rate=-1"], 2, "at least 0"),
        (&["--at", "tomorrow"], 2, "RFC 3339"),
        (&["--price", "there-is-no-such-file.csv"], 1, "there-is-no-such-file.csv"),
        (&["--price", env!("CARGO_MANIFEST_PATH")], 1, "Cargo.toml: line 1"),
    ] {
        let (status, error) = refused(arguments);
        assert_eq!(status, Some(code), "{arguments:?}: {error}");
        assert!(error.contains(named), "{arguments:?}: {error}");
    }
}
