//! Two weeks of a service and its suppliers in five minutes, with faults in a third of all answers.
//!
//! `cargo test -p wattbook --test service feeds_soak -- --ignored --nocapture`

use std::time::Duration;

use replay_supplier::Fault;
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{instant, seconds};
use crate::site::Site;
use crate::supply::{BEGIN, Supply, at, charts, feed, true_value, truth, until};

/// 14 days are 1,209,600 s: 302 s at this rate.
const RATE: i64 = 4000;
const DAY: i64 = 86_400;

/// No revision: what a supplier says last is what it says, true or not.
const FAULTS: [Fault; 7] = [
    Fault::TooManyRequests,
    Fault::Unavailable,
    Fault::NotFoundText,
    Fault::Empty,
    Fault::Truncated,
    Fault::Nulls,
    Fault::Late,
];

/// A refusal by a 404 text waits less than usual, so that it is tried again within two weeks often.
const PACE: &str = "poll = { poll_every_s = 3600, refused_s = 3600, publications = [] }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes five minutes"]
async fn after_two_weeks_of_faults_agendas_equal_the_truth_and_there_was_no_storm() {
    let site = Site::sqlite();
    let supply = Supply::at_rate(RATE).await;
    let (second, base) = supply.beside().await;
    let a_third = FAULTS.map(|fault| (fault, 1.0 / 21.0));
    supply.supplier.set_random_faults(7, &a_third);
    second.set_random_faults(11, &a_third);
    let settings =
        supply.entsoe("entsoe", PACE) + &charts("charts", &base, PACE) + &supply.uk("uk", PACE);
    let server = supply.serve(&site, &settings).await;
    let client = server.client();
    let begin = at(BEGIN).as_unix_seconds();
    let (mut looks, mut gaps, mut after_two_days) = (0, 0, 0);
    loop {
        let now = look(&client, &mut gaps).await;
        looks += 1;
        if now > begin + 2 * DAY && after_two_days == 0 {
            after_two_days = server.memory_kb();
        }
        if now >= begin + 14 * DAY {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let (memory, requests) = (server.memory_kb(), supply.supplier.requests() + second.requests());
    let failures: i64 = {
        let feeds = client.get("/api/v1/feeds").await.ok(200);
        feeds["feeds"].as_array().unwrap().iter().map(|it| it["failures"].as_i64().unwrap()).sum()
    };
    eprintln!(
        "{requests} requests, {failures} failures, {looks} looks that saw {gaps} gaps, all told, memory \
         {after_two_days} kB after two days and {memory} kB after two weeks"
    );
    // Three sources, 336 hours: about a thousand polls, a third of which are tried again.
    assert!((700..3500).contains(&requests), "{requests}");
    assert!(failures > 150, "{failures}");
    assert!(memory < after_two_days + after_two_days / 2, "{after_two_days} kB, then {memory} kB");

    supply.supplier.set_fault(None);
    second.set_fault(None);
    let asked = seconds(&client.get("/api/v1/feeds").await.ok(200)["now"]);
    for id in ["entsoe", "charts", "uk"] {
        client.post(&format!("/api/v1/feeds/{id}/refresh"), &json!({})).await.ok(202);
    }
    until(&client, "/api/v1/feeds", |feeds| {
        let after = |id| {
            feed(feeds, id)["last_success_at"].is_string()
                && seconds(&feed(feeds, id)["last_success_at"]) > asked
                && feed(feeds, id)["status"] == "ok"
        };
        ["entsoe", "charts", "uk"].iter().all(|id| after(id))
    })
    .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let truth = truth();
    assert_true(&client, "price", "price_per_mwh", &truth.price, begin, asked).await;
    assert_true(&client, "co2", "intensity_g_per_kwh", &truth.co2, begin, asked).await;
}

/// The service's time, after seeing that every gap of the next day is told.
async fn look(client: &Client, gaps: &mut u32) -> i64 {
    let feeds = client.get("/api/v1/feeds").await.ok(200);
    let now = seconds(&feeds["now"]);
    for agenda in feeds["agendas"].as_array().unwrap() {
        let quantity = agenda["quantity"].as_str().unwrap();
        let path = format!(
            "/api/v1/agendas/{quantity}?from={}&to={}&as_of={}",
            instant(now),
            instant(now + DAY),
            instant(now)
        );
        let known = client.get(&path).await.ok(200);
        for gap in known["gaps"].as_array().unwrap() {
            *gaps += 1;
            let start = seconds(&gap["start"]);
            let told = agenda["gaps"]
                .as_array()
                .unwrap()
                .iter()
                .any(|told| seconds(&told["start"]) <= start && start < seconds(&told["end"]));
            // What arrived since the first answer was read closes gaps, and opens none.
            assert!(told, "{quantity}: a gap at {start} is not told: {agenda:#}");
        }
    }
    now
}

async fn assert_true(
    client: &Client,
    quantity: &str,
    name: &str,
    truth: &planner::agenda::Agenda<i64>,
    from: i64,
    to: i64,
) {
    let path = format!("/api/v1/agendas/{quantity}?from={}&to={}", instant(from), instant(to));
    let agenda = client.get(&path).await.ok(200);
    assert_eq!(agenda["gaps"], Value::Array(Vec::new()), "{quantity}");
    for piece in agenda["pieces"].as_array().unwrap() {
        let wanted = true_value(truth, seconds(&piece["start"]));
        assert_eq!(piece[name], wanted, "{quantity}: {piece}");
    }
}
