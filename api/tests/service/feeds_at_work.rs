//! Feeds as a part of the service: replicas, restarts, secrets, refreshes, metrics, the command line.

use std::time::Duration;

use replay_supplier::Fault;
use serde_json::{Value, json};

use crate::cluster::seconds;
use crate::site::{Site, on_both_engines};
use crate::supply::{SECRET, Supply, feed, until, write};

on_both_engines! {
    of_two_replicas_one_polls_and_the_other_takes_over_when_it_dies,
    a_restart_after_a_kill_makes_no_stampede,
    a_secret_is_in_no_log_and_no_answer,
    a_refresh_is_for_operators_and_waits_as_the_supplier_asked,
}

/// A minute of the clock in a second, and a poll every two minutes.
const PACE: &str = "poll = { poll_every_s = 120, publications = [], catch_up_s = 10 }";

async fn of_two_replicas_one_polls_and_the_other_takes_over_when_it_dies(site: Site) {
    let supply = Supply::at_rate(60).await;
    let settings = supply.entsoe("entsoe", PACE);
    let one = supply.serve(&site, &settings).await;
    let requests = |feeds: &Value| feed(feeds, "entsoe")["requests"].as_i64().unwrap();
    until(&one.client(), "/api/v1/feeds", |feeds| requests(feeds) > 0).await;
    let two = supply.serve(&site, &settings).await;
    let (before, began) = (supply.supplier.requests(), crate::cluster::now());
    tokio::time::sleep(Duration::from_secs(8)).await;
    let made = i64::try_from(supply.supplier.requests() - before).unwrap();
    // Eight minutes of the clock: about four polls by one, and as many more if both did.
    let seconds = crate::cluster::now() - began;
    assert!((1..=seconds / 2 + 2).contains(&made), "{made}");
    assert!(!two.log().contains("sees to it"), "{}", two.log());
    assert_eq!(
        one.client().get("/api/v1/feeds").await.ok(200)["feeds"][0]["id"],
        two.client().get("/api/v1/feeds").await.ok(200)["feeds"][0]["id"],
    );
    one.kill();
    let client = two.client();
    let before = client.get("/api/v1/feeds").await.ok(200);
    let more = |feeds: &Value| requests(feeds) > requests(&before);
    let after = until(&client, "/api/v1/feeds", more).await;
    assert_eq!(feed(&after, "entsoe")["status"], "ok");
    assert!(two.log().contains("sees to it"), "{}", two.log());
}

/// Polls are two hours apart: whoever starts anew waits for the next, however often.
async fn a_restart_after_a_kill_makes_no_stampede(site: Site) {
    let supply = Supply::at_rate(60).await;
    let pace = "poll = { poll_every_s = 7200, publications = [], catch_up_s = 10 }";
    let settings = supply.entsoe("entsoe", pace) + &supply.uk("uk", pace);
    let both = |feeds: &Value| {
        ["entsoe", "uk"].iter().all(|id| feed(feeds, id)["last_success_at"] != Value::Null)
    };
    let server = supply.serve(&site, &settings).await;
    let first = until(&server.client(), "/api/v1/feeds", both).await;
    let planned =
        |feeds: &Value| ["entsoe", "uk"].map(|id| feed(feeds, id)["next_poll_at"].clone());
    server.kill();
    let begun = supply.supplier.requests();
    for _ in 0..2 {
        let server = supply.serve(&site, &settings).await;
        // Longer than it takes to inherit the leases of a process that was killed.
        tokio::time::sleep(Duration::from_secs(4)).await;
        let feeds = server.client().get("/api/v1/feeds").await.ok(200);
        assert_eq!(planned(&feeds), planned(&first));
        server.kill();
    }
    assert_eq!(supply.supplier.requests(), begun);
}

async fn a_secret_is_in_no_log_and_no_answer(site: Site) {
    let supply = Supply::at_rate(60).await;
    let settings = supply.entsoe("entsoe", PACE);
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    for fault in [None, Some(Fault::NotFoundText), Some(Fault::Truncated)] {
        supply.supplier.set_fault(fault);
        let before = client.get("/api/v1/feeds").await.ok(200);
        let before = feed(&before, "entsoe")["last_poll_at"].clone();
        client.post("/api/v1/feeds/entsoe/refresh", &json!({})).await.ok(202);
        let polled = |feeds: &Value| feed(feeds, "entsoe")["last_poll_at"] != before;
        until(&client, "/api/v1/feeds", polled).await;
        for path in ["/api/v1/feeds", "/api/v1/feeds/entsoe/revisions", "/metrics"] {
            let answer = client.get(path).await;
            assert_eq!(answer.status, 200);
            assert!(!answer.body.contains(SECRET), "{path}: {}", answer.body);
        }
    }
    assert!(!server.log().contains(SECRET), "{}", server.log());
}

