//! Nodes that are switched off are up when a reservation begins.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::{pass, path};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    nodes_that_are_off_are_woken_before_the_start,
    nodes_that_do_not_come_are_replaced,
    a_node_that_somebody_else_switched_on_and_that_does_not_come_is_replaced,
    a_node_that_is_switched_off_again_before_the_start_is_woken_again,
}

/// A bridge that counts on boots of ten seconds: it orders nodes 10 + 5 + 2 + 30 = 47 s before the start, and
/// gives them up 28 s later.
async fn with_short_boots(site: Site) -> Bridge {
    with_boots(site, 10).await
}

async fn with_boots(site: Site, boot_s: u32) -> Bridge {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    Bridge::new(site, peer, nodes, &format!("wake = true\nboot_s = {boot_s}"))
}

/// Switches nodes off, and waits until Slurm says so.
async fn switch_off(bridge: &Bridge, nodes: &[String]) {
    bridge.peer.scontrol(&format!("update nodename={} state=power_down", nodes.join(",")));
    for node in nodes {
        until(&format!("{node} is off"), || async {
            let state = bridge.peer.node(node)["State"].clone();
            if state.contains("POWERED_DOWN") { Ok(()) } else { Err(json!(state)) }
        })
        .await;
    }
}

/// When a node was ordered to come, of all times.
fn ordered(bridge: &Bridge, node: &str) -> Vec<i64> {
    let log = std::fs::read_to_string(&bridge.peer.power_log).unwrap_or_default();
    let lines = log.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let orders = lines.filter(|line| line[1] == "resume" && line[2] == node);
    orders.map(|line| line[0].parse().unwrap()).collect()
}

async fn nodes_that_are_off_are_woken_before_the_start(site: Site) {
    let bridge = with_short_boots(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    switch_off(&bridge, &bridge.nodes.names).await;
    let before: Vec<_> = bridge.nodes.names.iter().map(|node| ordered(&bridge, node)).collect();
    // Off is no outage: all four can be booked.
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 90, 90)).await;
    let (_, booked) = wanted(&reservation);
    pass(booked.start).await;
    for (node, before) in bridge.nodes.names.iter().zip(before) {
        let orders = ordered(&bridge, node).split_off(before.len());
        if booked.nodes.contains(node) {
            assert_eq!(orders.len(), 1, "{node}: {orders:?}");
            println!("{node} was ordered {} s before the start", booked.start - orders[0]);
            assert!(orders[0] < booked.start, "{node}: {orders:?}, {booked:?}");
            let state = bridge.peer.node(node)["State"].clone();
            assert!(state.starts_with("IDLE") && !state.contains("POWER"), "{node} is {state}");
        } else {
            assert_eq!(orders, [0; 0], "{node} was not booked");
        }
    }
    assert_eq!(nodes_of(&alice, &reservation).await, booked.nodes);
}

async fn nodes_that_do_not_come_are_replaced(site: Site) {
    let bridge = with_short_boots(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let names = bridge.nodes.names.clone();
    std::fs::write(bridge.peer.absent.join(&names[0]), "").unwrap();
    switch_off(&bridge, &names[..2]).await;
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 90, 90)).await;
    let (_, booked) = wanted(&reservation);
    assert_eq!(booked.nodes, names[..2].iter().cloned().collect::<BTreeSet<_>>());
    let replaced = until("the node that does not come is replaced", || async {
        let found = nodes_of(&alice, &reservation).await;
        if found.contains(&names[0]) { Err(json!(found)) } else { Ok(found) }
    })
    .await;
    println!("replaced {} s before the start", booked.start - crate::cluster::now());
    pass(booked.start).await;
    assert!(replaced.contains(&names[1]) && replaced.len() == 2, "{replaced:?}");
    let told = alice.get(&path(&reservation)).await.ok(200);
    assert!(told["notice"].to_string().contains(&names[0]), "{told}");
    until("Slurm has the other node", || async {
        let ours: Value = json!(format!("{:?}", bridge.ours()));
        if bridge.ours().values().all(|it| it.nodes == replaced) { Ok(()) } else { Err(ours) }
    })
    .await;
    assert_eq!(bridge.ours().len(), 1);
}

/// Slurm gives it up 60 s after the order, which is after the start. It is followed from 47 s before the start on, and
/// given up 28 s later.
async fn a_node_that_somebody_else_switched_on_and_that_does_not_come_is_replaced(site: Site) {
    let bridge = with_short_boots(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let names = bridge.nodes.names.clone();
    std::fs::write(bridge.peer.absent.join(&names[0]), "").unwrap();
    switch_off(&bridge, &names[..2]).await;
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 90, 90)).await;
    let (_, booked) = wanted(&reservation);
    assert!(booked.nodes.contains(&names[0]), "{booked:?}");
    pass(booked.start - 55).await;
    let before = ordered(&bridge, &names[0]).len();
    bridge.peer.scontrol(&format!("update nodename={} state=power_up", names[0]));
    let replaced = until("the node that does not come is replaced", || async {
        let found = nodes_of(&alice, &reservation).await;
        if found.contains(&names[0]) { Err(json!(found)) } else { Ok(found) }
    })
    .await;
    println!("replaced {} s before the start", booked.start - crate::cluster::now());
    let state = bridge.peer.node(&names[0])["State"].clone();
    assert!(state.contains("POWERING_UP") && !state.contains("DOWN"), "{state}");
    assert_eq!(
        ordered(&bridge, &names[0]).len(),
        before + 1,
        "it was ordered by somebody else alone"
    );
    assert!(crate::cluster::now() < booked.start && replaced.len() == 2, "{replaced:?}");
    let told = alice.get(&path(&reservation)).await.ok(200);
    assert!(told["notice"].to_string().contains(&names[0]), "{told}");
}

/// It is ordered 30 + 15 + 2 + 30 = 77 s before the start and comes in some seconds. Then an administrator switches
/// it off, which takes ten: there is time for another boot.
async fn a_node_that_is_switched_off_again_before_the_start_is_woken_again(site: Site) {
    let bridge = with_boots(site, 30).await;
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let node = &bridge.nodes.names[0];
    switch_off(&bridge, std::slice::from_ref(node)).await;
    let before = ordered(&bridge, node).len();
    let reservation = bridge.book(&alice, &Bridge::request(4, 600, 100, 100)).await;
    let (_, booked) = wanted(&reservation);
    let is_up = |node: &str| {
        let state = bridge.peer.node(node)["State"].clone();
        if state.starts_with("IDLE") && !state.contains("POWER") {
            Ok(())
        } else {
            Err(json!(state))
        }
    };
    until("the node is up", || async { is_up(node) }).await;
    // By now it was noted that it came.
    bridge.turns(&operator, 2).await;
    assert_eq!(ordered(&bridge, node).len(), before + 1);
    bridge.peer.scontrol(&format!("update nodename={node} state=power_down"));
    until("it is ordered to come again", || async {
        let orders = ordered(&bridge, node).split_off(before);
        if orders.len() == 2 { Ok(()) } else { Err(json!(orders)) }
    })
    .await;
    println!(
        "{node} was ordered again {} s before the start",
        booked.start - crate::cluster::now()
    );
    pass(booked.start).await;
    assert_eq!(is_up(node), Ok(()), "it is up at the start");
    assert_eq!(ordered(&bridge, node).len(), before + 2);
    assert_eq!(nodes_of(&alice, &reservation).await, booked.nodes);
}

async fn nodes_of(client: &Client, reservation: &Value) -> BTreeSet<String> {
    wanted(&client.get(&path(reservation)).await.ok(200)).1.nodes
}
