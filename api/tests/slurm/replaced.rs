//! A reservation that takes the place of one with jobs.

use serde_json::json;

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::{choose, instant, now, path, propose};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    jobs_keep_their_reservation_from_being_replaced_where_the_site_refuses,
}

async fn jobs_keep_their_reservation_from_being_replaced_where_the_site_refuses(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "with_jobs = \"refuse\"");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    // Reservations are moved for a gain only.
    let (dear, cheap, end) = (now() - 3600, now() + 9000, now() + 48 * 3600);
    let price = json!([
        { "start": instant(dear), "end": instant(cheap), "price_per_mwh": 100.0 },
        { "start": instant(cheap), "end": instant(end), "price_per_mwh": 50.0 },
    ]);
    operator.put("/api/v1/agendas/price", &price).await.ok(200);
    let first = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    let name = wanted(&first).0;
    let arguments =
        format!("--reservation={name} -N1 -t5 --output=/dev/null -p {}", &bridge.nodes.partitions);
    let job = bridge.peer.submit("alice", bridge.site.folder(), &arguments, "sleep 1");
    until("its job is linked", || async {
        let document = alice.get(&path(&first)).await.ok(200);
        if document["slurm"]["jobs"][0]["id"] == job.as_str() { Ok(()) } else { Err(document) }
    })
    .await;

    let mut request = Bridge::request(1, 600, 10800, 10800);
    request["replaces"] = first["id"].clone();
    let second = propose(&alice, &request).await;
    let choice = format!("{}/choose", path(&second));
    let refused = alice.post(&choice, &json!({ "ranking": "cost_co2_energy" })).await;
    let refused = refused.problem(409, "has_jobs");
    assert!(refused["detail"].as_str().unwrap().contains(&job), "{refused}");
    assert_eq!(alice.get(&path(&first)).await.ok(200)["state"], "confirmed");

    let cancelled = bridge.peer.program("scancel").arg(&job).status().unwrap();
    assert!(cancelled.success(), "{cancelled}");
    until("its job has ended", || async {
        let document = alice.get(&path(&first)).await.ok(200);
        if document["slurm"]["jobs"][0]["state"] == "CANCELLED" { Ok(()) } else { Err(document) }
    })
    .await;
    let chosen = choose(&alice, &second, "cost_co2_energy").await;
    bridge.until_slurm(&alice, &chosen, "in_force").await;
    bridge.until_slurm(&alice, &first, "removed").await;
    assert_eq!(bridge.ours().into_keys().collect::<Vec<_>>(), [wanted(&chosen).0]);
}
