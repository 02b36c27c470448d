//! A replica whose connections the network forgot, as a firewall does: nothing is answered on them, and nobody says so.

use std::time::{Duration, Instant};

use reqwest::Method;
use tokio::task::JoinSet;

use crate::client::{Client, try_answer};
use crate::cluster::{Hours, furnish};
use crate::link::Link;
use crate::site::Site;

/// Whoever has the turn to book waits for an answer that is lost for 35 s, and is rolled back for 15 s more. Clients wait for two
/// minutes: what ends before has not ended because they went away.
const GOES_ON_WITHIN: Duration = Duration::from_secs(75);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_whose_connections_were_forgotten_goes_on_with_others() {
    let name = "chaos::a_replica_whose_connections_were_forgotten_goes_on_with_others";
    if let Some(site) = Site::postgres(name).await {
        site.run(forgotten).await;
    }
}

async fn forgotten(site: Site) {
    let (server, place) = site.database.rsplit_once('/').unwrap();
    let (user, host) = server.rsplit_once('@').unwrap();
    let port = host.rsplit_once(':').map_or(5432, |(_, port)| port.parse().unwrap());
    let link = Link::to(port).await;
    let database = format!("{user}@127.0.0.1:{}/{place}", link.port);
    // The link does its work meanwhile.
    let replica = tokio::task::block_in_place(|| site.serve_on(&database));
    let client = replica.client();
    let hours = furnish(&client, 2000, None).await;
    let mut load = JoinSet::new();
    for number in 0..8 {
        load.spawn(propose_without_end(client.clone(), hours, number));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    link.fall_silent();
    let begun = Instant::now();
    tokio::time::sleep(Duration::from_secs(1)).await;
    link.open_to_new_ones();
    loop {
        let request = client.request(Method::POST, "/api/v1/reservations");
        let request = request.json(&hours.request(1, 2, 3)).timeout(Duration::from_secs(5));
        if try_answer(request).await.is_ok_and(|it| it.status == 201) {
            break;
        }
        assert!(begun.elapsed() < GOES_ON_WITHIN, "{}", replica.log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    eprintln!("booked {:?} after the connections were forgotten", begun.elapsed());
    load.abort_all();
}

/// Proposes again and again, and waits for each answer.
async fn propose_without_end(client: Client, hours: Hours, number: i64) {
    loop {
        client.post("/api/v1/reservations", &hours.request(1, number, number + 1)).await;
    }
}
