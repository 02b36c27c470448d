//! A controller that has no room for more jobs, and one that is too busy to answer: it is waited for, nothing is made
//! twice, and what was given up is not left over.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bridge::{Bridge, until, wanted};
use crate::cluster::{choose, path, propose};
use crate::faults::until_state;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! {
    sqlite:
    jobs_wait_for_a_controller_that_has_no_room_for_them,
    a_controller_that_is_too_busy_to_answer_is_waited_for,
}

/// What sbatch says of a controller without room; it tries again for two minutes.
const NO_ROOM: &str = "sleeping and retrying";

/// Slurm's settings with room for few jobs; as they were when dropped.
struct FewJobs {
    peer: Peer,
    text: String,
}

impl FewJobs {
    /// Jobs that ended count for a while too: it is waited until there are none.
    async fn of(peer: &Peer, count: usize) -> Self {
        until("the jobs of earlier tests are forgotten", || async {
            let jobs =
                peer.program("squeue").args(["--noheader", "--states=all"]).output().unwrap();
            let jobs = String::from_utf8(jobs.stdout).unwrap();
            if jobs.is_empty() { Ok(()) } else { Err(Value::from(jobs)) }
        })
        .await;
        let text = std::fs::read_to_string(&peer.slurm_conf).unwrap();
        std::fs::write(&peer.slurm_conf, format!("{text}MaxJobCount={count}\n")).unwrap();
        peer.control("restart slurmctld");
        peer.control("ready");
        Self { peer: peer.clone(), text }
    }
}

impl Drop for FewJobs {
    fn drop(&mut self) {
        std::fs::write(&self.peer.slurm_conf, &self.text).unwrap();
        self.peer.control("restart slurmctld");
    }
}

/// A `wattbook sbatch` whose sbatch was told that there is no room.
struct Waiting {
    child: Child,
    rest: JoinHandle<Vec<String>>,
}

impl Waiting {
    /// Waits until it is told so; the id of the reservation that was booked for the job.
    fn of(mut command: Command) -> (Self, String) {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut told = Vec::new();
        for line in lines.by_ref() {
            let waits = line.contains(NO_ROOM);
            told.push(line);
            if waits {
                break;
            }
        }
        let booked = told.iter().find_map(|line| line.split_once("booked as "));
        let (_, booked) = booked.unwrap_or_else(|| panic!("{told:?}"));
        assert!(told.last().unwrap().contains(NO_ROOM), "{told:?}");
        let id = booked.split_once(':').unwrap().0.to_owned();
        (Self { child, rest: std::thread::spawn(move || lines.collect()) }, id)
    }

    /// Its exit status, and what it printed to the end.
    async fn ended(self) -> (Option<i32>, String, Vec<String>) {
        let ended = tokio::task::spawn_blocking(|| self.child.wait_with_output().unwrap());
        let ended = ended.await.unwrap();
        let out = String::from_utf8(ended.stdout).unwrap();
        (ended.status.code(), out, self.rest.join().unwrap())
    }
}

/// Submits jobs that do not begin until there is no room for another one; these jobs.
fn fill(bridge: &Bridge) -> Vec<String> {
    let mut jobs = Vec::new();
    loop {
        let mut submit = Command::new("timeout");
        submit.arg("2").arg(bridge.peer.bin.join("sbatch")).env("WATTBOOK_TEST_USER", "bob");
        submit.current_dir(bridge.site.folder()).args([
            "--parsable",
            "--begin=now+1hour",
            "--wrap=true",
        ]);
        let output = submit.output().unwrap();
        if !output.status.success() {
            assert!(String::from_utf8_lossy(&output.stderr).contains(NO_ROOM), "{output:?}");
            return jobs;
        }
        jobs.push(String::from_utf8(output.stdout).unwrap().trim().to_owned());
        assert!(jobs.len() < 10, "there is room for many");
    }
}

