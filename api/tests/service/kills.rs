//! SIGKILL in the middle of confirmations: what was answered stays, nothing is half done.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::book::{assert_sound, assert_whole};
use crate::client::{Client, answer_unless_cut_off};
use crate::cluster::{Hours, furnish, now, path};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_kill_in_the_middle_of_confirmations_loses_nothing_and_leaves_nothing_half_done,
}

const ROUNDS: u64 = 4;
const CLIENTS: u32 = 8;
const NODES: u32 = 64;

/// Confirmed reservations and the offers chosen, as clients were told.
type Confirmed = BTreeMap<String, Value>;

async fn a_kill_in_the_middle_of_confirmations_loses_nothing_and_leaves_nothing_half_done(
    site: Site,
) {
    let mut server = site.serve().await;
    let hours = furnish(&server.client(), NODES, Some(9000.0)).await;
    let mut promised = Confirmed::new();
    for round in 0..ROUNDS {
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            clients.spawn(confirm_until_cut_off(server.client(), hours, number));
        }
        // Any instant will do, and another one in each round and run.
        let millis = 250 + (now().unsigned_abs() * 37 + round * 131) % 400;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        server.kill();
        promised.extend(clients.join_all().await.into_iter().flatten());
        server = site.serve().await;
        assert_kept(&server.client(), hours, &promised).await;
    }
    assert!(!promised.is_empty());
    // And the book is in use again.
    let (id, _) = promised.pop_first().unwrap();
    server.client().delete(&path(&json!({ "id": id }))).await.ok(200);
}

async fn assert_kept(client: &Client, hours: Hours, promised: &Confirmed) {
    let reservations = client.all_reservations().await;
    for (id, offer) in promised {
        let kept = reservations.iter().find(|reservation| reservation["id"] == id.as_str());
        let kept = kept.unwrap_or_else(|| panic!("{id} was confirmed and is gone"));
        assert_eq!((&kept["state"], &kept["chosen_offer_id"]), (&json!("confirmed"), offer));
    }
    let booked = assert_sound(client, hours, Some(9000.0)).await;
    assert_whole(&reservations, &booked);
}

/// Proposes and chooses until the service is gone; gives back what it confirmed.
async fn confirm_until_cut_off(client: Client, hours: Hours, number: u32) -> Confirmed {
    let mut confirmed = Confirmed::new();
    for round in 0_u32.. {
        let earliest = i64::from((number + round) % 12);
        let mut request = hours.request(1 + round % 3, earliest, earliest + 12);
        request["duration_s"] = json!(900);
        let post = async |path: &str, body: &Value| {
            let request = client.request(Method::POST, path).json(body);
            let answer = answer_unless_cut_off(request).await?;
            Some((answer.status, serde_json::from_str::<Value>(&answer.body).unwrap()))
        };
        let Some((status, reservation)) = post("/api/v1/reservations", &request).await else {
            break;
        };
        assert!(status == 201 || status == 422, "{reservation}");
        if status == 422 || round % 5 == 4 {
            continue;
        }
        let choosing = format!("{}/choose", path(&reservation));
        let ranking = ["cost_co2_energy", "co2_energy_cost"][(round % 2) as usize];
        let choice = json!({ "ranking": ranking });
        let Some((status, chosen)) = post(&choosing, &choice).await else { break };
        assert_eq!(status, 200, "{chosen}");
        let id = chosen["id"].as_str().unwrap().to_owned();
        confirmed.insert(id, chosen["chosen_offer_id"].clone());
    }
    confirmed
}
