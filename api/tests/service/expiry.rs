//! Offers are held until `expires_at`, and not a second longer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::book::schedule;
use crate::client::Client;
use crate::cluster::{Hours, choose, expire, furnish, now, path, propose, seconds};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_late_choice_gets_fresh_offers_and_holds_nothing,
    a_late_choice_is_told_when_nothing_is_left,
    expired_offers_are_free_for_others,
    a_choice_late_in_a_hold_succeeds,
}

async fn late_choice(client: &Client, reservation: &Value, code: &str) -> Value {
    let choice = json!({ "ranking": "cost_co2_energy" });
    let answer = client.post(&format!("{}/choose", path(reservation)), &choice).await;
    answer.problem(409, code)
}

async fn state(client: &Client, reservation: &Value) -> Value {
    client.get(&path(reservation)).await.ok(200)["state"].clone()
}

async fn a_late_choice_gets_fresh_offers_and_holds_nothing(site: Site) {
    let server = site.serve_with(&["--hold-s", "1"]).await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let request = hours.request(2, 0, 6);
    let reservation = propose(&client, &request).await;
    assert_eq!(seconds(&reservation["expires_at"]) - seconds(&reservation["created_at"]), 1);
    expire(&reservation).await;
    let problem = late_choice(&client, &reservation, "offers_expired").await;
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    assert_eq!((&problem["decision"], &problem["offers"]), (&json!("choice"), &quote["offers"]));
    assert_eq!(state(&client, &reservation).await, "expired");
    late_choice(&client, &reservation, "offers_expired").await;
    assert!(schedule(&client, hours).await.is_empty());
    client.delete(&path(&reservation)).await.problem(409, "wrong_state");
}

async fn a_late_choice_is_told_when_nothing_is_left(site: Site) {
    let server = site.serve_with(&["--hold-s", "6"]).await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let late = propose(&client, &hours.request(2, 2, 2)).await;
    expire(&late).await;
    let other = propose(&client, &hours.request(1, 2, 2)).await;
    choose(&client, &other, "cost_co2_energy").await;
    let problem = late_choice(&client, &late, "offers_expired").await;
    assert_eq!((&problem["decision"], &problem["offers"]), (&json!("impossible"), &json!([])));
    assert_eq!(problem["reasons"][0]["code"], "nodes");
}

async fn expired_offers_are_free_for_others(site: Site) {
    let server = site.serve_with(&["--hold-s", "6"]).await;
    let client = server.client();
    let hours: Hours = furnish(&client, 2, Some(400.0)).await;
    let first = propose(&client, &hours.request(2, 2, 2)).await;
    let refused = client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await;
    refused.problem(422, "impossible");
    expire(&first).await;
    assert!(schedule(&client, hours).await.is_empty());
    let profile = client.get(&format!("/api/v1/power-profile?{}", hours.span(2, 3))).await.ok(200);
    assert_eq!(profile["steps"][0]["headroom_w"], 400.0);
    let second = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &second, "cost_co2_energy").await;
    assert_eq!(state(&client, &first).await, "expired");
}

/// The hold ends at a full second, so that a choice sent before it must find its nodes.
async fn a_choice_late_in_a_hold_succeeds(site: Site) {
    let server = site.serve_with(&["--hold-s", "6"]).await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let reservation = propose(&client, &hours.request(2, 0, 6)).await;
    while now() < seconds(&reservation["expires_at"]) - 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    choose(&client, &reservation, "co2_cost_energy").await;
    expire(&reservation).await;
    assert_eq!(state(&client, &reservation).await, "confirmed");
}
