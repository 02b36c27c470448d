//! Reservations that live on: Slurm follows when they are shared, and when nodes of theirs are swapped.

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::path;
use crate::on_slurm::on_slurm;
use crate::site::Site;

on_slurm! {
    those_with_whom_it_is_shared_run_jobs_in_it,
    a_node_is_swapped_and_the_others_are_kept,
}

/// Alice's reservation admits Bob's jobs while it is shared with him for use, and no longer.
async fn those_with_whom_it_is_shared_run_jobs_in_it(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    bridge.site.token("bob", "user");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let name = wanted(&reservation).0;
    let users = || bridge.ours().get(&name).map(|it| it.users.clone()).unwrap_or_default();
    assert_eq!(users(), "alice");
    let share = format!("{}/share", path(&reservation));
    alice.post(&share, &json!({ "with": ["bob"], "may": "see" })).await.ok(200);
    bridge.turns(&bridge.operator(&server), 2).await;
    assert_eq!(users(), "alice", "who sees it only runs nothing in it");
    alice.post(&share, &json!({ "with": ["bob"], "may": "use" })).await.ok(200);
    until("bob's jobs are admitted", || async {
        if users() == "alice,bob" { Ok(()) } else { Err(json!(users())) }
    })
    .await;
    // It is ours still, and no drift.
    bridge.turns(&bridge.operator(&server), 2).await;
    bridge.until_slurm(&alice, &reservation, "in_force").await;
    let arguments =
        format!("--reservation={name} -N1 -t5 --output=/dev/null -p {}", bridge.nodes.partitions);
    let job = bridge.peer.submit("bob", bridge.site.folder(), &arguments, "sleep 1");
    until("his job is linked", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        if document["slurm"]["jobs"][0]["id"] == job.as_str() { Ok(()) } else { Err(document) }
    })
    .await;
    bridge.peer.program("scancel").arg(&job).status().unwrap();
    let unshare = format!("{}/unshare", path(&reservation));
    alice.post(&unshare, &json!({ "with": ["bob"] })).await.ok(200);
    until("bob's jobs are admitted no more", || async {
        if users() == "alice" { Ok(()) } else { Err(json!(users())) }
    })
    .await;
}

async fn a_node_is_swapped_and_the_others_are_kept(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 7200, 7200)).await;
    let (name, before) = wanted(&reservation);
    let (bad, good) = (before.nodes.first().unwrap(), before.nodes.last().unwrap());
    let swap = format!("{}/swap", path(&reservation));
    let swapped = alice.post(&swap, &json!({ "nodes": [bad] })).await.ok(200);
    let after = wanted(&swapped).1;
    assert!(after.nodes.contains(good) && !after.nodes.contains(bad), "{after:?}");
    assert_eq!(after.nodes.len(), 2);
    until("Slurm has the other node", || async {
        match bridge.ours().get(&name) {
            Some(seen) if *seen == after => Ok(()),
            seen => Err(json!(format!("{seen:?}"))),
        }
    })
    .await;
    bridge.until_slurm(&alice, &reservation, "in_force").await;
}
