//! What one user may take, and that others get theirs meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Answer, Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::metrics::assert_told;
use crate::server::{PATIENCE, Server};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    one_users_proposals_hold_a_part_of_the_cluster,
    one_users_simulations_fill_a_part_of_the_queue,
    a_request_is_stored_as_it_was_understood,
}

/// A service with these settings, nodes and agendas; an operator and two users.
async fn open(site: &Site, settings: &str, nodes: u32) -> (Server, [Client; 3], Hours) {
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let tokens = [("olga", "operator"), ("ada", "user"), ("bob", "user")]
        .map(|(owner, role)| site.token(owner, role));
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let client = server.client();
    let clients = tokens.map(|token| client.with_token(&token));
    let hours = furnish(&clients[0], nodes, None).await;
    (server, clients, hours)
}

/// Looks at every second of more than a day for nine shapes, twice and again.
fn expensive(hours: Hours) -> Value {
    let shape = |n: i64| json!({ "nodes": n, "duration_s": 600 + n });
    json!({
        "nodes": 9, "duration_s": 3600,
        "alternatives": (1..9).map(shape).collect::<Vec<_>>(),
        "earliest_start": hours.hour(0), "latest_start": hours.hour(26),
        "search": { "mode": "slots", "slot_s": 1 },
        "explain": true,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_users_quote_waits_for_what_runs_and_not_for_what_waits() {
    let site = Site::sqlite();
    let (_server, [_, ada, bob], hours) = open(&site, "planning_threads = 1\n", 20).await;
    let done = Arc::new(AtomicUsize::new(0));
    let mut adas = JoinSet::new();
    for _ in 0..8 {
        // A connection of its own each.
        let (client, done) = (ada.clone(), Arc::clone(&done));
        adas.spawn(async move {
            client.post("/api/v1/quotes", &expensive(hours)).await.ok(200);
            done.fetch_add(1, Ordering::SeqCst);
        });
    }
    while done.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let before = done.load(Ordering::SeqCst);
    bob.post("/api/v1/quotes", &hours.request(1, 0, 0)).await.ok(200);
    let meanwhile = done.load(Ordering::SeqCst) - before;
    assert!(meanwhile <= 2, "{meanwhile} of eight came first; one ran");
    assert!(done.load(Ordering::SeqCst) < 8, "the quotes that are to wait are too quick");
    // Proposals wait for their turn in the same way, and not for the quotes.
    let before = done.load(Ordering::SeqCst);
    propose(&bob, &hours.request(1, 0, 0)).await;
    let meanwhile = done.load(Ordering::SeqCst) - before;
    assert!(meanwhile <= 2, "{meanwhile} of the rest came first; one ran");
    adas.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_users_plans_that_run_and_wait_have_an_end() {
    let site = Site::sqlite();
    let settings = "planning_threads = 1\n[limits]\nplans_per_user = 3\n";
    let (_server, [olga, ada, bob], hours) = open(&site, settings, 20).await;
    let mut adas = JoinSet::new();
    for _ in 0..8 {
        let client = ada.clone();
        adas.spawn(async move { client.post("/api/v1/quotes", &expensive(hours)).await });
    }
    let mut refused = 0;
    while let Some(answer) = adas.join_next().await {
        let answer = answer.unwrap();
        if answer.status == 200 {
            continue;
        }
        refused_for(&answer, "too_many_plans");
        refused += 1;
        bob.post("/api/v1/quotes", &hours.request(1, 0, 0)).await.ok(200);
    }
    assert!((1..=5).contains(&refused), "{refused}");
    let reason = r#"{reason="too_many_plans"}"#;
    assert_told(&olga, "wattbook_plans_refused_total", reason, refused.into()).await;
}

/// 429 with this code; after how many seconds to try again.
#[track_caller]
fn refused_for(answer: &Answer, code: &str) -> u64 {
    answer.problem(429, code);
    answer.header("retry-after").parse().unwrap()
}

async fn one_users_proposals_hold_a_part_of_the_cluster(site: Site) {
    let settings =
        "hold_s = 600\n[limits]\nholds_per_user = 3\nheld_cluster_hours_per_user = 3.0\n";
    let (_server, [olga, ada, bob], hours) = open(&site, settings, 4).await;
    let whole = hours.request(4, 8, 8);
    let first = propose(&ada, &hours.request(4, 0, 6)).await;
    assert!(first["offers"].as_array().unwrap().len() > 1, "one alone holds what it wants");
    propose(&ada, &hours.request(4, 10, 10)).await;
    let too_much = ada.post("/api/v1/reservations", &whole).await;
    assert!((1..=600).contains(&refused_for(&too_much, "too_many_holds")));
    assert!(too_much.body.contains("hours of the whole cluster"), "{}", too_much.body);
    let bobs = propose(&bob, &whole).await;
    bob.delete(&path(&bobs)).await.ok(200);
    choose(&ada, &first, "cost_co2_energy").await;
    for hour in [12, 14] {
        propose(&ada, &hours.request(1, hour, hour)).await;
    }
    let too_many = ada.post("/api/v1/reservations", &hours.request(1, 16, 16)).await;
    assert!((1..=600).contains(&refused_for(&too_many, "too_many_holds")));
    assert!(too_many.body.contains("3 of your proposals are held"), "{}", too_many.body);
    for hour in 0..5 {
        propose(&olga, &hours.request(3, 18 + hour, 18 + hour)).await;
    }
    for limit in [r#"{limit="holds_per_user"}"#, r#"{limit="held_cluster_hours_per_user"}"#] {
        assert_told(&olga, "wattbook_refused_total", limit, 1.0).await;
    }
}

async fn one_users_simulations_fill_a_part_of_the_queue(site: Site) {
    let settings = "[limits]\nsimulations_per_user = 2\n";
    let (_server, [olga, ada, bob], _) = open(&site, settings, 4).await;
    let long = json!({ "parameters": { "runs": 500, "nodes": 1000 } });
    let start = async |client: &Client| client.post("/api/v1/simulations", &long).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(start(&ada).await);
    }
    // One may be played by now.
    assert!(answers[..2].iter().all(|answer| answer.status == 202), "{answers:?}");
    assert!(refused_for(&answers[3], "too_many_simulations") > 0);
    start(&bob).await.ok(202);
    for _ in 0..3 {
        start(&olga).await.ok(202);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_users_streams_leave_room_for_others() {
    let site = Site::sqlite();
    let settings = "[limits]\nstreams_per_user = 2\nstreams = 4\n";
    let (_server, [olga, ada, bob], _) = open(&site, settings, 1).await;
    let watch =
        async |client: &Client| client.request(Method::GET, "/api/v1/events").send().await.unwrap();
    let mut adas = vec![watch(&ada).await, watch(&ada).await];
    assert!(adas.iter().all(|response| response.status() == 200));
    assert!(refused_for(&ada.get("/api/v1/events").await, "too_many_streams") > 0);
    let bobs = [watch(&bob).await, watch(&bob).await];
    assert!(bobs.iter().all(|response| response.status() == 200));
    olga.get("/api/v1/events").await.problem(503, "overloaded");
    drop(adas.pop());
    let began = Instant::now();
    while watch(&ada).await.status() != 200 {
        assert!(began.elapsed() < PATIENCE, "the place is not given back");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn a_request_is_stored_as_it_was_understood(site: Site) {
    let (server, [olga, ada, _], hours) = open(&site, "", 4).await;
    let request = json!({
        "nodes": 2, "duration": "PT1H", "exclude": ["n3"], "utilisation": 0.50,
        "alternatives": [{ "duration_s": 1800, "nodes": 4 }, { "nodes": 2, "duration_s": 3600 }],
        "tolerance": { "cost": 0.02, "energy": 0 },
        "earliest_start": hours.hour(0).replace('Z', "+00:00"), "latest_end": hours.hour(6),
        "search": { "slot_s": 900, "mode": "slots" },
        "priority": 7, "on_cap": "negotiate", "extra_power_fee_limit": 2.50,
        "give_back": "jobs_ended", "labels": { "project": "ocean" },
    });
    let understood = json!({
        "nodes": 2, "duration_s": 3600, "alternatives": [{ "nodes": 4, "duration_s": 1800 }],
        "earliest_start": hours.hour(0), "latest_end": hours.hour(6),
        "utilisation": 0.5, "tolerance": { "energy": 0.0, "cost": 0.02 }, "exclude": ["n3"],
        "search": { "mode": "slots", "slot_s": 900 },
        "on_cap": "negotiate", "extra_power_fee_limit": 2.5, "priority": 7,
        "give_back": "jobs_ended", "labels": { "project": "ocean" },
    });
    let reservation = propose(&olga, &request).await;
    assert_eq!(reservation["request"], understood);
    let again = propose(&olga, &reservation["request"]).await;
    assert_eq!(again["request"], understood, "read again it is the same");
    let before = stored_bytes(&site);
    let text = hours.request(1, 8, 8).to_string();
    let padded = format!("{}{text}", " ".repeat(900_000));
    for _ in 0..40 {
        let request = ada.request(Method::POST, "/api/v1/reservations");
        let request = request.header(CONTENT_TYPE, "application/json").body(padded.clone());
        let held = answer(request).await.ok(201);
        assert_eq!(held["request"], hours.request(1, 8, 8));
        ada.delete(&path(&held)).await.ok(200);
    }
    let grown = stored_bytes(&site).saturating_sub(before);
    assert!(grown < 8 << 20, "36 MB were sent, {grown} bytes are kept");
    drop(server);
}

/// What a SQLite database takes on disk; nothing of another.
fn stored_bytes(site: &Site) -> u64 {
    let files = ["book.db", "book.db-wal"].map(|name| site.folder().join(name));
    files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|it| it.len()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_has_a_size() {
    let site = Site::sqlite();
    let settings = "[limits]\nrequest_bytes = 4096\nexcluded_nodes = 2\nalternatives = 1\n";
    let (_server, [_, ada, _], hours) = open(&site, settings, 4).await;
    let mut request = hours.request(1, 0, 2);
    request["exclude"] = json!(["n0", "n1"]);
    ada.post("/api/v1/quotes", &request).await.ok(200);
    request["exclude"] = json!(["n0", "n1", "n2"]);
    let shape = json!({ "nodes": 1, "duration_s": 60 });
    let other = json!({ "nodes": 2, "duration_s": 60 });
    request["alternatives"] = json!([shape, other]);
    for route in ["/api/v1/quotes", "/api/v1/reservations"] {
        let problem = ada.post(route, &request).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        let pointers: Vec<&str> = errors.iter().filter_map(|it| it["pointer"].as_str()).collect();
        assert_eq!(pointers, ["/alternatives", "/exclude"], "{problem}");
    }
    request["exclude"] = json!([" ".repeat(5000)]);
    ada.post("/api/v1/quotes", &request).await.problem(413, "body_too_large");
}
