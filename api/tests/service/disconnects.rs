//! Clients that disconnect at any instant: the others get right answers meanwhile and afterwards.
//! `WATTBOOK_STORM_S` says for how many seconds; 3 unless set.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::book::assert_sound;
use crate::client::{Answer, Client, try_answer};
use crate::cluster::{Hours, furnish, path};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    clients_that_disconnect_at_random_harm_nobody,
}

const DISCONNECTING: u64 = 200;
const STAYING: u64 = 8;

/// Proposals one after another when all the others have left.
const AFTERWARDS: u64 = 50;

async fn clients_that_disconnect_at_random_harm_nobody(site: Site) {
    // Long enough for a slow machine to choose in, short enough for nodes to be given back.
    // All of them come from one address.
    let settings = "hold_s = 20\n[limits]\nconnections_per_client = 4096\n";
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let hours = furnish(&server.client(), 5000, None).await;
    let seconds = std::env::var("WATTBOOK_STORM_S").map_or(3, |text| text.parse().unwrap());
    // A client takes a while to be made.
    let clients: Vec<Client> = (0..DISCONNECTING).map(|_| server.client()).collect();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut disconnecting = JoinSet::new();
    for (number, client) in (0..).zip(clients) {
        disconnecting.spawn(disconnect(client, hours, number, end));
    }
    let mut staying = JoinSet::new();
    for number in 0..STAYING {
        staying.spawn(stay(server.client(), hours, number, u64::MAX, end));
    }
    let mut told = Told::default();
    while let Some(more) = staying.join_next().await {
        told.add(more.unwrap());
    }
    let cut: u64 = disconnecting.join_all().await.into_iter().sum();
    let (during, cancelled) = (told.answers, told.cancelled.len());
    told.add(
        stay(server.client(), hours, 1, AFTERWARDS, Instant::now() + Duration::from_hours(1)).await,
    );
    let undone = undone(&server, &told.cancelled).await;
    eprintln!(
        "{during} answers in {seconds} s and {} afterwards, {} of status 5xx, {} wrong; {cut} \
         requests cut off; {cancelled} cancellations acknowledged, {undone} of all not done",
        told.answers - during,
        told.failed,
        told.wrong.len()
    );
    assert_eq!((told.failed, undone), (0, 0), "{}", server.log());
    assert!(told.wrong.is_empty(), "{:#?}", &told.wrong[..told.wrong.len().min(5)]);
    assert!(cut > 100, "only {cut} requests were cut off");
    assert!(during >= STAYING);
    server.client().get("/health/ready").await.ok(200);
    assert_sound(&server.client(), hours, None).await;
}

/// What those were told who stayed.
#[derive(Default)]
struct Told {
    answers: u64,
    failed: u64,
    wrong: Vec<String>,
    cancelled: Vec<String>,
}

impl Told {
    fn add(&mut self, more: Self) {
        self.answers += more.answers;
        self.failed += more.failed;
        self.wrong.extend(more.wrong);
        self.cancelled.extend(more.cancelled);
    }

    /// The document of an answer that must have this status, and this state where one is given.
    fn expect(&mut self, answer: &Answer, status: u16, state: Option<&str>) -> Option<Value> {
        self.answers += 1;
        self.failed += u64::from(answer.status >= 500);
        let document: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let as_it_should =
            answer.status == status && state.is_none_or(|state| document["state"] == state);
        if !as_it_should {
            self.wrong.push(format!("{status} {state:?} was expected: {answer:?}"));
        }
        as_it_should.then_some(document)
    }
}

/// Cancelled reservations that are not.
async fn undone(server: &Server, cancelled: &[String]) -> usize {
    let mut undone = 0;
    for id in cancelled {
        let found = server.client().get(&path(&json!({ "id": id }))).await;
        let document: Value = serde_json::from_str(&found.body).unwrap_or_default();
        undone += usize::from(found.status != 200 || document["state"] != "cancelled");
    }
    undone
}

fn wanted(hours: Hours, number: u64) -> Value {
    let earliest = i64::try_from(number % 12).unwrap();
    hours.request(2, earliest, earliest + 1)
}

/// Books and cancels, and looks each time whether what was told is so.
async fn stay(client: Client, hours: Hours, number: u64, rounds: u64, end: Instant) -> Told {
    let mut told = Told::default();
    for round in 0..rounds {
        if round > 0 && Instant::now() >= end {
            break;
        }
        let proposed = client.post("/api/v1/reservations", &wanted(hours, number + round)).await;
        let Some(proposed) = told.expect(&proposed, 201, Some("proposed")) else { continue };
        let path = path(&proposed);
        told.expect(&client.get(&path).await, 200, Some("proposed"));
        let choice = json!({ "ranking": "cost_co2_energy" });
        let chosen = client.post(&format!("{path}/choose"), &choice).await;
        told.expect(&chosen, 200, Some("confirmed"));
        told.expect(&client.get(&path).await, 200, Some("confirmed"));
        if told.expect(&client.delete(&path).await, 200, Some("cancelled")).is_some() {
            told.cancelled.push(proposed["id"].as_str().unwrap().to_owned());
        }
        told.expect(&client.get(&path).await, 200, Some("cancelled"));
    }
    told
}

/// Requests of all kinds, each given up after a while that differs; how many were.
async fn disconnect(client: Client, hours: Hours, number: u64, end: Instant) -> u64 {
    let mut random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut cut = 0;
    let mut mine: Option<String> = None;
    while Instant::now() < end {
        // Xorshift: any spread will do.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let request = match (random % 5, &mine) {
            (0, _) => {
                client.request(reqwest::Method::POST, "/api/v1/quotes").json(&wanted(hours, random))
            }
            (1, Some(mine)) => {
                let choice = json!({ "ranking": "co2_energy_cost" });
                client.request(reqwest::Method::POST, &format!("{mine}/choose")).json(&choice)
            }
            (2, Some(mine)) => client.request(reqwest::Method::DELETE, mine),
            (3, Some(mine)) => client.request(reqwest::Method::GET, mine),
            _ => client
                .request(reqwest::Method::POST, "/api/v1/reservations")
                .json(&wanted(hours, random)),
        };
        // A client that is dropped while it waits closes its connection.
        let patience = Duration::from_micros(random / 8 % 60_000);
        match tokio::time::timeout(patience, try_answer(request)).await {
            Ok(Ok(answer)) if answer.status == 201 => {
                mine = Some(path(&serde_json::from_str(&answer.body).unwrap()));
            }
            Ok(_) => {}
            Err(_) => cut += 1,
        }
    }
    cut
}
