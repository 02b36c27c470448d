//! Nodes that nobody has are switched off by Slurm where the site allows it, and are up when they are booked.

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::pass;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    idle_nodes_sleep_and_are_up_at_a_booked_start_and_those_with_jobs_stay_up,
}

/// Wakes nodes 10 + 5 + 2 + 30 = 47 s before a start.
fn settings(names: &[String]) -> String {
    format!(
        "wake = true\nboot_s = 10\n\
         [power]\ndriver = {{ kind = \"slurm\" }}\nevery_s = 2\nhorizon_h = 24\noff_patience_s = 60\n\
         rank_by = [\"energy\"]\n\
         [[power.switching]]\nnodes = {names:?}\noff_power_w = 10\nswitching_off_s = 5\n\
         switching_off_power_w = 100\nswitching_on_s = 10\nswitching_on_power_w = 150\n\
         [[power.rights]]\nnodes = {names:?}\nlevel = \"automatic\"\nactions = [\"off\"]\n"
    )
}

async fn idle_nodes_sleep_and_are_up_at_a_booked_start_and_those_with_jobs_stay_up(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let more = settings(&nodes.names);
    let bridge = Bridge::new(site, peer, nodes, &more);
    let names = bridge.nodes.names.clone();
    let busy = names[3].clone();
    let place =
        format!("--exclusive -t5 --output=/dev/null -p {} -w {busy}", bridge.nodes.partitions);
    let job = bridge.peer.submit("bob", bridge.site.folder(), &place, "sleep 45");
    until("the job runs", || async {
        let shown = bridge.peer.scontrol(&format!("-o show job {job}"));
        if shown.contains("JobState=RUNNING") { Ok(()) } else { Err(json!(shown)) }
    })
    .await;
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let state = |node: &str| bridge.peer.node(node)["State"].clone();
    until("three nodes sleep", || async {
        let states: Vec<String> = names[..3].iter().map(|node| state(node)).collect();
        if states.iter().all(|it| it.contains("POWERED_DOWN")) {
            Ok(())
        } else {
            Err(json!(states))
        }
    })
    .await;
    let shown = bridge.peer.scontrol(&format!("-o show job {job}"));
    if shown.contains("JobState=RUNNING") {
        assert!(!state(&busy).contains("POWER"), "{busy} has a job, and is {}", state(&busy));
    }
    until("the fourth sleeps once its job has ended", || async {
        let state = state(&busy);
        if state.contains("POWERED_DOWN") { Ok(()) } else { Err(json!(state)) }
    })
    .await;
    let shown = bridge.peer.scontrol(&format!("-o show job {job}"));
    assert!(shown.contains("JobState=COMPLETED"), "{shown}");
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 90, 90)).await;
    let (_, booked) = wanted(&reservation);
    pass(booked.start).await;
    for node in &names {
        let (state, is_booked) = (state(node), booked.nodes.contains(node));
        let is_up = state.starts_with("IDLE") && !state.contains("POWER");
        assert_eq!(is_up, is_booked, "{node} is {state} at the start");
    }
    let done = operator.get("/api/v1/power-actions?state=final&limit=1000").await.ok(200);
    let done = done["actions"].as_array().unwrap().clone();
    let count = |action: &str, by: &str| {
        let is = |it: &&serde_json::Value| {
            it["action"] == action && it["asked_by"] == by && it["state"] == "done"
        };
        done.iter().filter(is).count()
    };
    assert_eq!((count("off", "plan"), count("wake", "reservation")), (4, 2), "{done:#?}");
    // None of it is an outage: nobody's booking was touched.
    let told = alice.get(&crate::cluster::path(&reservation)).await.ok(200);
    assert_eq!(told["notice"], json!(null), "{told:#}");
}
