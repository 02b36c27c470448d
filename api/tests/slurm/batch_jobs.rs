//! Jobs that `wattbook sbatch` submits by the real sbatch, while other people's jobs keep all nodes busy: when
//! and where they run, and what is told of them afterwards.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::client::Client;
use crate::cluster::{now, path};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::server::Server;
use crate::site::Site;

on_slurm! {
    submitted_jobs_begin_at_their_booked_instants_on_their_nodes_alone,
}

/// The nodes of the jobs: all four twice, so that reservations follow each other directly.
const JOBS: [usize; 6] = [1, 2, 1, 2, 1, 1];

/// Each has a limit of a minute, and runs for so long.
const RUNS_S: i64 = 20;

/// A reservation is a minute longer than its job's limit.
const RESERVED_S: i64 = 120;

/// No job may begin later than so long after its booked start, seconds.
const LATEST_S: i64 = 60;

/// A job that was submitted, and the reservation that was booked for it.
struct Submitted {
    id: String,
    reservation: Value,
}

/// Where and when a job ran, by its own account.
#[derive(Debug)]
struct Ran {
    node: String,
    start: i64,
    end: i64,
}

async fn submitted_jobs_begin_at_their_booked_instants_on_their_nodes_alone(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::quarter(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "inventory = \"follow\"");
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    until("the nodes have Slurm's partitions", || async {
        let nodes = alice.get("/api/v1/nodes").await.ok(200);
        let all = nodes["nodes"].as_array().unwrap();
        let labelled = |it: &Value| it["partitions"].as_array().is_some_and(|it| it.len() == 2);
        if all.iter().all(labelled) { Ok(()) } else { Err(nodes) }
    })
    .await;
    keep_busy(&bridge);
    let mut jobs = Vec::new();
    for (index, nodes) in JOBS.into_iter().enumerate() {
        // Of the partition that jobs are for by default, and of one that is named.
        let partition = &bridge.nodes.partitions;
        let named = if index % 2 == 0 { format!("-p {partition}") } else { String::new() };
        jobs.push(submit(&bridge, &server, nodes, &named).await);
    }
    let mut delays = Vec::new();
    for (job, nodes) in jobs.iter().zip(JOBS) {
        delays.push(ended(&bridge, &alice, job, nodes).await);
    }
    alone(&bridge, &jobs).await;
    delays.sort_unstable();
    println!("Slurm {}: jobs began {delays:?} s after their booked starts", bridge.peer.version);
}

/// Other people's jobs, more than there is room for; each writes down when and where it ran.
fn keep_busy(bridge: &Bridge) {
    let (folder, partition) = (bridge.site.folder(), &bridge.nodes.partitions);
    let log = folder.join("others");
    std::fs::write(&log, "").unwrap();
    std::fs::set_permissions(&log, Permissions::from_mode(0o666)).unwrap();
    let script = format!(
        "begin=$(date +%s); sleep $((8 + SLURM_ARRAY_TASK_ID % 4 * 5)); echo $SLURM_JOB_NODELIST $begin $(date +%s) >>{}",
        log.display()
    );
    for user in ["bob", "carol"] {
        let place = format!("-p {partition} -N1 --exclusive -t1 --array=1-80");
        bridge.peer.submit(user, folder, &format!("{place} --output=/dev/null"), &script);
    }
}

/// Submits a job as alice does, to begin when no job of others that runs now can run any more.
async fn submit(bridge: &Bridge, server: &Server, nodes: usize, more: &str) -> Submitted {
    let folder = bridge.site.folder().to_owned();
    std::fs::write(folder.join("job.sh"), script()).unwrap();
    let line = format!(
        "sbatch --begin now+80 --within 10min --ranking cost_co2_energy -N {nodes} {more} job.sh {RUNS_S}"
    );
    let mut command = bridge.wattbook(server, &line);
    let ended = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{line}: {told}");
    let out = String::from_utf8(ended.stdout).unwrap();
    let id = out.strip_prefix("Submitted batch job ").unwrap_or_else(|| panic!("{out:?}"));
    let booked = told.split_once("booked as ").unwrap().1.split_once(':').unwrap().0;
    let alice = bridge.alice(server);
    let reservation = alice.get(&format!("/api/v1/reservations/{booked}")).await.ok(200);
    assert_eq!(reservation["slurm"]["state"], "in_force", "{reservation}");
    Submitted { id: id.trim_end().to_owned(), reservation }
}

