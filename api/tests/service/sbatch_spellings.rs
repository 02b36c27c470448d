//! What `wattbook sbatch` reads of a job's options is what the real sbatch reads of them.
//! `WATTBOOK_TEST_SBATCH` names one whose Slurm is up.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::booking::{Outcome, command};
use crate::cluster::furnish;
use crate::left_out::left_out;
use crate::server::Server;
use crate::site::Site;

/// A script's lines, words of the command line, and the variables of the environment.
type Job = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const JOBS: &[Job] = &[
    ("#SBATCH -N2 -t5", "", &[]),
    ("#SBATCH --nodes=2-3 --time 1:30:00", "", &[]),
    ("#SBATCH --nodes 3\n\n# text\n#SBATCH --time=90:30 # later -N 1", "", &[]),
    ("#SBATCH -N 3 -t 0:30\n#SBATCH -N 2", "", &[]),
    ("#SBATCH -N 3 -t 1-0:1\ntrue\n#SBATCH -N 2", "", &[]),
    ("   #SBATCH -N 3\n##SBATCH -N 4\n#SBATCH--job=a -N2 -t7", "-N 1", &[]),
    ("#SBATCH -J \"a # b -N4\" -t \\1\\0 -N '2'", "", &[]),
    ("#SBATCH -t 1 '' -N 4\n#SBATCH -N 3", "", &[]),
    ("#SBATCH -vHN2 -koff -t5", "-t 9", &[]),
    ("#SBATCH -vHN2 -t5", "--time=1-1:1:1", &[("SBATCH_TIMELIMIT", "8")]),
    ("#SBATCH -N 2 -t5", "", &[("SBATCH_TIMELIMIT", "8:00:00")]),
    ("#SBATCH -N 1-2", "--nodes=3 -t 30", &[]),
    ("#SBATCH -n 2", "-N 4 -t 30", &[]),
    ("#SBATCH -N 2-4 -n 1", "-t 30", &[]),
    ("#SBATCH -N 2-4 -n 3", "-t 30", &[]),
    ("#SBATCH -N 2 --comment \"it's \\\"so\\\"\" --time=\"12\"", "--exclusive -J x", &[]),
];

/// The options that sbatch says it has, by name.
fn defined(sbatch: &str, (script, line, variables): &Job) -> BTreeMap<String, String> {
    let mut command = Command::new(sbatch);
    command.args(["--test-only", "-vv", "-D", "/tmp"]).args(line.split_whitespace());
    let told = with_input(&mut command, script, variables).err;
    let options = told.lines().filter_map(|line| line.strip_prefix("sbatch: ")?.split_once(" : "));
    options.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

fn with_input(command: &mut Command, script: &str, variables: &[(&str, &str)]) -> Outcome {
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let script = format!("#!/bin/sh\n{script}\n");
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    Outcome::of(child.wait_with_output().unwrap())
}

/// Minutes of `D-HH:MM:SS`, as sbatch tells limits.
fn minutes(limit: &str) -> i64 {
    let (days, rest) = limit.split_once('-').unwrap_or(("0", limit));
    let parts: Vec<i64> = rest.split(':').map(|part| part.parse().unwrap()).collect();
    assert!(parts.len() == 3 && parts[2] == 0, "{limit}");
    (days.parse::<i64>().unwrap() * 24 + parts[0]) * 60 + parts[1]
}

/// Where each script is looked for: `./both.sh` is for two nodes, `d/both.sh` for three, `./only.sh` for four.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_are_found_where_the_real_sbatch_finds_them() {
    let Ok(sbatch) = std::env::var("WATTBOOK_TEST_SBATCH") else {
        return left_out(
            "scripts_are_found_where_the_real_sbatch_finds_them",
            "no Slurm; WATTBOOK_TEST_SBATCH names an sbatch",
        );
    };
    let site = Site::sqlite();
    let server = service(&site).await;
    std::fs::create_dir(site.folder().join("d")).unwrap();
    for (name, nodes) in [("both.sh", 2), ("d/both.sh", 3), ("only.sh", 4)] {
        let script = format!("#!/bin/sh\n#SBATCH -t 5 -N {nodes}\n");
        std::fs::write(site.folder().join(name), script).unwrap();
    }
    for (line, nodes) in [
        ("both.sh", "2"),
        ("-D d both.sh", "3"),
        ("-D d ./both.sh", "2"),
        ("-D / -D d both.sh", "3"),
        ("-D d only.sh", "4"),
    ] {
        let mut theirs = Command::new(&sbatch);
        theirs.args(["--test-only", "-vv"]).args(line.split_whitespace());
        let told = with_input(theirs.current_dir(site.folder()), "", &[]).err;
        let read =
            told.lines().filter_map(|line| line.strip_prefix("sbatch: nodes ")?.split(':').nth(1));
        assert_eq!(read.map(str::trim).collect::<Vec<_>>(), [nodes], "{line}: {told}");
        let mut ours = command(&server, &format!("sbatch --dry-run --within 1h {line}"));
        ours.env("WATTBOOK_SBATCH", &sbatch).current_dir(site.folder());
        let answer = with_input(&mut ours, "", &[]);
        assert_eq!(answer.json()["request"]["nodes"].to_string(), nodes, "{line}");
    }
}

async fn service(site: &Site) -> Server {
    let server = site.serve().await;
    furnish(&server.client(), 4, None).await;
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_are_read_as_the_real_sbatch_reads_them() {
    let Ok(sbatch) = std::env::var("WATTBOOK_TEST_SBATCH") else {
        return left_out(
            "jobs_are_read_as_the_real_sbatch_reads_them",
            "no Slurm; WATTBOOK_TEST_SBATCH names an sbatch",
        );
    };
    let site = Site::sqlite();
    let server = service(&site).await;
    for job in JOBS {
        let defined = defined(&sbatch, job);
        let (script, line, variables) = job;
        let mut ours = command(&server, &format!("sbatch --dry-run --within 1h {line}"));
        ours.env("WATTBOOK_SBATCH", &sbatch);
        let answer = with_input(&mut ours, script, variables);
        let shown: serde_json::Value = serde_json::from_str(&answer.out)
            .unwrap_or_else(|error| panic!("{job:?}: {error}: {}", answer.err));
        assert!(
            defined.contains_key("nodes") && defined.contains_key("time"),
            "{job:?}: {defined:?}"
        );
        let nodes = defined["nodes"].split('-').next().unwrap();
        assert_eq!(shown["request"]["nodes"].to_string(), nodes, "{job:?}: {defined:?}");
        // The reservation has a minute more.
        let seconds = (minutes(&defined["time"]) + 1) * 60;
        assert_eq!(shown["request"]["duration_s"], seconds, "{job:?}: {defined:?}");
    }
}
