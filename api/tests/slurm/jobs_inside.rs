//! What becomes of jobs in a reservation that is cancelled, as the site wants it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::path;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    a_reservation_keeps_the_nodes_of_its_jobs_until_they_end,
    a_reservation_with_jobs_is_not_cancelled_where_the_site_refuses,
    jobs_are_cancelled_with_their_reservation_where_the_site_says_so,
}

/// A bridge with one rule for jobs, and a reservation that has begun.
async fn begun(site: Site, rule: &str) -> Bridge {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    Bridge::new(site, peer, nodes, &format!("with_jobs = \"{rule}\""))
}

/// Submits a job into a reservation.
fn submit(bridge: &Bridge, reservation: &Value, arguments: &str, sleeps_s: u32) -> String {
    let name = wanted(reservation).0;
    let place = format!("--reservation={name} -p {} --output=/dev/null", bridge.nodes.partitions);
    let arguments = format!("{place} -t5 {arguments}");
    bridge.peer.submit("alice", bridge.site.folder(), &arguments, &format!("sleep {sleeps_s}"))
}

/// Waits until the reservation's document has its jobs in these states; the document.
async fn until_jobs(alice: &Client, reservation: &Value, states: &[&str]) -> Value {
    until(&format!("the jobs are {states:?}"), || async {
        let document = alice.get(&path(reservation)).await.ok(200);
        let jobs = document["slurm"]["jobs"].as_array().unwrap();
        let found: Vec<_> = jobs.iter().map(|job| job["state"].as_str().unwrap()).collect();
        if found == states { Ok(document) } else { Err(document) }
    })
    .await
}

/// The job that runs keeps its node alone, and the one that waits is cancelled.
async fn a_reservation_keeps_the_nodes_of_its_jobs_until_they_end(site: Site) {
    let bridge = begun(site, "wait").await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(3, 600, 5, 5)).await;
    submit(&bridge, &reservation, "-N1 --exclusive", 25);
    let running = until_jobs(&alice, &reservation, &["RUNNING"]).await;
    submit(&bridge, &reservation, "-N3 --exclusive", 5);
    until_jobs(&alice, &reservation, &["RUNNING", "PENDING"]).await;
    alice.delete(&path(&reservation)).await.ok(200);
    let node = running["slurm"]["jobs"][0]["nodes"].as_str().unwrap().to_owned();
    until("the other nodes are free", || async {
        let ours = bridge.ours();
        let nodes: BTreeSet<_> = ours.values().flat_map(|it| it.nodes.iter().cloned()).collect();
        if nodes == [node.clone()].into() { Ok(()) } else { Err(json!(nodes)) }
    })
    .await;
    until_jobs(&alice, &reservation, &["COMPLETED", "CANCELLED"]).await;
    bridge.until_slurm(&alice, &reservation, "removed").await;
    assert_eq!(bridge.ours().len(), 0);
}

async fn a_reservation_with_jobs_is_not_cancelled_where_the_site_refuses(site: Site) {
    let bridge = begun(site, "refuse").await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 5, 5)).await;
    let job = submit(&bridge, &reservation, "-N2", 300);
    let before = until_jobs(&alice, &reservation, &["RUNNING"]).await;
    let refused = alice.delete(&path(&reservation)).await.problem(409, "has_jobs");
    assert!(refused["detail"].as_str().unwrap().contains(&job), "{refused}");
    bridge.turns(&bridge.operator(&server), 2).await;
    let after = alice.get(&path(&reservation)).await.ok(200);
    assert_eq!((&after["state"], &after["slurm"]["state"]), (&json!("active"), &json!("in_force")));
    assert_eq!(after["slurm"]["jobs"], before["slurm"]["jobs"]);
    // Once it has ended there is nothing to refuse.
    bridge.peer.program("scancel").arg(&job).status().unwrap();
    until_jobs(&alice, &reservation, &["CANCELLED"]).await;
    alice.delete(&path(&reservation)).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "removed").await;
    assert_eq!(bridge.ours().len(), 0);
}

async fn jobs_are_cancelled_with_their_reservation_where_the_site_says_so(site: Site) {
    let bridge = begun(site, "cancel").await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 5, 5)).await;
    submit(&bridge, &reservation, "-N2 --exclusive", 300);
    until_jobs(&alice, &reservation, &["RUNNING"]).await;
    submit(&bridge, &reservation, "-N1 --exclusive", 300);
    until_jobs(&alice, &reservation, &["RUNNING", "PENDING"]).await;
    alice.delete(&path(&reservation)).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "removed").await;
    until_jobs(&alice, &reservation, &["CANCELLED", "CANCELLED"]).await;
    assert_eq!(bridge.ours().len(), 0);
    assert!(bridge.peer.jobs(&bridge.nodes.partitions, "RUNNING,PENDING").is_empty());
}
