//! Reservations whose jobs have ended give their nodes back.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::{now, pass, path};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    a_reservation_whose_jobs_have_ended_is_given_back,
    a_reservation_whose_owner_says_so_is_given_back,
    a_reservation_keeps_its_nodes_unless_somebody_says_otherwise,
}

async fn a_reservation_whose_jobs_have_ended_is_given_back(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let more = "give_back = \"jobs_ended\"\ngive_back_after_s = 3";
    let bridge = Bridge::new(site, peer, nodes, more);
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (used, unused) = run_a_short_job(&bridge, &alice, None).await;
    let given_back = until_given_back(&alice, &used).await;
    let end = crate::cluster::seconds(&given_back["end"]);
    assert!(end <= now() && end > wanted(&used).1.start, "{given_back}");
    bridge.until_slurm(&alice, &used, "removed").await;
    // Of the other, no job ran yet: it keeps its nodes.
    let kept = alice.get(&path(&unused)).await.ok(200);
    assert_eq!((&kept["state"], &kept["slurm"]["state"]), (&json!("active"), &json!("in_force")));
    assert_eq!(bridge.ours().into_keys().collect::<Vec<_>>(), [wanted(&unused).0]);
    // The rest can be booked at once.
    let request = Bridge::request(2, 600, 60, 60);
    let quote = alice.post("/api/v1/quotes", &request).await.ok(200);
    assert_ne!(quote["decision"], "impossible", "{quote}");
}

async fn a_reservation_whose_owner_says_so_is_given_back(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "give_back_after_s = 3");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (used, _) = run_a_short_job(&bridge, &alice, Some("jobs_ended")).await;
    let given_back = until_given_back(&alice, &used).await;
    assert_eq!(given_back["request"]["give_back"], "jobs_ended");
    bridge.until_slurm(&alice, &used, "removed").await;
}

async fn a_reservation_keeps_its_nodes_unless_somebody_says_otherwise(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (used, _) = run_a_short_job(&bridge, &alice, Some("never")).await;
    until("its job is linked", || async {
        let document = alice.get(&path(&used)).await.ok(200);
        if document["slurm"]["jobs"][0]["state"] == "COMPLETED" { Ok(()) } else { Err(document) }
    })
    .await;
    bridge.turns(&bridge.operator(&server), 3).await;
    let kept = alice.get(&path(&used)).await.ok(200);
    assert_eq!((&kept["state"], &kept["slurm"]["state"]), (&json!("active"), &json!("in_force")));
}

async fn until_given_back(alice: &Client, reservation: &Value) -> Value {
    until("it is given back", || async {
        let document = alice.get(&path(reservation)).await.ok(200);
        if document["state"] == "completed" { Ok(document) } else { Err(document) }
    })
    .await
}

/// Two reservations of an hour, two nodes each, that begin at once; in the first, of which its owner says
/// this, a job runs for a second.
async fn run_a_short_job(
    bridge: &Bridge,
    alice: &Client,
    give_back: Option<&str>,
) -> (Value, Value) {
    let mut request = Bridge::request(2, 3600, 10, 10);
    if let Some(said) = give_back {
        request["give_back"] = json!(said);
    }
    let used = bridge.book(alice, &request).await;
    let unused = bridge.book(alice, &Bridge::request(2, 3600, 10, 10)).await;
    let (name, seen) = wanted(&used);
    let arguments =
        format!("--reservation={name} -N2 -t5 --output=/dev/null -p {}", &bridge.nodes.partitions);
    bridge.peer.submit("alice", bridge.site.folder(), &arguments, "sleep 1");
    pass(seen.start).await;
    (used, unused)
}
