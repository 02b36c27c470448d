//! Jobs ran while the service was away, and slurmdbd was away when the service came back.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::{instant, now, path};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::outside::rows_of_jobs;
use crate::peer::{self, Peer, fields};
use crate::site::Site;

on_slurm! {
    sqlite:
    slurmdbd_is_asked_once_it_answers_though_the_reservation_is_over,
    jobs_outside_of_reservations_are_asked_of_slurmdbd_after_an_absence,
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
    until_forgotten(&bridge.peer, &id).await;

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

/// One came and went while nobody looked; of another one nobody saw the end. Each has two of the nodes, which draw 200 W at
/// the most and are measured by nobody: 400 J for each second of the job. The service that states the hours has a clock two hours
/// ahead, and therefore no Slurm: it knows what was asked before.
async fn jobs_outside_of_reservations_are_asked_of_slurmdbd_after_an_absence(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "");
    bridge.replace_in_settings("mode = \"drive\"", "mode = \"observe\"");
    let server = bridge.serve().await;
    let place = format!("--exclusive -N2 -t5 --output=/dev/null -p {}", bridge.nodes.partitions);
    let submit = |seconds: u32| {
        let script = format!("sleep {seconds}");
        bridge.peer.submit("bob", bridge.site.folder(), &place, &script)
    };
    let seen = submit(20);
    until("the job runs", || async {
        let shown = fields(&bridge.peer.scontrol(&format!("-o show job {seen}")));
        if shown["JobState"] == "RUNNING" { Ok(()) } else { Err(json!(shown)) }
    })
    .await;
    bridge.turns(&bridge.operator(&server), 2).await;
    server.kill();
    let unseen = submit(3);
    let mut took = 0;
    for id in [&unseen, &seen] {
        let shown = until("the job has ended", || async {
            let shown = fields(&bridge.peer.scontrol(&format!("-o show job {id}")));
            if shown["JobState"] == "COMPLETED" { Ok(shown) } else { Err(json!(shown)) }
        })
        .await;
        took += peer::instant(&shown["EndTime"]) - peer::instant(&shown["StartTime"]);
    }
    for id in [&unseen, &seen] {
        until_forgotten(&bridge.peer, id).await;
    }

    let server = bridge.serve().await;
    let asked = now();
    bridge.turns(&bridge.operator(&server), 1).await;
    // slurmdbd is asked a minute after the absence.
    crate::cluster::pass(asked + 62).await;
    bridge.turns(&bridge.operator(&server), 2).await;
    drop(server);
    std::fs::write(bridge.site.folder().join("wattbook.toml"), "[ledger]\ndelay_s = 0\n").unwrap();
    let clock = format!("{}={}@1", instant(now()), instant(now() + 7200));
    let server = bridge.site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await;
    let operator = bridge.operator(&server);
    until("the hours are stated", || async {
        let totals = operator.get("/api/v1/ledger/totals").await.ok(200);
        let stated_to = totals["stated_to"].as_str().unwrap_or_default();
        if stated_to <= &*instant(now()) { Err(totals) } else { Ok(()) }
    })
    .await;
    let rows = rows_of_jobs(&operator).await;
    let energy = |id: &str| -> i64 {
        let rows = rows.iter().filter(|row| row["job_id"] == id);
        rows.map(|row| row["energy_j"].as_i64().unwrap()).sum()
    };
    assert!(energy(&unseen) >= 400 * 3 && energy(&seen) >= 400 * 20, "{rows:?}");
    assert_eq!(energy(&unseen) + energy(&seen), 400 * took, "{rows:?}");
}

async fn until_forgotten(peer: &Peer, id: &str) {
    until("slurmctld has forgotten the job", || async {
        let shown = peer.try_scontrol(&format!("-o show job {id}"));
        if shown.status.success() { Err(json!(format!("{shown:?}"))) } else { Ok(()) }
    })
    .await;
}
