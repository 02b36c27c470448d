//! Jobs and reservations of others, which take nodes from what is offered.

use std::collections::BTreeSet;

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::{choose, now, propose};
use crate::on_slurm::on_slurm;
use crate::proxy::{Fault, Proxy};
use crate::site::Site;

on_slurm! {
    running_jobs_take_nodes_until_their_limits_or_their_end,
    reservations_of_others_take_their_nodes,
    nodes_that_slurm_refuses_are_offered_to_nobody_and_others_are_found,
    nodes_that_slurm_refused_are_offered_again_after_ten_minutes,
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
    until("its node is not offered", || async {
        let found = offered(&alice, 3, 600, 4000).await;
        let is_free = found.len() < 3 || found.contains(node);
        if is_free { Err(json!(found)) } else { Ok(()) }
    })
    .await;
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
    let proposed = propose(&alice, &Bridge::request(1, 600, 120, 120)).await;
    let node = proposed["offers"][0]["nodes"][0].as_str().unwrap().to_owned();
    run_exclusively(&bridge, &node, 30).await;
    let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
    let document = bridge.until_slurm(&alice, &chosen, "in_force").await;
    let (name, booked) = wanted(&document);
    assert!(!booked.nodes.contains(&node), "{document}");
    assert_eq!(bridge.ours(), [(name, booked)].into());
}

/// Runs a job of bob's with a node to itself, and waits until it runs; its id.
async fn run_exclusively(bridge: &Bridge, node: &str, minutes: u32) -> String {
    let partition = &bridge.nodes.partitions;
    let place = format!("--exclusive -t{minutes} --output=/dev/null -p {partition} -w {node}");
    let job = bridge.peer.submit("bob", bridge.site.folder(), &place, "sleep 600");
    until("the job runs", || async {
        let running = bridge.peer.jobs(partition, "RUNNING");
        if running.contains_key(&job) { Ok(()) } else { Err(json!(running)) }
    })
    .await;
    job
}

/// Why Slurm refuses a node is not seen here: the job that it runs is hidden.
async fn nodes_that_slurm_refused_are_offered_again_after_ten_minutes(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let proxy = Proxy::start(&bridge.peer.rest).await;
    bridge.write_settings(&proxy.address, "");
    let node = bridge.nodes.names[0].clone();
    let job = run_exclusively(&bridge, &node, 120).await;
    proxy.set(Fault::Hidden(job.parse().unwrap()));
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    bridge.turns(&operator, 1).await;
    let proposed = propose(&alice, &Bridge::request(1, 600, 3600, 3600)).await;
    assert_eq!(proposed["offers"][0]["nodes"], json!([node]));
    let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
    let document = bridge.until_slurm(&alice, &chosen, "in_force").await;
    let (name, booked) = wanted(&document);
    assert!(!booked.nodes.contains(&node), "{document}");
    let page = operator.get("/api/v1/slurm/occupied").await.ok(200);
    let refused = &page["items"][0];
    assert_eq!(
        (&refused["by"], &refused["nodes"]),
        (&json!(format!("refused {name}")), &json!([node])),
        "{page}"
    );
    until_offered(&alice, 2, booked.start - now()).await;

    // As if so long had passed since: Slurm's clock cannot be put forward.
    let mut server = server;
    for (seconds, free) in [(300, 2), (301, 3)] {
        server.kill();
        let older = format!("UPDATE outages SET created_s = created_s - {seconds}");
        bridge.site.execute(format!("{older} WHERE managed_key LIKE 'refused %'")).await;
        server = bridge.serve().await;
        bridge.turns(&bridge.operator(&server), 2).await;
        let start = booked.start - now();
        let offered = until_offered(&bridge.alice(&server), free, start).await;
        assert_eq!(offered.contains(&node), free == 3, "{seconds} s later: {offered:?}");
    }
    assert_eq!(bridge.ours(), [(name, booked)].into(), "it keeps the nodes that it got");
}
