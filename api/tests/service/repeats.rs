//! Requests sent again: idempotency keys, entity tags.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Answer, Client, answer};
use crate::cluster::{furnish, instant, now, pass, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    the_same_key_and_body_answer_with_the_first_reservation,
    a_key_used_for_another_body_is_a_conflict,
    sixteen_requests_with_one_key_make_one_reservation,
    requests_with_one_key_all_succeed_where_nodes_suffice_for_one,
    a_key_answers_with_the_first_reservation_after_its_latest_start_too,
    a_change_of_something_read_before_another_change_is_refused,
}

async fn propose_once(client: &Client, key: &str, request: &Value) -> Answer {
    let post = client.request(Method::POST, "/api/v1/reservations");
    answer(post.header("Idempotency-Key", key).json(request)).await
}

async fn the_same_key_and_body_answer_with_the_first_reservation(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let request = hours.request(2, 2, 2);
    let first = propose_once(&client, "once", &request).await;
    let second = propose_once(&client, "once", &request).await;
    assert_eq!(first.ok(201), second.ok(200));
    assert_eq!(first.header("location"), second.header("location"));
    drop(server);
    let server = site.serve().await;
    let client = server.client();
    let third = propose_once(&client, "once", &request).await;
    assert_eq!(third.ok(200)["id"], first.ok(201)["id"]);
    assert_eq!(client.all_reservations().await.len(), 1);
}

async fn a_key_used_for_another_body_is_a_conflict(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    propose_once(&client, "once", &hours.request(1, 0, 6)).await.ok(201);
    let other = propose_once(&client, "once", &hours.request(2, 0, 6)).await;
    other.problem(409, "idempotency_key_reused");
    propose_once(&client, "twice", &hours.request(1, 0, 6)).await.ok(201);
    assert_eq!(client.all_reservations().await.len(), 2);
}

async fn sixteen_requests_with_one_key_make_one_reservation(site: Site) {
    sixteen_at_once(site, 64).await;
}

/// A request that waits for the first to be written must not find its own nodes taken.
async fn requests_with_one_key_all_succeed_where_nodes_suffice_for_one(site: Site) {
    sixteen_at_once(site, 1).await;
}

async fn sixteen_at_once(site: Site, nodes: u32) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, nodes, None).await;
    let mut requests = JoinSet::new();
    for _ in 0..16 {
        let client = server.client();
        requests.spawn(async move { propose_once(&client, "once", &hours.request(1, 2, 2)).await });
    }
    let answers = requests.join_all().await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    let repeated = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!((made, repeated), (1, 15), "{answers:?}");
    let [only] = client.all_reservations().await.try_into().unwrap();
    for answer in &answers {
        assert_eq!(answer.ok(answer.status)["id"], only["id"]);
    }
}

async fn a_key_answers_with_the_first_reservation_after_its_latest_start_too(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    furnish(&client, 1, None).await;
    let latest = now() + 6;
    let request = json!({
        "nodes": 1, "duration": "PT1H", "search": { "mode": "exact" },
        "earliest_start": instant(now()), "latest_start": instant(latest),
    });
    let first = propose_once(&client, "once", &request).await.ok(201);
    pass(latest).await;
    let second = propose_once(&client, "once", &request).await;
    assert_eq!(second.ok(200)["id"], first["id"]);
}

async fn a_change_of_something_read_before_another_change_is_refused(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let reservation = propose(&client, &hours.request(1, 0, 6)).await;
    let (path, choosing) = (path(&reservation), format!("{}/choose", path(&reservation)));
    let proposed = client.get(&path).await.header("etag").to_owned();
    assert!(proposed.starts_with('"') && proposed.ends_with('"'), "{proposed}");
    let choose = async |tag: &str| {
        let post = client.request(Method::POST, &choosing).header("If-Match", tag);
        answer(post.json(&json!({ "ranking": "cost_co2_energy" }))).await
    };
    choose("\"99\"").await.problem(412, "version_mismatch");
    assert_eq!(client.get(&path).await.ok(200), reservation);
    let chosen = choose(&proposed).await;
    assert_eq!(chosen.ok(200)["state"], "confirmed");
    let confirmed = chosen.header("etag").to_owned();
    assert_ne!(confirmed, proposed);
    assert_eq!(client.get(&path).await.header("etag"), confirmed);
    let cancel = async |tag: &str| {
        answer(client.request(Method::DELETE, &path).header("If-Match", tag)).await
    };
    cancel(&proposed).await.problem(412, "version_mismatch");
    assert_eq!(client.get(&path).await.ok(200)["state"], "confirmed");
    assert_eq!(cancel(&confirmed).await.ok(200)["state"], "cancelled");
    let other = propose(&client, &hours.request(1, 0, 6)).await;
    let path = crate::cluster::path(&other);
    answer(client.request(Method::DELETE, &path).header("If-Match", "*")).await.ok(200);
}