fn script() -> String {
    let lines = [
        "#!/bin/sh",
        "#SBATCH --time=1",
        "#SBATCH --job-name=tea",
        "begin=$(date +%s)",
        "sleep $1",
        "echo $SLURM_JOB_NODELIST $begin $(date +%s)",
    ];
    lines.join("\n") + "\n"
}

/// Waits until a job has ended and its reservation too, and looks at what is told of both. How late the job
/// began, seconds.
async fn ended(bridge: &Bridge, alice: &Client, job: &Submitted, nodes: usize) -> i64 {
    let booked = wanted(&job.reservation).1;
    crate::cluster::pass(booked.start + LATEST_S).await;
    let document = until("the job has ended, and its reservation is gone", || async {
        let document = alice.get(&path(&job.reservation)).await.ok(200);
        let slurm = &document["slurm"];
        let ended = slurm["jobs"][0]["state"] == "COMPLETED" && slurm["state"] == "removed";
        if ended { Ok(document) } else { Err(json!([document, shown(bridge, &job.id)])) }
    })
    .await;
    let (own, slurm) =
        (ran(&bridge.site.folder().join(format!("slurm-{}.out", job.id))), &document["slurm"]);
    let told = &slurm["jobs"][0];
    let (start, end) =
        (crate::cluster::seconds(&told["start"]), crate::cluster::seconds(&told["end"]));
    let delay = start - booked.start;
    assert!((0..=LATEST_S).contains(&delay), "{delay} s: {document}");
    assert!(own[0].start >= start && own[0].start <= end, "{own:?}: {document}");
    assert_eq!(bridge.peer.hostnames(&own[0].node), booked.nodes, "{document}");
    assert_eq!(bridge.peer.hostnames(told["nodes"].as_str().unwrap()), booked.nodes);
    assert_eq!(slurm["jobs"].as_array().map(Vec::len), Some(1), "{document}");
    assert_eq!((&told["id"], &told["user"]), (&json!(job.id), &json!("alice")));
    let nodes = i64::try_from(nodes).unwrap();
    assert!(end - start >= RUNS_S, "{document}");
    let node_seconds = json!({ "reserved": nodes * RESERVED_S, "used": nodes * (end - start) });
    assert_eq!(slurm["node_seconds"], node_seconds, "{document}");
    assert_eq!(document["state"], "completed");
    delay
}

/// What Slurm shows of a job.
fn shown(bridge: &Bridge, id: &str) -> String {
    let output = bridge.peer.try_scontrol(&format!("-o show job {id}"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Nobody else's job ran on booked nodes in the booked time, though there were jobs all the time.
async fn alone(bridge: &Bridge, jobs: &[Submitted]) {
    let partition = &bridge.nodes.partitions;
    let waiting = bridge.peer.jobs(partition, "PENDING").len();
    let rest = ["--state=PENDING", "--partition", partition];
    bridge.peer.program("scancel").args(rest).status().unwrap();
    until("the last jobs of others have ended", || async {
        let running = bridge.peer.jobs(partition, "RUNNING,COMPLETING");
        if running.is_empty() { Ok(()) } else { Err(json!(running)) }
    })
    .await;
    let others = ran(&bridge.site.folder().join("others"));
    println!("{} jobs of others ran beside them, and {waiting} wait", others.len());
    assert!(others.len() > JOBS.len() && waiting > 0);
    for booked in jobs.iter().map(|job| wanted(&job.reservation).1) {
        let meets = |it: &&Ran| {
            booked.nodes.contains(&it.node) && it.start < booked.end && it.end > booked.start
        };
        assert!(others.iter().find(meets).is_none(), "{booked:?}: {others:?}");
        assert!(now() >= booked.end);
    }
    let used: BTreeSet<_> = jobs.iter().flat_map(|job| wanted(&job.reservation).1.nodes).collect();
    assert_eq!(used.len(), bridge.nodes.names.len(), "all nodes were booked at some time");
}

/// What jobs wrote down, a line each.
fn ran(file: &Path) -> Vec<Ran> {
    let text = std::fs::read_to_string(file).unwrap();
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let ran = words.map(|words| Ran {
        node: words[0].to_owned(),
        start: words[1].parse().unwrap(),
        end: words[2].parse().unwrap(),
    });
    ran.collect()
}
