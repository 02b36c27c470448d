//! From nodes to a booking and back: quote, propose, choose, list, cancel.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::book::{assert_sound, assert_whole, schedule};
use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_quote_offers_the_six_rankings_and_holds_nothing,
    an_offer_is_chosen_by_any_of_its_rankings,
    an_offer_is_chosen_by_its_id_and_choosing_it_again_is_no_error,
    held_offers_count_as_taken_for_others_until_one_is_chosen,
    a_cancelled_reservation_frees_its_nodes_and_cannot_be_cancelled_twice,
    lists_are_filtered_and_paged,
    the_power_profile_shows_what_is_held_confirmed_and_left,
    what_does_not_exist_is_a_404_problem,
    an_active_reservation_can_be_cancelled,
}

const RANKINGS: [&str; 6] = [
    "energy_cost_co2",
    "energy_co2_cost",
    "cost_energy_co2",
    "cost_co2_energy",
    "co2_energy_cost",
    "co2_cost_energy",
];

fn assert_close(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

/// Two nodes of 200 W for an hour take 1.44e6 J, which are 0.4 kWh: at 200 EUR/MWh 0.08 EUR, at 100
/// in hour 2 0.04 EUR; at 60 g/kWh 24 g, at 30 in hour 4 12 g. Energy ties everywhere. Starts are
/// looked at every 15 minutes over six hours, both ends included: 25. On the front are the first
/// start, four steps into the cheap hour and four into the clean one.
async fn a_quote_offers_the_six_rankings_and_holds_nothing(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, Some(600.0)).await;
    let quote = client.post("/api/v1/quotes", &hours.request(2, 0, 6)).await.ok(200);
    assert_eq!(quote["decision"], "choice");
    assert_eq!(quote["candidate_starts"], 25);
    assert_eq!(quote["pareto"].as_array().unwrap().len(), 9);
    let [cheap, clean] = quote["offers"].as_array().unwrap().as_slice() else { panic!("{quote}") };
    let words = |offer: &Value| -> BTreeSet<String> {
        let words = offer["rankings"].as_array().unwrap().iter();
        words.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let expected = ["cost_co2_energy", "cost_energy_co2", "energy_cost_co2"].map(ToOwned::to_owned);
    assert_eq!(words(cheap), BTreeSet::from(expected));
    assert_eq!(&words(cheap) | &words(clean), BTreeSet::from(RANKINGS.map(ToOwned::to_owned)));
    assert!(words(cheap).is_disjoint(&words(clean)));
    for (offer, hour, cost, co2_g) in [
        (cheap, 2, 0.04, 24.0),
        (clean, 4, 0.08, 12.0),
        (&quote["as_soon_as_possible"], 0, 0.08, 24.0),
    ] {
        assert_eq!(
            (&offer["start"], &offer["end"]),
            (&json!(hours.hour(hour)), &json!(hours.hour(hour + 1)))
        );
        assert_close(&offer["energy_j"], 1.44e6);
        assert_close(&offer["cost"], cost);
        assert_close(&offer["co2_g"], co2_g);
        assert_close(&offer["peak_power_w"], 400.0);
        assert_close(&offer["saves"]["cost"], 0.08 - cost);
        assert_close(&offer["saves"]["co2_g"], 24.0 - co2_g);
        assert_eq!(offer["delay_s"], hour * 3600);
        assert_eq!(offer["currency"], "EUR");
        assert_eq!(
            (&offer["nodes"], &offer["node_ranges"]),
            (&json!(["n0", "n1"]), &json!([[0, 1]]))
        );
    }
    assert!(schedule(&client, hours).await.is_empty());
    assert!(client.all_reservations().await.is_empty());
    let impossible = client.post("/api/v1/quotes", &hours.request(4, 0, 6)).await.ok(200);
    assert_eq!(impossible["decision"], "impossible");
    assert_eq!(impossible["reasons"][0]["code"], "power_cap");
    assert_eq!(impossible["reasons"][0]["excluded_starts"], 25);
}

async fn an_offer_is_chosen_by_any_of_its_rankings(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 6, None).await;
    for ranking in RANKINGS {
        let reservation = propose(&client, &hours.request(1, 0, 6)).await;
        assert_eq!(reservation["state"], "proposed");
        let wins = |offer: &&Value| offer["rankings"].as_array().unwrap().contains(&json!(ranking));
        let offer = reservation["offers"].as_array().unwrap().iter().find(wins).unwrap();
        let confirmed = choose(&client, &reservation, ranking).await;
        assert_eq!(confirmed["state"], "confirmed");
        assert_eq!(confirmed["chosen_offer_id"], offer["offer_id"]);
        assert_eq!((&confirmed["start"], &confirmed["end"]), (&offer["start"], &offer["end"]));
        let read = client.get(&path(&reservation)).await.ok(200);
        assert_eq!(read, confirmed);
    }
    let booked = assert_sound(&client, hours, None).await;
    assert_whole(&client.all_reservations().await, &booked);
    assert_eq!(booked.len(), 6);
}

