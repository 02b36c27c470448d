//! The jobs of a reservation, as the API and `wattbook squeue` list them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::path;
use crate::on_slurm::on_slurm;
use crate::site::Site;

on_slurm! {
    all_jobs_of_a_reservation_are_listed_in_parts,
}

fn ids(jobs: &Value) -> Vec<String> {
    let id = |job: &Value| job["id"].as_str().unwrap().to_owned();
    jobs.as_array().unwrap().iter().map(id).collect()
}

/// Twelve tasks of an array, which is more than a list of reservations has of each.
async fn all_jobs_of_a_reservation_are_listed_in_parts(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let reservation = bridge.book(&alice, &Bridge::request(2, 600, 5, 5)).await;
    let place = format!("--reservation={} -p {}", wanted(&reservation).0, bridge.nodes.partitions);
    let arguments = format!("{place} -N1 -t5 --array=1-12 --output=/dev/null");
    let array = bridge.peer.submit("alice", bridge.site.folder(), &arguments, "sleep 1");
    let expected: BTreeSet<String> = (1..=12).map(|task| format!("{array}_{task}")).collect();
    let document = until("all tasks have ended", || async {
        let document = alice.get(&path(&reservation)).await.ok(200);
        let jobs = document["slurm"]["jobs"].as_array().unwrap();
        let ended = jobs.iter().filter(|job| job["state"] == "COMPLETED").count();
        if ended == 12 { Ok(document) } else { Err(document) }
    })
    .await;
    assert_eq!(document["slurm"]["jobs_count"], 12, "{document}");
    let all = ids(&document["slurm"]["jobs"]);
    assert_eq!(all.iter().cloned().collect::<BTreeSet<_>>(), expected);

    let list = alice.get("/api/v1/reservations").await.ok(200);
    let slurm = &list["items"][0]["slurm"];
    assert_eq!((ids(&slurm["jobs"]), &slurm["jobs_count"]), (all[2..].to_vec(), &json!(12)));

    let jobs = format!("{}/jobs?limit=5", path(&reservation));
    let (mut found, mut next, mut lengths) = (Vec::new(), jobs.clone(), Vec::new());
    loop {
        let page = alice.get(&next).await.ok(200);
        lengths.push(ids(&page["items"]).len());
        found.extend(ids(&page["items"]));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        next = format!("{jobs}&cursor={cursor}");
    }
    assert_eq!((lengths, found), (vec![5, 5, 2], all));
    alice.get(&format!("{jobs}&cursor=7")).await.problem(400, "invalid_parameter");

    let mut command = bridge.wattbook(&server, "squeue --state active --format csv");
    let listed = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let mut table = csv::Reader::from_reader(listed.stdout.as_slice());
    let rows = table.records().map(|row| row.unwrap()[11].to_owned());
    assert_eq!(rows.collect::<BTreeSet<_>>(), expected);
}
