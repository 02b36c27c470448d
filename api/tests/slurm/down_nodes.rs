//! Nodes that Slurm takes out of service, and nodes that others use.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::path;
use crate::on_slurm::on_slurm;
use crate::server::Server;
use crate::site::Site;

on_slurm! {
    a_node_that_is_down_is_replaced_in_a_confirmed_reservation,
    the_owner_is_told_why_a_node_cannot_be_replaced,
}

/// Sets a node down, and the instant at which it was done.
fn set_down(bridge: &Bridge, node: &str) -> tokio::time::Instant {
    bridge.peer.scontrol(&format!("update nodename={node} state=down reason=smoke"));
    tokio::time::Instant::now()
}

/// A service that looks at Slurm every ten seconds, so that one look is told from another.
async fn serve_slowly(bridge: &Bridge) -> Server {
    bridge.replace_in_settings("poll_s = 2", "poll_s = 10");
    bridge.serve().await
}

/// How often Slurm was read.
async fn polls(operator: &Client) -> u64 {
    let metrics = operator.get("/metrics").await.body;
    let lines = metrics.lines().filter(|line| line.starts_with("wattbook_slurm_polls_total{"));
    lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum()
}

async fn a_node_that_is_down_is_replaced_in_a_confirmed_reservation(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = serve_slowly(&bridge).await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let reservation = bridge.book(&alice, &Bridge::request(3, 600, 7200, 7200)).await;
    let (name, before) = wanted(&reservation);
    let down = before.nodes.first().unwrap().clone();

    bridge.turns(&operator, 1).await;
    let before_it = polls(&operator).await;
    let since = set_down(&bridge, &down);
    let spare = bridge.nodes.names.iter().find(|node| !before.nodes.contains(*node)).unwrap();
    let mut expected = before.nodes.clone();
    expected.remove(&down);
    expected.insert(spare.clone());
    let document = until("the node is replaced", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        if wanted(&document).1.nodes == expected { Ok(document) } else { Err(document) }
    })
    .await;
    println!("replaced in the book {:?} after it was down", since.elapsed());
    // One saw it, and another one may have told Slurm of the other node already.
    assert!(polls(&operator).await <= before_it + 2);
    assert_eq!((&document["state"], &document["degraded"]), (&"confirmed".into(), &false.into()));
    until("the node is replaced in Slurm", || async {
        let ours = bridge.ours();
        if ours[&name].nodes == expected { Ok(()) } else { Err(Value::from(format!("{ours:?}"))) }
    })
    .await;
    println!("replaced in Slurm {:?} after it was down", since.elapsed());
    // Its outage has Slurm's reason, and ends when Slurm says so.
    let outages = operator.get("/api/v1/outages").await.ok(200);
    assert!(outages.to_string().contains("smoke"), "{outages}");
    bridge.peer.scontrol(&format!("update nodename={down} state=resume"));
    let request = Bridge::request(4, 600, 3600, 3600);
    until("the node can be booked again", || async {
        let quote = alice.post("/api/v1/quotes", &request).await.ok(200);
        if quote["decision"] == "impossible" { Err(quote) } else { Ok(()) }
    })
    .await;
}

async fn the_owner_is_told_why_a_node_cannot_be_replaced(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = serve_slowly(&bridge).await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let reservation = bridge.book(&alice, &Bridge::request(4, 600, 7200, 7200)).await;
    let all = wanted(&reservation).1.nodes;
    assert_eq!(all, bridge.nodes.names.iter().cloned().collect::<BTreeSet<_>>());
    bridge.turns(&operator, 1).await;
    let before_it = polls(&operator).await;
    let since = set_down(&bridge, &bridge.nodes.names[0]);
    let told = until("the owner is told", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        if document["degraded"] == true { Ok(document) } else { Err(document) }
    })
    .await;
    println!("the owner was told {:?} after the node was down", since.elapsed());
    assert!(polls(&operator).await <= before_it + 2);
    assert!(told["notice"].to_string().contains(&bridge.nodes.names[0]), "{told}");
}