async fn an_offer_is_chosen_by_its_id_and_choosing_it_again_is_no_error(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let answer = client.post("/api/v1/reservations", &hours.request(1, 0, 6)).await;
    let reservation = answer.ok(201);
    assert_eq!(answer.header("location"), path(&reservation));
    assert_eq!(reservation["request"], hours.request(1, 0, 6));
    let choosing = format!("{}/choose", path(&reservation));
    let last = reservation["offers"].as_array().unwrap().last().unwrap();
    let confirmed = client.post(&choosing, &json!({ "offer_id": last["offer_id"] })).await;
    assert_eq!(confirmed.ok(200)["chosen_offer_id"], last["offer_id"]);
    let again = client.post(&choosing, &json!({ "offer_id": last["offer_id"] })).await;
    assert_eq!(again.ok(200), confirmed.ok(200));
    assert_eq!(again.header("etag"), confirmed.header("etag"));
    let by_ranking = client.post(&choosing, &json!({ "ranking": last["rankings"][0] })).await;
    assert_eq!(by_ranking.ok(200), confirmed.ok(200));
    let first = &reservation["offers"][0]["offer_id"];
    client.post(&choosing, &json!({ "offer_id": first })).await.problem(409, "wrong_state");
    let other = propose(&client, &hours.request(1, 0, 6)).await;
    let choosing = format!("{}/choose", path(&other));
    let foreign = client.post(&choosing, &json!({ "offer_id": first })).await;
    foreign.problem(422, "unknown_offer");
}

async fn held_offers_count_as_taken_for_others_until_one_is_chosen(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let held = propose(&client, &hours.request(2, 0, 6)).await;
    assert_eq!(held["offers"].as_array().unwrap().len(), 2);
    assert_whole(std::slice::from_ref(&held), &assert_sound(&client, hours, None).await);
    for hour in [2, 4] {
        let refused = client.post("/api/v1/reservations", &hours.request(1, hour, hour)).await;
        let problem = refused.problem(422, "impossible");
        assert_eq!(problem["decision"], "impossible");
        assert_eq!(problem["reasons"][0]["code"], "nodes");
        let quote = client.post("/api/v1/quotes", &hours.request(1, hour, hour)).await.ok(200);
        assert_eq!(quote["decision"], "impossible");
    }
    choose(&client, &held, "cost_co2_energy").await;
    let refused = client.post("/api/v1/reservations", &hours.request(1, 2, 2)).await;
    refused.problem(422, "impossible");
    propose(&client, &hours.request(1, 4, 4)).await;
    assert_sound(&client, hours, None).await;
}

async fn a_cancelled_reservation_frees_its_nodes_and_cannot_be_cancelled_twice(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let proposed = propose(&client, &hours.request(1, 0, 6)).await;
    let confirmed = propose(&client, &hours.request(1, 0, 6)).await;
    choose(&client, &confirmed, "co2_cost_energy").await;
    for reservation in [&proposed, &confirmed] {
        let cancelled = client.delete(&path(reservation)).await.ok(200);
        assert_eq!(cancelled["state"], "cancelled");
        assert_eq!(client.get(&path(reservation)).await.ok(200)["state"], "cancelled");
        client.delete(&path(reservation)).await.problem(409, "wrong_state");
        let choosing = format!("{}/choose", path(reservation));
        let late = client.post(&choosing, &json!({ "ranking": "cost_co2_energy" })).await;
        late.problem(409, "wrong_state");
    }
    assert!(schedule(&client, hours).await.is_empty());
    propose(&client, &hours.request(2, 0, 6)).await;
}

