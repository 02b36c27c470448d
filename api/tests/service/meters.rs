//! Meters that are asked: a Prometheus of ours whose curves are known, with faults and pauses.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::routing::post;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::client::Client;
use crate::cluster::{furnish, instant, now};
use crate::dialogue::until;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_meter_with_a_history_is_asked_for_what_is_missing,
    a_meter_that_fails_and_a_service_that_is_killed_miss_nothing,
    of_two_processes_one_asks,
}

/// A Prometheus that has a sample of every `step` seconds, up to an instant.
#[derive(Clone)]
struct Curves {
    step: i64,
    /// No sample is later.
    until: Arc<AtomicI64>,
    fails: Arc<AtomicBool>,
    /// The spans that were asked for, by their first and last second.
    asked: Arc<Mutex<Vec<(i64, i64)>>>,
    address: String,
}

#[derive(Deserialize)]
struct Question {
    query: String,
    time: i64,
}

impl Curves {
    async fn new(step: i64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let curves = Self {
            step,
            until: Arc::new(AtomicI64::new(i64::MAX)),
            fails: Arc::default(),
            asked: Arc::default(),
            address,
        };
        let app = Router::new().route("/api/v1/query", post(answer)).with_state(curves.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        curves
    }

    fn first(&self) -> i64 {
        self.asked.lock().unwrap().iter().map(|(first, _)| *first).min().unwrap()
    }
}

/// 100 W of n1, the same of n2 by its longer name, a ramp of 1 W a second of n3, and what no node is.
async fn answer(
    State(curves): State<Curves>,
    Form(question): Form<Question>,
) -> Result<axum::Json<Value>, StatusCode> {
    if curves.fails.load(Ordering::Relaxed) {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    let length = question.query.strip_prefix("power_watts[").unwrap().strip_suffix("s]").unwrap();
    let first = question.time - length.parse::<i64>().unwrap() + 1;
    curves.asked.lock().unwrap().push((first, question.time - 1));
    let last = question.time.min(curves.until.load(Ordering::Relaxed));
    let seconds = (first..=last).filter(|it| it % curves.step == 0);
    let values = |power: fn(i64) -> i64| -> Vec<Value> {
        seconds.clone().map(|it| json!([it, power(it).to_string()])).collect()
    };
    let series = |name: &str, power| json!({"metric": {"instance": name}, "values": values(power)});
    let result = [
        series("n1:9290", |_| 100),
        series("n2.example.org:9290", |_| 100),
        series("n3", |second| second % 100_000),
        series("stranger", |_| 100),
    ];
    Ok(axum::Json(json!({
        "status": "success", "data": {"resultType": "matrix", "result": result},
    })))
}

/// A service that asks the Prometheus; its eight nodes were there before.
async fn served(site: &Site, curves: &Curves, more: &str) -> (Server, PathBuf) {
    let server = site.serve().await;
    furnish(&server.client(), 8, None).await;
    server.kill();
    let file = site.folder().join("wattbook.toml");
    let text = format!(
        "feed_lease_s = 1\n[[meters]]\nid = \"bmc\"\nkind = \"prometheus\"\nurl = \"http://{}\"\n\
         query = \"power_watts\"\nvalues = \"gauge\"\nunit = \"W\"\nmost_w = 200000\nzero = \"value\"\n{more}\n\
         [[meters]]\nid = \"sent\"\nkind = \"push\"\n",
        curves.address
    );
    std::fs::write(&file, text).unwrap();
    (start(site, &file).await, file)
}

async fn start(site: &Site, file: &Path) -> Server {
    site.serve_with(&["--config", file.to_str().unwrap()]).await
}

/// Waits until it is so of how the meter stands.
async fn until_meter(client: &Client, is_so: impl Fn(&Value) -> bool) -> Value {
    let meters = until(client, "/api/v1/meters", |it| is_so(&it["meters"][0]["polled"])).await;
    assert_eq!(meters["meters"][1]["polled"], Value::Null, "it is not asked: {meters}");
    meters["meters"][0]["polled"].clone()
}

/// Waits until all that the meter has before an instant was taken.
async fn until_asked(client: &Client, second: i64) -> Value {
    let is_so = |it: &Value| it["asked_until"].as_str().is_some_and(|at| at >= &*instant(second));
    until_meter(client, is_so).await
}

async fn quarters(client: &Client, node: &str, from: i64, to: i64) -> Vec<Value> {
    let (from, to) = (instant(from), instant(to));
    let path = format!("/api/v1/measurements?node={node}&from={from}&to={to}");
    client.get(&path).await.ok(200)["quarters"].as_array().unwrap().clone()
}

/// 100 W are 90,000 J in a quarter-hour. A ramp from p to p + 900 W is p x 900 s + 900 x 900 / 2 J: trapezia are exact
/// of what is linear.
async fn a_meter_with_a_history_is_asked_for_what_is_missing(site: Site) {
    let curves = Curves::new(60).await;
    let begun = now();
    let (server, _) = served(&site, &curves, "period_s = 60\ncatch_up_s = 7200").await;
    let client = server.client();
    let meter = until_asked(&client, begun).await;
    assert!(meter["failure"].is_null() && meter["last_success_at"].is_string(), "{meter}");
    let notes = meter["notes"].to_string();
    assert!(
        notes.contains("1 of its names are no nodes of this site, such as stranger"),
        "{notes}"
    );
    assert!(curves.first() >= begun - 7200, "no further back");
    // A quarter-hour that ended more than half an hour ago.
    let quarter = (begun - 3600).div_euclid(900) * 900;
    for (node, energy) in
        [("n1", 90_000), ("n2", 90_000), ("n3", quarter % 100_000 * 900 + 405_000), ("n4", 0)]
    {
        let told = &quarters(&client, node, quarter, quarter + 900).await[0];
        // The ramp begins anew each 100,000 s.
        if node == "n3" && quarter % 100_000 > 99_000 {
            continue;
        }
        assert_eq!(told["measured_j"], json!(energy as f64), "{node}: {told}");
        let measured_s = if energy == 0 { 0 } else { 900 };
        assert_eq!(told["measured_s"], json!(measured_s), "{node}: {told}");
    }
    let all = client.get("/api/v1/meters").await.ok(200);
    let about = |name: &str| all["meters"][0][name].clone();
    let about = ["id", "kind", "covers", "values", "unit", "period_s"].map(about);
    assert_eq!(json!(about), json!(["bmc", "prometheus", "node", "gauge", "W", 60]));
    let metrics = client.get("/metrics").await.body;
    assert!(metrics.contains("wattbook_meter_samples_total{meter=\"bmc\",outcome=\"taken\"}"));
}

/// The meter fails, and the service is killed: from its first sample to its last nothing is missing, and nothing is
/// there twice.
async fn a_meter_that_fails_and_a_service_that_is_killed_miss_nothing(site: Site) {
    let curves = Curves::new(1).await;
    let begun = now();
    let (server, file) = served(&site, &curves, "period_s = 1\ncatch_up_s = 60").await;
    let client = server.client();
    until_asked(&client, begun + 1).await;
    curves.fails.store(true, Ordering::Relaxed);
    let failed = until_meter(&client, |it| it["failure"]["in_turn"].as_i64() >= Some(2)).await;
    assert!(failed["failure"]["because"].as_str().unwrap().contains("503"), "{failed}");
    curves.fails.store(false, Ordering::Relaxed);
    until_meter(&client, |it| it["failure"].is_null()).await;
    server.kill();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let server = start(&site, &file).await;
    let client = server.client();
    let last = now() + 1;
    curves.until.store(last, Ordering::Relaxed);
    let meter = until_asked(&client, last + 2).await;
    assert_eq!(meter["samples"]["refused"], 0, "{meter}");
    let first = curves.first();
    for node in ["n1", "n2"] {
        let told = quarters(&client, node, first, last + 1).await;
        let seconds: i64 = told.iter().map(|it| it["measured_s"].as_i64().unwrap()).sum();
        let joules: f64 = told.iter().map(|it| it["measured_j"].as_f64().unwrap()).sum();
        assert_eq!(seconds, last - first, "{node}: {told:?}");
        let expected = 100.0 * (last - first) as f64;
        assert!((joules - expected).abs() < 1e-6, "{node}: {joules}, {expected}");
    }
}

/// Both would ask each second; each second is asked for once, but for the 300 s before that a new process asks for.
async fn of_two_processes_one_asks(site: Site) {
    let curves = Curves::new(1).await;
    let begun = now();
    let (one, file) = served(&site, &curves, "period_s = 1\ncatch_up_s = 60").await;
    let two = start(&site, &file).await;
    let client = two.client();
    until_asked(&client, begun + 6).await;
    let polls = curves.asked.lock().unwrap().len();
    let told = until_asked(&client, begun).await["polls"].as_i64().unwrap();
    assert!(usize::try_from(told).unwrap() + 2 >= polls, "{told} of {polls} were noted");
    drop(one);
    until_asked(&client, now() + 2).await;
}
