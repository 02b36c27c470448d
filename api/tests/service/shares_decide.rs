//! Shares that decide: who used more than is theirs keeps power last, holds offers for less time, and books less far ahead.

use std::time::Duration;

use serde_json::Value;

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose, seconds};
use crate::dialogue::{serve, until};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    who_used_more_than_is_theirs_goes_last,
    what_one_may_follows_from_how_one_stands,
}

/// With so little damping a 50th of what there is tells.
const SETTINGS: &str = "yield_order = \"lowest_standing_first\"\n\
    [shares]\ndamping = 0.01\nhalf_life_s = 86400\n\
    [shares.decides]\nhold_s = [60, 600]\nahead_s = [3600, 86400]\nheld_cluster_s = [900, 3600]\n";

/// A site of four nodes under 800 W, and ada, who has booked all of them for an hour and stands badly by that.
async fn with_ada_and_eve(site: &Site) -> (crate::server::Server, Client, [Client; 2], Hours) {
    let tokens = [("olga", "operator"), ("ada", "user"), ("eve", "user")]
        .map(|(name, role)| site.token(name, role));
    let server = serve(site, SETTINGS).await;
    let [olga, ada, eve] = tokens.each_ref().map(|token| server.client().with_token(token));
    let hours = furnish(&olga, 4, Some(800.0)).await;
    let first = propose(&ada, &hours.request(4, 4, 4)).await;
    assert_eq!((first["share_factor"].as_f64(), held_s(&first)), (Some(1.0), 600));
    choose(&ada, &first, "cost_co2_energy").await;
    (server, olga, [ada, eve], hours)
}

/// For how long the offers are held.
fn held_s(reservation: &Value) -> i64 {
    seconds(&reservation["expires_at"]) - seconds(&reservation["created_at"])
}

/// What somebody is offered once it is known how they stand.
async fn propose_standing_badly(client: &Client, request: &Value) -> Value {
    for _ in 0..60 {
        let proposed = propose(client, request).await;
        if proposed["share_factor"].as_f64().unwrap() < 1.0 {
            return proposed;
        }
        client.delete(&path(&proposed)).await.ok(200);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("what was booked does not count");
}

/// Both have two nodes in hour 2, and eve was confirmed later. Under 500 W it is ada who gives way.
async fn who_used_more_than_is_theirs_goes_last(site: Site) {
    let (_server, olga, [ada, eve], hours) = with_ada_and_eve(&site).await;
    let hers = propose_standing_badly(&ada, &hours.request(2, 2, 2)).await;
    choose(&ada, &hers, "cost_co2_energy").await;
    let eves = propose(&eve, &hours.request(2, 2, 2)).await;
    assert_eq!(eves["share_factor"], 1.0);
    choose(&eve, &eves, "cost_co2_energy").await;
    olga.put("/api/v1/agendas/power-cap", &hours.agenda("cap_w", 2, &[500.0])).await.ok(200);
    let told = until(&ada, &path(&hers), |it| it["degraded"] == true).await;
    assert_eq!(told["notice"]["code"], "cap_lowered");
    assert_eq!(eve.get(&path(&eves)).await.ok(200)["degraded"], false);
}

async fn what_one_may_follows_from_how_one_stands(site: Site) {
    let (_server, _olga, [ada, eve], hours) = with_ada_and_eve(&site).await;
    let first = propose_standing_badly(&ada, &hours.request(1, 3, 3)).await;
    // 2^(-U / S / d): ada alone used anything, 800 W for 3600 s of 800 W x 86,400 s x (2 - 2^-10).
    let usage = 3600.0 / (86_400.0 * (2.0 - 2.0_f64.powi(-10)));
    let factor = (-usage / 0.01).exp2();
    let told = first["share_factor"].as_f64().unwrap();
    assert!((told - factor).abs() < 1e-6, "{told} is not {factor}");
    // 60 s and 540 s more for the best, in whole seconds.
    let held = held_s(&first) as f64 - 60.0;
    assert!((0.0..1.0).contains(&(540.0 * told - held)), "{held} s more with {told}");
    // An hour of a node is a quarter-hour of the cluster; two of them are more than ada may hold and less than eve may.
    let more = ada.post("/api/v1/reservations", &hours.request(1, 3, 3)).await;
    more.problem(429, "too_many_holds");
    propose(&eve, &hours.request(1, 3, 3)).await;
    let hers = propose(&eve, &hours.request(1, 3, 3)).await;
    eve.delete(&path(&hers)).await.ok(200);
    let far = hours.request(1, 8, 12);
    let refused = ada.post("/api/v1/reservations", &far).await.problem(422, "too_far_ahead");
    assert!(refused["detail"].as_str().unwrap().contains("latest_start"), "{refused}");
    eve.post("/api/v1/reservations", &hours.request(1, 8, 8)).await.ok(201);
    // What is only asked is answered.
    ada.post("/api/v1/quotes", &far).await.ok(200);
}
