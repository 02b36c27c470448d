//! Many clients want the same nodes at the same time.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::book::{assert_sound, assert_whole};
use crate::client::{Answer, Client};
use crate::cluster::{Hours, furnish, path};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    sixty_four_clients_race_for_the_same_nodes_and_losers_are_told_why,
    two_processes_on_one_database_never_book_a_node_twice,
    clients_that_propose_choose_and_cancel_at_once_keep_the_book_sound,
}

const CLIENTS: u32 = 64;

/// Eight nodes of 200 W under a cap that allows one reservation of four at a time: 800 W of 1500.
const NODES: u32 = 8;
const CAP_W: f64 = 1500.0;

const RANKINGS: [&str; 3] = ["cost_co2_energy", "co2_cost_energy", "energy_cost_co2"];

/// A losing answer: a problem document that says why.
fn is_lost(answer: &Answer) -> bool {
    if answer.status < 400 {
        return false;
    }
    let problem = answer.any_problem();
    match (answer.status, problem["code"].as_str().unwrap()) {
        (422, "impossible") => {
            let reasons = problem["reasons"].as_array().unwrap();
            assert!(reasons.iter().all(|reason| reason["excluded_starts"].as_u64() > Some(0)));
            assert!(
                reasons
                    .iter()
                    .any(|reason| reason["code"] == "power_cap" || reason["code"] == "nodes")
            );
        }
        (409, "book_changed") => assert!(!answer.header("retry-after").is_empty()),
        other => panic!("{other:?}: {problem}"),
    }
    true
}

async fn proposed(client: &Client, request: &Value) -> Option<Value> {
    let answer = client.post("/api/v1/reservations", request).await;
    (!is_lost(&answer)).then(|| answer.ok(201))
}

/// In time, a choice succeeds whatever others do.
async fn chosen(client: &Client, reservation: &Value, ranking: &str) -> Value {
    let choice = json!({ "ranking": ranking });
    let answer = client.post(&format!("{}/choose", path(reservation)), &choice).await;
    let confirmed = answer.ok(200);
    assert_eq!(confirmed["state"], "confirmed");
    confirmed
}

async fn sixty_four_clients_race_for_the_same_nodes_and_losers_are_told_why(site: Site) {
    race(&[site.serve().await]).await;
}

async fn two_processes_on_one_database_never_book_a_node_twice(site: Site) {
    race(&[site.serve().await, site.serve().await]).await;
}

async fn race(servers: &[Server]) {
    let client = servers[0].client();
    let hours = furnish(&client, NODES, Some(CAP_W)).await;
    let start = Arc::new(Barrier::new(CLIENTS as usize));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        // A connection of its own for each client.
        let server = &servers[number as usize % servers.len()];
        let (client, start) = (server.client(), Arc::clone(&start));
        let earliest = i64::from(number % 4);
        clients.spawn(async move {
            start.wait().await;
            let request = hours.request(4, earliest, earliest + 2);
            match proposed(&client, &request).await {
                Some(reservation) => {
                    chosen(&client, &reservation, RANKINGS[(number % 3) as usize]).await;
                    true
                }
                None => false,
            }
        });
    }
    let outcomes = clients.join_all().await;
    let winners = outcomes.iter().filter(|won| **won).count();
    assert!((1..=7).contains(&winners), "{winners} reservations fit between hours 0 and 6");
    let booked = assert_sound(&client, hours, Some(CAP_W)).await;
    let reservations = client.all_reservations().await;
    assert_eq!((booked.len(), reservations.len()), (winners, winners));
    assert_whole(&reservations, &booked);
}

async fn clients_that_propose_choose_and_cancel_at_once_keep_the_book_sound(site: Site) {
    let server = site.serve().await;
    let hours = furnish(&server.client(), NODES, Some(CAP_W)).await;
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS / 2 {
        clients.spawn(change_of_mind(server.client(), hours, number));
    }
    let watcher = server.client();
    while clients.try_join_next().transpose().unwrap().is_some() || !clients.is_empty() {
        assert_sound(&watcher, hours, Some(CAP_W)).await;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let booked = assert_sound(&watcher, hours, Some(CAP_W)).await;
    assert_whole(&watcher.all_reservations().await, &booked);
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

/// Proposes, and then chooses, cancels or lets hang, several times over.
async fn change_of_mind(client: Client, hours: Hours, number: u32) {
    for round in 0..4 {
        let nodes = 1 + (number + round) % 4;
        let earliest = i64::from((number + 3 * round) % 5);
        let request = hours.request(nodes, earliest, earliest + 3);
        let Some(reservation) = proposed(&client, &request).await else { continue };
        match (number + round) % 4 {
            0 => continue,
            1 => {}
            _ => drop(chosen(&client, &reservation, RANKINGS[(round % 3) as usize]).await),
        }
        if (number + round) % 4 != 3 {
            client.delete(&path(&reservation)).await.ok(200);
        }
    }
}
