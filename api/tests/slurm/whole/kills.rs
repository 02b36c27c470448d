//! SIGKILL to the service and restarts of Slurm in the middle of bookings: every confirmed reservation is in
//! Slurm once, as it was booked, and nothing is left over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::bridge::{Bridge, until, wanted};
use crate::client::{Client, try_answer};
use crate::cluster::path;
use crate::nodes::Nodes;
use crate::peer::{Peer, SeenReservation};
use crate::site::Site;

const CLIENTS: usize = 16;

/// How much of the whole is done, percent; everything in `.ci/nightly`.
fn percent() -> usize {
    std::env::var("WATTBOOK_TEST_SLURM_PERCENT").map_or(100, |it| it.parse().unwrap())
}

/// Both databases at once, on half of the nodes each: what is done to Slurm disturbs nobody else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a real Slurm: .ci/slurm"]
async fn bookings_outlive_kills_and_restarts_of_both_sides() {
    let peer = Peer::of_environment();
    let halves = Nodes::halves(&peer).await;
    let mut sites = vec![Site::sqlite()];
    sites.extend(Site::postgres("bookings_outlive_kills_and_restarts_of_both_sides").await);
    let mut storms = JoinSet::new();
    for (site, nodes) in sites.into_iter().zip(halves) {
        let limits = "[limits]\nholds_per_user = 10000\nheld_cluster_hours_per_user = 10000";
        let bridge = Bridge::new(site.clone(), peer.clone(), nodes, limits);
        // What is proposed when the service is killed stays held, but not for long.
        let settings = site.folder().join("wattbook.toml");
        let text = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, format!("hold_s = 15\n{text}")).unwrap();
        storms.spawn(site.run(move |_| storm(bridge)));
    }
    storms.join_all().await;
}

async fn storm(bridge: Bridge) {
    let (kills, bookings) = (20 * percent() / 100, 200 * percent() / 100);
    let mut server = Some(bridge.serve().await);
    let operator = |client: &Client| client.with_token(bridge.token_of_operator());
    let (tell, address) = watch::channel(server.as_ref().unwrap().address.clone());
    let confirmed = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (address, token) = (address.clone(), bridge.token_of_alice().to_owned());
        let enough = bookings.div_ceil(CLIENTS);
        clients.spawn(book(address, token, number, enough, Arc::clone(&confirmed)));
    }
    let (mut random, began) = (SmallRng::seed_from_u64(15), Instant::now());
    let restarts = [
        ["kill", "slurmrestd"],
        ["stop", "slurmctld"],
        ["stop", "slurmrestd"],
        ["kill", "slurmctld"],
    ];
    for kill in 0..kills {
        // The bookings are spread over all kills.
        until("there are more bookings", || async {
            let count = confirmed.load(Ordering::Relaxed);
            if count >= bookings * kill / kills { Ok(()) } else { Err(json!(count)) }
        })
        .await;
        tokio::time::sleep(Duration::from_millis(random.random_range(0..1500))).await;
        server.take().unwrap().kill();
        if kill % 3 == 0 {
            let [end, daemon] = restarts[kill / 3 % restarts.len()];
            bridge.peer.control(&format!("{end} {daemon}"));
            bridge.peer.control(&format!("start {daemon}"));
        }
        server = Some(bridge.serve().await);
        tell.send_replace(server.as_ref().unwrap().address.clone());
    }
    clients.join_all().await;
    let client = operator(&server.as_ref().unwrap().client());
    let expected = until("both sides are equal", || async {
        let expected = expected(&client).await;
        // The other half may just restart the controller, which answers nobody meanwhile.
        let found = bridge.try_ours().ok_or_else(|| json!("Slurm does not answer"))?;
        if found == expected { Ok(expected) } else { Err(differences(&expected, &found)) }
    })
    .await;
    let document = until("none waits", || async {
        let document = client.get("/api/v1/slurm").await.ok(200);
        if document["counts"]["waiting"] == 0 { Ok(document) } else { Err(document) }
    })
    .await;
    let (took, count) = (began.elapsed().as_secs(), confirmed.load(Ordering::Relaxed));
    let (version, left) = (&bridge.peer.version, expected.len());
    println!(
        "Slurm {version}: {count} bookings by {CLIENTS} clients, {kills} kills and {} restarts in {took} s; the {left} that were \
         not cancelled are in Slurm once and equal, none is left over; {}",
        kills.div_ceil(3),
        document["counts"],
    );
    assert!(count >= bookings && left > 0);
}

/// What Slurm is to have: all that is confirmed.
async fn expected(client: &Client) -> BTreeMap<String, SeenReservation> {
    let all = client.all_reservations().await;
    all.iter().filter(|it| it["state"] == "confirmed").map(wanted).collect()
}

fn differences(
    expected: &BTreeMap<String, SeenReservation>,
    found: &BTreeMap<String, SeenReservation>,
) -> Value {
    let missing = expected.iter().filter(|(name, _)| !found.contains_key(*name));
    let extra = found.iter().filter(|(name, _)| !expected.contains_key(*name));
    let other =
        expected.iter().filter(|(name, it)| found.get(*name).is_some_and(|seen| seen != *it));
    let other = other.map(|(name, it)| format!("{name}: {it:?}, in Slurm {:?}", found[name]));
    json!({
        "missing": missing.map(|(name, _)| name).collect::<Vec<_>>(),
        "extra": extra.map(|(name, _)| name).collect::<Vec<_>>(),
        "other": other.collect::<Vec<_>>(),
    })
}

/// Books until there are enough, whoever is killed; every third is cancelled again.
async fn book(
    address: watch::Receiver<String>,
    token: String,
    number: usize,
    enough: usize,
    confirmed: Arc<AtomicUsize>,
) {
    let mut random = SmallRng::seed_from_u64(number as u64);
    let mut booked = 0;
    while booked < enough {
        let client = Client::new(&address.borrow()).with_token(&token);
        if let Some(reservation) = book_once(&client, &mut random).await {
            booked += 1;
            confirmed.fetch_add(1, Ordering::Relaxed);
            if booked % 3 == 0 {
                let _ = try_answer(client.request(Method::DELETE, &path(&reservation))).await;
            }
        } else {
            // The service is not there, or nothing is free.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

/// One of 1 to 3 nodes for a quarter of an hour within a day; `None` where it was cut off or refused.
async fn book_once(client: &Client, random: &mut impl Rng) -> Option<Value> {
    let earliest = random.random_range(2..20) * 3600;
    let nodes = random.random_range(1..=3);
    let request = Bridge::request(nodes, 900, earliest, earliest + 6 * 3600);
    let proposed = post(client, "/api/v1/reservations", &request, 201).await?;
    let choice = json!({ "ranking": "cost_co2_energy" });
    post(client, &format!("{}/choose", path(&proposed)), &choice, 200).await
}

async fn post(client: &Client, path: &str, body: &Value, status: u16) -> Option<Value> {
    let answer = try_answer(client.request(Method::POST, path).json(body)).await.ok()?;
    // Nothing is free, the hold has passed, or too many ask at once.
    let refused = [409, 422, 503].contains(&answer.status);
    assert!(answer.status == status || refused, "{path}: {}", answer.body);
    (answer.status == status).then(|| serde_json::from_str(&answer.body).unwrap())
}
