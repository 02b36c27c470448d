//! What `/metrics` tells of requests, of the process, and of what comes and goes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::client::{Client, answer};
use crate::cluster::{furnish, nodes};
use crate::ledger::{self, EVENING, HOUR, push, stated_to};
use crate::server::PATIENCE;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    of_two_processes_one_holds_each_lease,
    what_is_gone_is_told_no_longer,
    the_ledger_and_meters_have_an_age,
}

/// The series of a metric, by their labels as they are written.
pub(crate) async fn series(client: &Client, name: &str) -> BTreeMap<String, f64> {
    let metrics = client.get("/metrics").await;
    assert_eq!(metrics.status, 200, "{}", metrics.body);
    let series = |line: &str| {
        let (series, value) = line.strip_prefix(name)?.rsplit_once(' ')?;
        let is_whole = series.is_empty() || series.starts_with('{');
        is_whole.then(|| (series.to_owned(), value.parse().unwrap()))
    };
    metrics.body.lines().filter_map(series).collect()
}

/// The value of a metric under labels; nothing where it is not told.
pub(crate) async fn told(client: &Client, name: &str, labels: &str) -> Option<f64> {
    series(client, name).await.get(labels).copied()
}

pub(crate) async fn assert_told(client: &Client, name: &str, labels: &str, expected: f64) {
    let all = series(client, name).await;
    let value = all.get(labels).copied().unwrap_or(f64::NAN);
    assert!((value - expected).abs() < 1e-9, "{name}{labels} is not {expected}: {all:?}");
}

