//! What slurmdbd knows of jobs that ran in reservations: their energy, and how those ended that slurmctld has
//! forgotten.

use std::process::Command;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::{path, seconds};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    jobs_have_the_energy_that_is_known_of_them,
    a_job_that_ends_with_its_reservation_has_its_energy,
    a_job_that_was_forgotten_ended_as_is_known_of_it,
    a_job_that_ran_while_nobody_looked_is_linked,
}

/// Books two nodes, and submits a job that sleeps there.
async fn job(bridge: &Bridge, alice: &Client, sleeps_s: u32) -> (Value, String) {
    let reservation = bridge.book(alice, &Bridge::request(2, 600, 5, 5)).await;
    let place = format!("--reservation={} -p {}", wanted(&reservation).0, bridge.nodes.partitions);
    let arguments = format!("{place} -N2 -t5 --output=/dev/null");
    let script = format!("sleep {sleeps_s}");
    let id = bridge.peer.submit("alice", bridge.site.folder(), &arguments, &script);
    (reservation, id)
}

/// Waits until the document's job is as it should be; the job.
async fn until_job(
    alice: &Client,
    reservation: &Value,
    what: &str,
    is_it: impl Fn(&Value) -> bool,
) -> Value {
    until(what, || async {
        let document = alice.get(&path(reservation)).await.ok(200);
        let job = &document["slurm"]["jobs"][0];
        if is_it(job) { Ok(job.clone()) } else { Err(document) }
    })
    .await
}

/// Runs a statement in slurmdbd's own database; nothing here measures energy. How many rows it changed.
fn in_slurmdbd(peer: &Peer, statement: &str) -> usize {
    let database = peer.cluster.replace("wattbook", "slurm_");
    let mut command = Command::new("mariadb");
    command.args([
        "--no-defaults",
        "--socket=/run/mysqld/mysqld.sock",
        "--skip-column-names",
        &database,
    ]);
    let output =
        command.args(["-e", &format!("{statement}; SELECT ROW_COUNT()")]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap_or_default()
}

/// Has slurmdbd know 4200 J of a job that has ended. Energy is number 3 of what a job was given, and two less than
/// nothing where it was not measured.
async fn put_energy(peer: &Peer, id: &str) {
    let table = format!("{}_job_table", peer.cluster);
    let change = format!(
        "UPDATE {table} SET tres_alloc = CONCAT(REPLACE(tres_alloc, ',3={}', ''), ',3=4200') \
         WHERE id_job = {id} AND time_end > 0",
        u64::MAX - 1
    );
    until("slurmdbd has the job", || async {
        if in_slurmdbd(peer, &change) == 1 { Ok(()) } else { Err(Value::Null) }
    })
    .await;
}

/// Without slurmdbd it is said that nobody knows.
async fn jobs_have_the_energy_that_is_known_of_them(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let accounts = bridge.peer.slurmdbd;
    if !accounts {
        bridge.replace_in_settings("accounting = false", "accounting = true");
    }
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (reservation, id) = job(&bridge, &alice, 2).await;
    let ended = |job: &Value| job["state"] == "COMPLETED";
    let linked = until_job(&alice, &reservation, "the job has ended", ended).await;
    assert_eq!((&linked["id"], &linked["energy_j"]), (&json!(id), &Value::Null));
    if !accounts {
        until("it is said that there is no accounting", || async {
            let log = server.log();
            if log.contains("there is no accounting") { Ok(()) } else { Err(json!(log)) }
        })
        .await;
        return;
    }
    put_energy(&bridge.peer, &id).await;
    let job =
        until_job(&alice, &reservation, "its energy is told", |job| !job["energy_j"].is_null());
    assert_eq!(job.await["energy_j"], 4200.0);
}

/// Its reservation is over, and gone from Slurm, before its energy is known.
async fn a_job_that_ends_with_its_reservation_has_its_energy(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "with_jobs = \"cancel\"");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (reservation, id) = job(&bridge, &alice, 300).await;
    let runs = |job: &Value| job["state"] == "RUNNING";
    until_job(&alice, &reservation, "the job runs", runs).await;
    alice.delete(&path(&reservation)).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "removed").await;
    let ended = |job: &Value| job["state"] == "CANCELLED";
    let job = until_job(&alice, &reservation, "the job has ended", ended).await;
    assert_eq!((&job["id"], &job["energy_j"]), (&json!(id), &Value::Null));
    if bridge.peer.slurmdbd {
        put_energy(&bridge.peer, &id).await;
        let known = |job: &Value| job["energy_j"] == 4200.0;
        until_job(&alice, &reservation, "its energy is told", known).await;
    }
}

