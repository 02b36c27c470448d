//! The real Slurm that `.ci/slurm` started: asked and told as its administrators and users do, by its own
//! programs, never through the bridge that is tested.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;

use crate::cluster::seconds;

/// What `WATTBOOK_TEST_SLURM` tells of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Peer {
    pub version: String,
    pub cluster: String,
    /// `http://127.0.0.1:PORT` of slurmrestd.
    pub rest: String,
    pub key_file: PathBuf,
    pub slurm_conf: PathBuf,
    pub scontrol: PathBuf,
    /// A folder with all of Slurm's programs for users.
    pub bin: PathBuf,
    /// Starts, stops and kills daemons.
    control: PathBuf,
    /// Nodes whose names are files here do not come when they are woken.
    pub absent: PathBuf,
    /// Who was switched when, a line each.
    pub power_log: PathBuf,
    /// The folder of the files by which its nodes measure energy; there is none where its REST does not tell that.
    pub pm_counters: Option<PathBuf>,
    /// Whether there is accounting.
    pub slurmdbd: bool,
}

/// A reservation as `scontrol` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenReservation {
    pub nodes: BTreeSet<String>,
    /// Seconds since the epoch.
    pub start: i64,
    pub end: i64,
    pub users: String,
}

/// What `scontrol -o` shows of a thing.
pub type Fields = BTreeMap<String, String>;

impl Peer {
    /// The Slurm that the environment names; there is no test without it.
    pub fn of_environment() -> Self {
        let file = std::env::var_os("WATTBOOK_TEST_SLURM").expect("run by .ci/slurm");
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    }

    /// One of its programs, with times in UTC.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.env("TZ", "UTC");
        command
    }

    /// What `scontrol` prints; it must succeed.
    #[track_caller]
    pub fn scontrol(&self, arguments: &str) -> String {
        let output = self.try_scontrol(arguments);
        assert!(output.status.success(), "scontrol {arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `scontrol` does; it may fail.
    pub fn try_scontrol(&self, arguments: &str) -> Output {
        self.program("scontrol").args(arguments.split_whitespace()).output().unwrap()
    }

    /// Starts, stops, kills or restarts daemons.
    #[track_caller]
    pub fn control(&self, arguments: &str) {
        let status = Command::new(&self.control).args(arguments.split(' ')).status().unwrap();
        assert!(status.success(), "{arguments}");
    }

    /// Submits a script as a user from a folder; its job.
    #[track_caller]
    pub fn submit(&self, user: &str, folder: &Path, arguments: &str, script: &str) -> String {
        let mut command = self.program("sbatch");
        command.env("WATTBOOK_TEST_USER", user).current_dir(folder).arg("--parsable");
        command.args(arguments.split_whitespace()).args(["--wrap", script]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "sbatch {arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// What it knows of a node.
    pub fn node(&self, name: &str) -> Fields {
        fields(&self.scontrol(&format!("-o show node {name}")))
    }

    /// All reservations by name.
    pub fn reservations(&self) -> BTreeMap<String, SeenReservation> {
        self.try_reservations().expect("an answer of the controller")
    }

    /// All reservations by name; `None` where the controller does not answer.
    pub fn try_reservations(&self) -> Option<BTreeMap<String, SeenReservation>> {
        let output = self.try_scontrol("-o show reservation");
        let text = output.status.success().then(|| String::from_utf8(output.stdout).unwrap())?;
        let mut names = BTreeMap::new();
        let shown = text.lines().map(fields).filter(|it| it.contains_key("ReservationName"));
        let all = shown
            .map(|shown| {
                let list = &shown["Nodes"];
                let nodes = names.entry(list.clone()).or_insert_with(|| self.hostnames(list));
                let seen = SeenReservation {
                    nodes: nodes.clone(),
                    start: instant(&shown["StartTime"]),
                    end: instant(&shown["EndTime"]),
                    users: shown["Users"].clone(),
                };
                (shown["ReservationName"].clone(), seen)
            })
            .collect();
        Some(all)
    }

    /// The names that a node list in Slurm's notation stands for.
    pub fn hostnames(&self, list: &str) -> BTreeSet<String> {
        if list.is_empty() || list == "(null)" {
            return BTreeSet::new();
        }
        self.scontrol(&format!("show hostnames {list}")).lines().map(str::to_owned).collect()
    }

    /// The jobs in a partition in one of these states, each task of an array, with their nodes.
    pub fn jobs(&self, partition: &str, states: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut command = self.program("squeue");
        command.args([
            "--noheader",
            "--array",
            "--states",
            states,
            "--format=%i %N",
            "--partition",
            partition,
        ]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let jobs = text.lines().filter_map(|line| line.split_once(' '));
        jobs.map(|(id, list)| (id.to_owned(), self.hostnames(list.trim()))).collect()
    }
}

/// `KEY=value` of a line; values with spaces lose what follows the first.
pub fn fields(line: &str) -> Fields {
    let pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// An instant as `scontrol` prints it in UTC.
pub fn instant(text: &str) -> i64 {
    seconds(&format!("{text}Z").into())
}