/// Slurm is full. Reservations are made all the same; who gives up has none left; a job that ends makes
/// room for one that waits.
async fn jobs_wait_for_a_controller_that_has_no_room_for_them(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    let few = FewJobs::of(&peer, 3).await;
    let bridge = Bridge::new(site, peer, nodes, "inventory = \"follow\"");
    std::fs::write(bridge.site.folder().join("job.sh"), "#!/bin/sh\n#SBATCH --time=1\ntrue\n")
        .unwrap();
    let server = bridge.serve().await;
    let alice = bridge.alice(&server);
    let others = fill(&bridge);
    let line = "sbatch --begin now+3600 --within 2h --ranking cost_co2_energy -N 1 job.sh";
    let waiting = || Waiting::of(bridge.wattbook(&server, line));
    let (given_up, id) = tokio::task::block_in_place(waiting);
    let reservation = alice.get(&format!("/api/v1/reservations/{id}")).await.ok(200);
    bridge.until_slurm(&alice, &reservation, "in_force").await;
    let pid = given_up.child.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    let (status, out, told) = given_up.ended().await;
    assert_eq!((status, out.as_str()), (Some(128 + 15), ""), "{told:?}");
    bridge.until_slurm(&alice, &reservation, "removed").await;
    assert_eq!(bridge.ours(), [].into());

    let (waits, id) = tokio::task::block_in_place(waiting);
    bridge.peer.program("scancel").args(&others).status().unwrap();
    let (status, out, told) = waits.ended().await;
    assert_eq!(status, Some(0), "{told:?}");
    let job = out.strip_prefix("Submitted batch job ").unwrap_or_else(|| panic!("{out:?}"));
    let document = until("the job is known", || async {
        let document = alice.get(&format!("/api/v1/reservations/{id}")).await.ok(200);
        if document["slurm"]["jobs"][0].is_null() { Err(document) } else { Ok(document) }
    })
    .await;
    assert_eq!(document["slurm"]["jobs"][0]["id"], job.trim_end(), "{document}");
    assert_eq!(document["slurm"]["state"], "in_force");
    bridge.peer.program("scancel").arg(job.trim_end()).status().unwrap();
    drop(few);
}

/// While slurmctld does not run, requests to it pile up, and are done when it goes on: also those that were given up.
async fn a_controller_that_is_too_busy_to_answer_is_waited_for(site: Site) {
    let peer = Peer::of_environment();
    let nodes = Nodes::all(&peer).await;
    let bridge = Bridge::new(site, peer, nodes, "timeout_s = 2");
    let server = bridge.serve().await;
    let (alice, operator) = (bridge.alice(&server), bridge.operator(&server));
    let before = bridge.book(&alice, &Bridge::request(1, 600, 7200, 7200)).await;
    bridge.peer.control("pause slurmctld");
    let seen = until_state(&operator, &["unreachable"]).await;
    assert!(seen["because"].is_string(), "{seen}");
    let proposed = propose(&alice, &Bridge::request(2, 600, 7200, 7200)).await;
    let chosen = choose(&alice, &proposed, "cost_co2_energy").await;
    alice.delete(&path(&before)).await.ok(200);
    // Several turns give up meanwhile.
    tokio::time::sleep(Duration::from_secs(12)).await;
    let document = alice.get(&path(&chosen)).await.ok(200);
    let states = (&document["state"], &document["slurm"]["state"]);
    assert_eq!(states, (&json!("confirmed"), &json!("waiting")));
    bridge.peer.control("continue slurmctld");
    let after = bridge.until_slurm(&alice, &chosen, "in_force").await;
    bridge.until_slurm(&alice, &before, "removed").await;
    until("Slurm has it once, and nothing else", || async {
        let ours = bridge.ours();
        if ours == [wanted(&after)].into() { Ok(()) } else { Err(Value::from(format!("{ours:?}"))) }
    })
    .await;
    bridge.turns(&operator, 3).await;
    assert_eq!(bridge.ours(), [wanted(&after)].into());
}
