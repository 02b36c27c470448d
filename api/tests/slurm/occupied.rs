//! Jobs and reservations of others, which take nodes from what is offered.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until};
use crate::client::Client;
use crate::on_slurm::on_slurm;
use crate::site::Site;

on_slurm! {
    running_jobs_take_nodes_until_their_limits_or_their_end,
    reservations_of_others_take_their_nodes,
    nodes_that_slurm_refuses_are_offered_to_nobody_and_others_are_found,
}

/// The nodes of the one start in so many seconds at which this many nodes are free; none where there are
/// not so many.
async fn offered(client: &Client, nodes: usize, duration_s: i64, start: i64) -> BTreeSet<String> {
    let request = Bridge::request(nodes, duration_s, start, start);
    let quote = client.post("/api/v1/quotes", &request).await.ok(200);
    let names = quote["pareto"][0]["nodes"].as_array();
    let names = names.into_iter().flatten();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Waits until so many nodes are offered, and no more; which.
async fn until_offered(client: &Client, nodes: usize, start: i64) -> BTreeSet<String> {
    until(&format!("{nodes} nodes are offered in {start} s"), || async {
        let more = offered(client, nodes + 1, 600, start).await;
        let found = offered(client, nodes, 600, start).await;
        if found.len() == nodes && more.is_empty() { Ok(found) } else { Err(json!([found, more])) }
    })
    .await
}

async fn running_jobs_take_nodes_until_their_limits_or_their_end(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let [first, second, third, fourth] =
        <[String; 4]>::try_from(bridge.nodes.names.clone()).unwrap();
    let partition = &bridge.nodes.partitions;
    let place =
        |node: &str| format!("--exclusive -t30 --output=/dev/null -p {partition} -w {node}");
    let job = bridge.peer.submit("bob", bridge.site.folder(), &place(&first), "sleep 600");
    let kept = bridge.peer.submit("bob", bridge.site.folder(), &place(&third), "sleep 600");
    // Until their limits, 1800 s after they began, two are free; an hour from now all are.
    let free = until_offered(&alice, 2, 300).await;
    assert_eq!(free, [second.clone(), fourth.clone()].into());
    assert_eq!(offered(&alice, 4, 600, 3600).await.len(), 4);
    // One ends early.
    bridge.peer.program("scancel").arg(&job).status().unwrap();
    let free = until_offered(&alice, 3, 300).await;
    assert_eq!(free, [first, second, fourth].into());
    let operator = bridge.operator(&server);
    let told = operator.get("/api/v1/slurm").await.ok(200)["occupied"].clone();
    assert_eq!((&told["jobs"], &told["nodes"]), (&json!(1), &json!(1)), "{told}");
    let page = operator.get("/api/v1/slurm/occupied").await.ok(200);
    let occupied = page["items"].as_array().unwrap();
    let [one] = &occupied[..] else { panic!("{page}") };
    assert_eq!((&one["by"], &one["nodes"]), (&json!(format!("job {kept}")), &json!([third])));
    assert_eq!(alice.get("/api/v1/slurm/occupied").await.status, 403);
    // Nodes that others use are no outages.
    let outages = operator.get("/api/v1/outages").await.ok(200);
    assert_eq!(outages["items"], json!([]));
}

async fn reservations_of_others_take_their_nodes(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (name, node) = (format!("maintenance-{}", bridge.nodes.partitions), &bridge.nodes.names[1]);
    let create = format!("create reservation reservationname={name} nodes={node} users=root");
    bridge.peer.scontrol(&format!("{create} starttime=now+60minutes duration=60"));
    let free = until_offered(&alice, 3, 4000).await;
    assert!(!free.contains(node));
    assert_eq!(offered(&alice, 4, 600, 1200).await.len(), 4, "before it begins");
    assert_eq!(offered(&alice, 4, 600, 7400).await.len(), 4, "after it ended");
    bridge.peer.scontrol(&format!("delete reservationname={name}"));
    until("all nodes are offered", || async {
        let found = offered(&alice, 4, 600, 4000).await;
        if found.len() == 4 { Ok(()) } else { Err(json!(found)) }
    })
    .await;
}

/// A job begins in the moment between the choice and Slurm's reservation, which Slurm refuses then.
async fn nodes_that_slurm_refuses_are_offered_to_nobody_and_others_are_found(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    // Looks at Slurm once a minute, so that it does not see the job before the choice.
    bridge.replace_in_settings("poll_s = 2", "poll_s = 15");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    bridge.turns(&operator, 1).await;
    let proposed = crate::cluster::propose(&alice, &Bridge::request(1, 600, 120, 120)).await;
    let node = proposed["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    let partition = &bridge.nodes.partitions;
    let arguments = format!("--exclusive -t30 --output=/dev/null -p {partition} -w {node}");
    bridge.peer.submit("bob", bridge.site.folder(), &arguments, "sleep 600");
    until("the job runs", || async {
        if bridge.peer.jobs(partition, "RUNNING").is_empty() { Err(Value::Null) } else { Ok(()) }
    })
    .await;
    let chosen = crate::cluster::choose(&alice, &proposed, "cost_co2_energy").await;
    let document = bridge.until_slurm(&alice, &chosen, "in_force").await;
    let (name, wanted) = crate::bridge::wanted(&document);
    assert!(!wanted.nodes.contains(&node), "{document}");
    assert_eq!(bridge.ours(), [(name, wanted)].into());
}