async fn lists_are_filtered_and_paged(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 6, None).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(propose(&client, &hours.request(1, 0, 6)).await["id"].clone());
    }
    let reservation = |index: usize| json!({ "id": made[index] });
    choose(&client, &reservation(1), "cost_co2_energy").await;
    choose(&client, &reservation(3), "co2_cost_energy").await;
    client.delete(&path(&reservation(4))).await.ok(200);
    let expect = async |query: &str, expected: &[usize]| {
        let page = client.get(&format!("/api/v1/reservations?{query}")).await.ok(200);
        assert_eq!(ids(&page), expected.iter().map(|&i| &made[i]).collect::<Vec<_>>(), "{query}");
        page
    };
    expect("", &[0, 1, 2, 3, 4]).await;
    expect("state=confirmed", &[1, 3]).await;
    expect("state=cancelled,confirmed", &[1, 3, 4]).await;
    expect("state=active", &[]).await;
    expect("owner=local&state=proposed", &[0, 2]).await;
    expect("owner=somebody", &[]).await;
    expect(&format!("state=confirmed&{}", hours.span(0, 4)), &[1]).await;
    expect(&format!("state=confirmed&from={}", hours.hour(3)), &[3]).await;
    expect(&format!("state=confirmed&to={}", hours.hour(2)), &[]).await;
    let mut query = "limit=2".to_owned();
    for expected in [&[0, 1][..], &[2, 3], &[4]] {
        let page = expect(&query, expected).await;
        query = format!("limit=2&cursor={}", page["next_cursor"].as_str().unwrap_or("none"));
    }
    assert_eq!(query, "limit=2&cursor=none");
    let exact = expect("limit=5", &[0, 1, 2, 3, 4]).await;
    assert_eq!(exact["next_cursor"], Value::Null);
}

fn ids(page: &Value) -> Vec<&Value> {
    page["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect()
}

/// Under a cap of 1200 W: hour 2 confirmed with 400 W, hour 4 proposed with 200 W.
async fn the_power_profile_shows_what_is_held_confirmed_and_left(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 8, Some(1200.0)).await;
    let confirmed = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &confirmed, "cost_co2_energy").await;
    propose(&client, &hours.request(1, 4, 4)).await;
    let profile = client.get(&format!("/api/v1/power-profile?{}", hours.span(0, 6))).await.ok(200);
    let step = |from: i64, to: i64, reserved: f64, confirmed: f64| {
        json!({
            "start": hours.hour(from), "end": hours.hour(to),
            "reserved_power_w": reserved, "confirmed_power_w": confirmed,
            "cap_w": 1200.0, "headroom_w": 1200.0 - reserved,
        })
    };
    let expected = [
        step(0, 2, 0.0, 0.0),
        step(2, 3, 400.0, 400.0),
        step(3, 4, 0.0, 0.0),
        step(4, 5, 200.0, 0.0),
        step(5, 6, 0.0, 0.0),
    ];
    assert_eq!(profile["steps"], json!(expected));
    let beyond = client.get(&format!("/api/v1/power-profile?{}", hours.span(40, 41))).await.ok(200);
    assert_eq!(beyond["steps"][0]["cap_w"], Value::Null);
    assert_eq!(beyond["steps"][0]["headroom_w"], Value::Null);
}

async fn what_does_not_exist_is_a_404_problem(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let unknown = format!("/api/v1/reservations/{}", Uuid::now_v7());
    let paths = [
        &unknown,
        "/api/v1/reservations/7",
        "/api/v1/agendas/heat",
        "/api/v1/node",
        "/api/v2/nodes",
    ];
    for path in paths {
        client.get(path).await.problem(404, "not_found");
    }
    client.delete(&unknown).await.problem(404, "not_found");
    let choice = json!({ "ranking": "cost_co2_energy" });
    client.post(&format!("{unknown}/choose"), &choice).await.problem(404, "not_found");
    let answer = client.delete("/api/v1/nodes").await;
    answer.problem(405, "method_not_allowed");
    assert!(answer.header("allow").contains("PUT"), "{:?}", answer.headers);
}

async fn an_active_reservation_can_be_cancelled(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours: Hours = furnish(&client, 1, None).await;
    let begins = crate::cluster::now() + 4;
    let request = json!({
        "nodes": 1, "duration": "PT1H", "search": { "mode": "exact" },
        "earliest_start": crate::cluster::instant(begins),
        "latest_start": crate::cluster::instant(begins + 4),
    });
    let reservation = propose(&client, &request).await;
    choose(&client, &reservation, "energy_cost_co2").await;
    crate::cluster::pass(begins + 4).await;
    assert_eq!(state(&client, &reservation).await, "active");
    let booked = schedule(&client, hours).await;
    assert_eq!((booked[0].state.as_str(), booked[0].end - booked[0].start), ("active", 3600));
    client.delete(&path(&reservation)).await.ok(200);
    assert_eq!(state(&client, &reservation).await, "cancelled");
    assert!(schedule(&client, hours).await.is_empty(), "its nodes are free again");
    propose(&client, &hours.request(1, 0, 6)).await;
}

async fn state(client: &Client, reservation: &Value) -> String {
    client.get(&path(reservation)).await.ok(200)["state"].as_str().unwrap().to_owned()
}