#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_path() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    client.post("/api/v1/quotes", &hours.request(1, 0, 4)).await.ok(200);
    for id in ["018f2a10-0000-7000-8000-000000000001", "018f2a10-0000-7000-8000-000000000002"] {
        client
            .get(&format!("/api/v1/reservations/{id}?secret=pa55word"))
            .await
            .problem(404, "not_found");
    }
    client.get("/n0nsense/pa55word").await.problem(404, "not_found");
    client.delete("/api/v1/quotes").await.problem(405, "method_not_allowed");
    let brewed = client.request(Method::from_bytes(b"BREW").unwrap(), "/api/v1/site");
    assert_eq!(answer(brewed).await.status, 405);
    let watched = client.request(Method::GET, "/api/v1/events").send().await.unwrap();
    for (labels, count) in [
        (r#"{method="POST",route="/api/v1/quotes",status="200"}"#, 1.0),
        (r#"{method="GET",route="/api/v1/reservations/{id}",status="404"}"#, 2.0),
        (r#"{method="GET",route="other",status="404"}"#, 1.0),
        (r#"{method="DELETE",route="/api/v1/quotes",status="405"}"#, 1.0),
        (r#"{method="other",route="/api/v1/site",status="405"}"#, 1.0),
        (r#"{method="GET",route="/api/v1/events",status="200"}"#, 1.0),
    ] {
        assert_told(&client, "wattbook_http_requests_total", labels, count).await;
    }
    // A stream that goes on was answered at once.
    let at_once = r#"{method="GET",route="/api/v1/events",le="10"}"#;
    assert_told(&client, "wattbook_http_request_duration_seconds_bucket", at_once, 1.0).await;
    drop(watched);
    let metrics = client.get("/metrics").await.body;
    assert!(!metrics.contains("pa55word") && !metrics.contains("018f2a10"), "{metrics}");
}

#[tokio::test]
async fn what_a_limit_refuses_is_counted_by_limit() {
    let site = Site::sqlite();
    let settings = "[limits]\nstreams_per_user = 1\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let (olga, ada) = (site.token("olga", "operator"), site.token("ada", "user"));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let (operator, user) = (server.client().with_token(&olga), server.client().with_token(&ada));
    let watches = user.request(Method::GET, "/api/v1/events").send().await.unwrap();
    user.get("/api/v1/events").await.problem(429, "too_many_streams");
    user.get("/api/v1/events").await.problem(429, "too_many_streams");
    drop(watches);
    let limit = "wattbook_refused_total";
    assert_told(&operator, limit, r#"{limit="streams_per_user"}"#, 2.0).await;
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_told() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_told(&client, "wattbook_build_info", &version, 1.0).await;
    assert_told(&client, "wattbook_ready", "", 1.0).await;
    let other = sqlx::SqlitePool::connect(&site.database).await.unwrap();
    let writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    // What was tried two seconds ago holds no longer.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_told(&client, "wattbook_ready", "", 0.0).await;
    writing.rollback().await.unwrap();
    let began = Instant::now();
    while told(&client, "wattbook_ready", "").await != Some(1.0) {
        assert!(began.elapsed() < PATIENCE);
    }
}

async fn of_two_processes_one_holds_each_lease(site: Site) {
    let first = site.serve().await;
    let second = site.serve().await;
    let began = Instant::now();
    loop {
        let held = [first.client(), second.client()];
        let one = series(&held[0], "wattbook_lease_held").await;
        let other = series(&held[1], "wattbook_lease_held").await;
        assert!(one.keys().eq(other.keys()), "{one:?} {other:?}");
        assert!(one.contains_key(r#"{lease="ledger"}"#), "{one:?}");
        let sums: Vec<f64> = one.values().zip(other.values()).map(|(a, b)| a + b).collect();
        assert!(sums.iter().all(|sum| *sum < 1.5), "{one:?} {other:?}");
        if sums.iter().all(|sum| *sum > 0.5) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{one:?} {other:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    first.signal("TERM");
    assert!(first.wait().0.success());
    let held = second.client();
    while series(&held, "wattbook_lease_held").await.values().any(|held| *held < 0.5) {
        assert!(began.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A partition that no node is in any more, and a cap that was withdrawn. Agendas that were only put have a horizon, and
/// nobody said how far they should reach.
async fn what_is_gone_is_told_no_longer(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    assert!(series(&client, "wattbook_agenda_horizon_seconds").await.is_empty());
    let hours = furnish(&client, 2, Some(5000.0)).await;
    let mut parted = nodes(2);
    parted[0]["partitions"] = json!(["gpu"]);
    client.put("/api/v1/nodes", &parted).await.ok(200);
    let gpu = r#"{partition="gpu"}"#;
    assert_told(&client, "wattbook_planned_power_watts", gpu, 100.0).await;
    assert_told(&client, "wattbook_power_cap_watts", "", 5000.0).await;
    let ahead = told(&client, "wattbook_agenda_horizon_seconds", r#"{quantity="price"}"#).await;
    let expected = (hours.at(28) - crate::cluster::now()) as f64;
    assert!((ahead.unwrap() - expected).abs() < 30.0, "{ahead:?} {expected}");
    assert!(series(&client, "wattbook_agenda_gap_seconds").await.is_empty());
    assert!(series(&client, "wattbook_agenda_days_ahead_seconds").await.is_empty());
    client.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    client.delete(&format!("/api/v1/agendas/power-cap?{}", hours.span(-4, 28))).await;
    assert_eq!(told(&client, "wattbook_planned_power_watts", gpu).await, None);
    assert_told(&client, "wattbook_planned_power_watts", r#"{partition=""}"#, 200.0).await;
    assert_eq!(told(&client, "wattbook_power_cap_watts", "").await, None);
}

/// At 25 minutes past midnight the hour until midnight is stated, and the newest sample is of 22:00.
async fn the_ledger_and_meters_have_an_age(site: Site) {
    let (olga, ada) = (site.token("operator", "operator"), site.token("ada", "user"));
    ledger::furnish(&site, &olga, &ada).await;
    let server = ledger::serve_with(&site, (EVENING + 4 * HOUR + 1500, 1), "", "").await;
    let client = server.client().with_token(&olga);
    assert!(series(&client, "wattbook_meter_age_seconds").await.is_empty());
    stated_to(&client, 4).await;
    let age = told(&client, "wattbook_ledger_newest_hour_age_seconds", "").await.unwrap();
    assert!((1500.0..1500.0 + PATIENCE.as_secs_f64()).contains(&age), "{age}");
    push(&client, "bmc", "n0", 150.0).await;
    let ages = series(&client, "wattbook_meter_age_seconds").await;
    assert!(ages.keys().eq([r#"{meter="bmc"}"#]), "{ages:?}");
    let age = ages.values().sum::<f64>() - 2.0 * HOUR as f64;
    assert!((1500.0..1500.0 + PATIENCE.as_secs_f64()).contains(&age), "{age}");
}