async fn a_refresh_is_for_operators_and_waits_as_the_supplier_asked(site: Site) {
    let supply = Supply::at_rate(1).await;
    let pace = "poll = { poll_every_s = 7200, publications = [], catch_up_s = 0 }";
    let settings = supply.entsoe("entsoe", pace);
    let (operator, user) = (site.token("grace", "operator"), site.token("ada", "user"));
    supply.supplier.set_fault(Some(Fault::TooManyRequests));
    let server = supply.serve(&site, &settings).await;
    let (grace, ada) = (server.client().with_token(&operator), server.client().with_token(&user));
    let refused = |feeds: &Value| feed(feeds, "entsoe")["last_error"]["class"] == "busy";
    let feeds = until(&ada, "/api/v1/feeds", refused).await;
    assert_eq!(feed(&feeds, "entsoe")["status"], "never");
    let failed = seconds(&feed(&feeds, "entsoe")["last_error"]["at"]);
    let path = "/api/v1/feeds/entsoe/refresh";
    ada.post(path, &json!({})).await.problem(403, "forbidden");
    server.client().post(path, &json!({})).await.problem(401, "unauthorised");
    grace.post("/api/v1/feeds/nobody/refresh", &json!({})).await.problem(404, "not_found");
    supply.supplier.set_fault(None);
    let requests = supply.supplier.requests();
    let promised = grace.post(path, &json!({})).await.ok(202);
    // The supplier said: after 30 s.
    assert_eq!(seconds(&promised["earliest_poll_at"]), failed + 30);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(supply.supplier.requests(), requests);
    let well = |feeds: &Value| feed(feeds, "entsoe")["status"] == "ok";
    let feeds = until(&ada, "/api/v1/feeds", well).await;
    assert!(seconds(&feed(&feeds, "entsoe")["last_success_at"]) >= failed + 30);
    // And now at once.
    let requests = supply.supplier.requests();
    grace.post(path, &json!({})).await.ok(202);
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if supply.supplier.requests() > requests {
            return;
        }
    }
    panic!("not asked again: {}", server.log());
}

/// For longer than a process waits for another to finish writing: the leases are lost meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_nobody_can_write_no_source_is_asked_in_vain_and_afterwards_all_goes_on() {
    let site = Site::sqlite();
    let supply = Supply::at_rate(60).await;
    let server = supply.serve(&site, &supply.entsoe("entsoe", PACE)).await;
    let client = server.client();
    let heard = |feeds: &Value| feed(feeds, "entsoe")["status"] == "ok";
    until(&client, "/api/v1/feeds", heard).await;
    let other = sqlx::SqlitePool::connect(&site.database).await.unwrap();
    let writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
    supply.supplier.set_fault(Some(Fault::Revised));
    let polls = supply.supplier.requests();
    tokio::time::sleep(Duration::from_secs(14)).await;
    // 14 minutes of the clock would be seven polls.
    let made = supply.supplier.requests() - polls;
    assert!(made <= 2, "{made}");
    writing.rollback().await.unwrap();
    let revised = |feeds: &Value| feed(feeds, "entsoe")["last_revision"]["id"] == 2;
    let feeds = until(&client, "/api/v1/feeds", revised).await;
    assert_eq!(feed(&feeds, "entsoe")["status"], "ok");
}

#[tokio::test]
async fn metrics_are_prometheus_text_for_operators() {
    let site = Site::sqlite();
    let supply = Supply::at_rate(60).await;
    let server = supply.serve(&site, &supply.entsoe("entsoe", PACE)).await;
    let client = server.client();
    let heard = |feeds: &Value| feed(feeds, "entsoe")["status"] == "ok";
    until(&client, "/api/v1/feeds", heard).await;
    client.put("/api/v1/nodes", &crate::cluster::nodes(2)).await.ok(200);
    let request = json!({
        "nodes": 1, "duration_s": 3600,
        "earliest_start": "2026-03-20T18:00:00Z", "latest_start": "2026-03-20T20:00:00Z",
    });
    client.post("/api/v1/quotes", &request).await.ok(200);
    let answer = client.get("/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    let value = |name: &str| {
        let line = answer.body.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", answer.body));
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((value("wattbook_quotes_total") - 1.0).abs() < 1e-9);
    assert!((value("wattbook_plan_duration_seconds_count") - 1.0).abs() < 1e-9);
    assert!(value("wattbook_feed_requests_total{feed=\"entsoe\"}") >= 1.0);
    assert!(value("wattbook_feed_horizon_seconds{feed=\"entsoe\"") > 3600.0);
    assert!((value("wattbook_feed_up{feed=\"entsoe\"") - 1.0).abs() < 1e-9);
    assert!(value("wattbook_agenda_gap_seconds{quantity=\"price\"}") > 0.0);
    // Ten days, unless set.
    let ahead = value("wattbook_agenda_days_ahead_seconds{quantity=\"price\"}");
    assert!((ahead - 864_000.0).abs() < 1e-9, "{ahead}");
    assert!(value("wattbook_book_reservations").abs() < 1e-9);
    site.token("ada", "user");
    client.get("/metrics").await.problem(401, "unauthorised");
}

#[tokio::test]
async fn a_check_of_the_sources_says_in_words_what_is_wrong() {
    let site = Site::sqlite();
    let supply = Supply::at_rate(60).await;
    let dead = "[[feeds]]\nid = \"dead\"\nquantity = \"price\"\nprovider = \"awattar\"\n\
                country = \"austria\"\nbase_url = \"http://127.0.0.1:1\"\n";
    write(&site, &(supply.entsoe("entsoe", "") + dead));
    let check = async |more: &'static [&'static str]| {
        let clock = supply.clock();
        let arguments = ["feeds", "check", "--config", "wattbook.toml", "--clock", &clock];
        let mut command = site.command(&arguments);
        command.args(more);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let output = check(&["entsoe"]).await;
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("price in EUR/MWh of X"), "{text}");
    let output = check(&[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("transient") && text.contains("one source failed"), "{text}");
    std::fs::remove_file(site.folder().join("token")).unwrap();
    let output = check(&["entsoe"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("configuration") && text.contains("token"), "{text}");
    let output = check(&["nobody"]).await;
    assert!(String::from_utf8_lossy(&output.stderr).contains("no feed \"nobody\""));
}

#[test]
fn a_clock_that_is_set_serves_on_loopback_addresses_only() {
    let site = Site::sqlite();
    site.token("ada", "operator");
    let clock = "2026-11-21T08:00:00Z=2026-03-20T00:00:00Z@1";
    let mut command = site.command(&["serve", "--listen", "0.0.0.0:0", "--clock", clock]);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("it is for replays"), "{error}");
}
