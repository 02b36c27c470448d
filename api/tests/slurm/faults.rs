//! What goes wrong between the service and Slurm: the state is told, nobody is stormed, nothing is lost.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bridge::{Bridge, POLL_S, until, wanted};
use crate::client::Client;
use crate::cluster::{choose, propose};
use crate::on_slurm::on_slurm;
use crate::proxy::{Fault, Proxy};
use crate::site::Site;

on_slurm! {
    what_is_booked_while_slurm_cannot_be_reached_is_pushed_afterwards,
    a_refused_token_is_told_and_mended,
    a_wrong_clock_is_told,
}

/// For so long nothing works.
const FAULT: Duration = Duration::from_secs(12);

/// Requests that may be made in that time, with room: one for each poll, fewer after failures.
const REQUESTS: usize = 1 + (FAULT.as_secs() / POLL_S) as usize;

async fn what_is_booked_while_slurm_cannot_be_reached_is_pushed_afterwards(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let proxy = Proxy::start(&bridge.peer.rest).await;
    bridge.write_settings(&proxy.address, "timeout_s = 2");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let before = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let mut expected = vec![wanted(&before)];
    for (round, fault) in
        [Fault::Status(500), Fault::Status(503), Fault::Cut, Fault::Silence].into_iter().enumerate()
    {
        proxy.set(fault);
        let hours = 3 + i64::try_from(round).unwrap();
        let proposed = propose(&alice, &Bridge::request(2, 600, hours * 3600, hours * 3600)).await;
        let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
        let seen = until_state(&operator, &["unreachable"]).await;
        assert!(seen["because"].is_string(), "{seen}");
        proxy.set(fault);
        tokio::time::sleep(FAULT).await;
        let document = alice.get(&crate::cluster::path(&chosen)).await.ok(200);
        assert_eq!(
            (&document["state"], &document["slurm"]["state"]),
            (&json!("confirmed"), &json!("waiting")),
            "{fault:?}"
        );
        let requests = proxy.set(Fault::None);
        println!("{fault:?}: {requests} requests in {FAULT:?}");
        assert!((1..=REQUESTS).contains(&requests), "{fault:?}: {requests} requests in {FAULT:?}");
        let pushed = bridge.until_slurm(&alice, &chosen, "in_force").await;
        expected.push(wanted(&pushed));
        until_state(&operator, &["connected"]).await;
        assert_eq!(bridge.ours(), expected.iter().cloned().collect(), "{fault:?}");
    }
}

async fn a_refused_token_is_told_and_mended(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let proxy = Proxy::start(&bridge.peer.rest).await;
    let right = std::fs::read(&bridge.peer.key_file).unwrap();
    let key = bridge.site.folder().join("jwt.key");
    std::fs::write(&key, [7; 32]).unwrap();
    bridge.write_settings(&proxy.address, "");
    let own = key.to_str().unwrap();
    bridge.replace_in_settings(bridge.peer.key_file.to_str().unwrap(), own);
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let proposed = propose(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
    let seen = until_state(&operator, &["denied"]).await;
    assert!(seen["because"].is_string(), "{seen}");
    proxy.set(Fault::None);
    tokio::time::sleep(FAULT).await;
    let requests = proxy.set(Fault::None);
    println!("a refused token: {requests} requests in {FAULT:?}");
    assert!((1..=REQUESTS).contains(&requests), "{requests}");
    assert!(!server.log().contains("eyJ"), "a token is in the log");

    std::fs::write(&key, right).unwrap();
    bridge.until_slurm(&alice, &chosen, "in_force").await;
}

async fn a_wrong_clock_is_told(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let proxy = Proxy::start(&bridge.peer.rest).await;
    bridge.write_settings(&proxy.address, "");
    proxy.set(Fault::Clock(3600));
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let seen = until("the difference is told", || async {
        let seen = operator.get("/api/v1/slurm").await.ok(200);
        if seen["clock_difference_s"].is_null() { Err(seen) } else { Ok(seen) }
    })
    .await;
    let difference = seen["clock_difference_s"].as_i64().unwrap();
    assert!((3590..=3610).contains(&difference), "{seen}");
    assert!(seen["because"].to_string().contains("clock"), "{seen}");
}

/// Waits until Slurm is told to be in one of these states.
pub async fn until_state(operator: &Client, states: &[&str]) -> Value {
    until(&format!("Slurm is {states:?}"), || async {
        let seen = operator.get("/api/v1/slurm").await.ok(200);
        let state = seen["state"].as_str().unwrap_or_default();
        if states.contains(&state) { Ok(seen) } else { Err(seen) }
    })
    .await
}
