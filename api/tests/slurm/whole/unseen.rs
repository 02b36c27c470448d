//! A job ran while the service was away, and slurmdbd was away when the service came back.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::path;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    sqlite:
    slurmdbd_is_asked_once_it_answers_though_the_reservation_is_over,
}

/// The service is killed again before slurmdbd answers, and the reservation is gone from Slurm by then.
async fn slurmdbd_is_asked_once_it_answers_though_the_reservation_is_over(site: Site) {
    let peer = Peer::of_environment();
    assert!(peer.slurmdbd, "those that have all nodes have accounting");
    let nodes = Nodes::all(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "timeout_s = 2");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 5, 5)).await;
    crate::cluster::pass(wanted(&reservation).1.start).await;
    bridge.turns(&bridge.operator(&server), 1).await;
    server.kill();
    let arguments = format!("--reservation={} -N2 -t5 --output=/dev/null", wanted(&reservation).0);
    let id = bridge.peer.submit("alice", bridge.site.folder(), &arguments, "sleep 3");
    until("slurmctld has forgotten the job", || async {
        let shown = bridge.peer.try_scontrol(&format!("-o show job {id}"));
        if shown.status.success() { Err(json!(format!("{shown:?}"))) } else { Ok(()) }
    })
    .await;

    bridge.peer.control("pause slurmdbd");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    bridge.turns(&bridge.operator(&server), 2).await;
    alice.delete(&path(&reservation)).await.ok(200);
    let over = bridge.until_slurm(&alice, &reservation, "removed").await;
    assert_eq!(over["slurm"]["jobs"], json!([]), "nobody knows of it yet");
    server.kill();

    bridge.peer.control("continue slurmdbd");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let document: Value = until("the job is linked", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        let known = document["slurm"]["jobs"][0]["state"] == "COMPLETED";
        if known { Ok(document) } else { Err(document) }
    })
    .await;
    assert_eq!(document["slurm"]["jobs"][0]["id"], json!(id));
    let used = document["slurm"]["node_seconds"]["used"].as_i64().unwrap();
    assert!((6..60).contains(&used), "two nodes for three seconds: {document}");
}
