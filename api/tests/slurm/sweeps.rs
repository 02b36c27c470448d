//! Sweeps that Slurm plays, as an array of jobs and one for the results.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

use crate::bridge::until;
use crate::left_out::left_out;
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::result_files::result_files;
use crate::site::{Site, wattbook};

on_slurm! {
    sqlite: a_sweep_whose_jobs_are_killed_ends_with_the_bytes_of_one_machine,
}

/// 1 + 160 + 480 instances, as behind table 7.1 of the Batsim thesis, on a drawn workload.
const TABLE: &str = include_str!("../../../docs/examples/table-7-1/sweep.toml");
const PLATFORM: &str = include_str!("../../../docs/examples/table-7-1/taurus.toml");

fn sweep(folder: &Path, more: &str) -> Command {
    let mut command = wattbook(&["batch", "sweep", "sweep.toml", "--threads", "2"]);
    command.current_dir(folder).args(more.split_whitespace());
    command
}

#[track_caller]
fn said(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.success(), "{text}");
    text
}

async fn a_sweep_whose_jobs_are_killed_ends_with_the_bytes_of_one_machine(site: Site) {
    let peer = Peer::of_environment();
    if !peer.version.starts_with("22.") {
        left_out("sweeps", "jobs of the Slurm in another Debian do not have the program");
        return;
    }
    let nodes = Nodes::quarter(&peer).await;
    let folder = site.folder().to_owned();
    let drawn = "model = \"simbatch\"\njobs = 1500\nmachines = 100";
    let file = "file = \"KTH-SP2-1996-2.1-cln.swf.gz\"\nmachines = 100";
    assert!(TABLE.contains(file));
    fs::write(folder.join("sweep.toml"), TABLE.replace(file, drawn)).unwrap();
    fs::write(folder.join("taurus.toml"), PLATFORM).unwrap();
    said(&sweep(&folder, "--out whole").output().unwrap());

    let options = format!(
        "--out parts --on slurm --parts 6 --sbatch-option=-p{} --sbatch-option=-t10",
        nodes.partitions
    );
    let mut command = sweep(&folder, &options);
    command.env("WATTBOOK_SBATCH", peer.bin.join("sbatch"));
    let watching = tokio::task::spawn_blocking(move || command.output().unwrap());
    // Two of the jobs are killed once they have begun, perhaps before they have finished anything.
    for part in [2, 5] {
        let journal = folder.join(format!("parts/unfinished-{part}-of-6.jsonl"));
        until("a part is played", || async {
            if journal.exists() { Ok(()) } else { Err(json!(part)) }
        })
        .await;
        let jobs = peer.program("squeue").args(["-h", "-n", "wattbook-parts", "-o", "%F"]).output();
        let jobs = String::from_utf8(jobs.unwrap().stdout).unwrap();
        let array = jobs.lines().next().expect("the array is there").trim().to_owned();
        // It may have ended just now; at least one has not.
        let task = format!("{array}_{part}");
        peer.program("scancel").args(["--full", "--signal=KILL", &task]).status().unwrap();
    }
    let told = said(&watching.await.unwrap());
    assert!(told.contains("submitted 6 parts as job "), "{told}");
    assert!(told.contains(" of 107; the others are played now"), "{told}");
    assert!(result_files(&folder.join("whole")) == result_files(&folder.join("parts")), "{told}");
}