/// The service is not there while the job ends, and comes back when slurmctld has forgotten it.
async fn a_job_that_was_forgotten_ended_as_is_known_of_it(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let (reservation, id) = job(&bridge, &alice, 5).await;
    let runs = |job: &Value| job["state"] == "RUNNING";
    let linked = until_job(&alice, &reservation, "the job runs", runs).await;
    server.kill();
    until("slurmctld has forgotten the job", || async {
        let shown = bridge.peer.try_scontrol(&format!("-o show job {id}"));
        if shown.status.success() { Err(json!(format!("{shown:?}"))) } else { Ok(()) }
    })
    .await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let ended = |job: &Value| job["state"] != "RUNNING";
    let gone = until_job(&alice, &reservation, "the job has ended", ended).await;
    if !bridge.peer.slurmdbd {
        assert_eq!((&gone["id"], &gone["state"]), (&linked["id"], &json!("UNKNOWN")));
        return;
    }
    let known = |job: &Value| job["state"] == "COMPLETED";
    let job = until_job(&alice, &reservation, "the job has ended as slurmdbd says", known).await;
    assert_eq!((&job["id"], &job["start"]), (&linked["id"], &linked["start"]));
    let took = seconds(&job["end"]) - seconds(&job["start"]);
    assert!((5..30).contains(&took), "it sleeps for five seconds: {job}");
    let document = alice.get(&path(&reservation)).await.ok(200);
    assert_eq!(document["slurm"]["node_seconds"]["used"], 2 * took, "{document}");
    assert_eq!(document["slurm"]["jobs"].as_array().map(Vec::len), Some(1), "{document}");
}

/// It is submitted, runs and is forgotten by slurmctld while the service is away.
async fn a_job_that_ran_while_nobody_looked_is_linked(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 5, 5)).await;
    let booked = wanted(&reservation).1;
    crate::cluster::pass(booked.start).await;
    bridge.turns(&bridge.operator(&server), 1).await;
    server.kill();
    let place = format!("--reservation={} -p {}", wanted(&reservation).0, bridge.nodes.partitions);
    let arguments = format!("{place} -N2 -t5 --output=/dev/null");
    let id = bridge.peer.submit("alice", bridge.site.folder(), &arguments, "sleep 3");
    until("slurmctld has forgotten the job", || async {
        let shown = bridge.peer.try_scontrol(&format!("-o show job {id}"));
        if shown.status.success() { Err(json!(format!("{shown:?}"))) } else { Ok(()) }
    })
    .await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    if !bridge.peer.slurmdbd {
        bridge.turns(&bridge.operator(&server), 2).await;
        let document = alice.get(&path(&reservation)).await.ok(200);
        assert_eq!(document["slurm"]["jobs"], json!([]), "nobody knows of it");
        return;
    }
    let known = |job: &Value| job["state"] == "COMPLETED";
    let job = until_job(&alice, &reservation, "the job is linked", known).await;
    assert_eq!((&job["id"], &job["user"]), (&json!(id), &json!("alice")));
    let took = seconds(&job["end"]) - seconds(&job["start"]);
    assert!((3..30).contains(&took), "it sleeps for three seconds: {job}");
    let document = alice.get(&path(&reservation)).await.ok(200);
    assert_eq!(document["slurm"]["node_seconds"]["used"], 2 * took, "{document}");
}
