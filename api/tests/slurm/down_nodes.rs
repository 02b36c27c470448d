//! Nodes that Slurm takes out of service, and nodes that others use.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::path;
use crate::on_slurm::on_slurm;
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

async fn a_node_that_is_down_is_replaced_in_a_confirmed_reservation(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(3, 600, 7200, 7200)).await;
    let (name, before) = wanted(&reservation);
    let down = before.nodes.first().unwrap().clone();

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
    assert_eq!((&document["state"], &document["degraded"]), (&"confirmed".into(), &false.into()));
    until("the node is replaced in Slurm", || async {
        let ours = bridge.ours();
        if ours[&name].nodes == expected { Ok(()) } else { Err(Value::from(format!("{ours:?}"))) }
    })
    .await;
    println!("replaced in Slurm {:?} after it was down", since.elapsed());
    // Its outage has Slurm's reason, and ends when Slurm says so.
    let operator = bridge.operator(&server);
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
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(4, 600, 7200, 7200)).await;
    let all = wanted(&reservation).1.nodes;
    assert_eq!(all, bridge.nodes.names.iter().cloned().collect::<BTreeSet<_>>());
    let since = set_down(&bridge, &bridge.nodes.names[0]);
    let told = until("the owner is told", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        if document["degraded"] == true { Ok(document) } else { Err(document) }
    })
    .await;
    println!("the owner was told {:?} after the node was down", since.elapsed());
    assert!(told["notice"].to_string().contains(&bridge.nodes.names[0]), "{told}");
}
