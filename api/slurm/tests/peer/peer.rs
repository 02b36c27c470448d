//! The Slurm that is tested with.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use planner::node_list;
use planner::resource_manager::{ManagedJob, ManagedNode, ManagedReservation, WantedReservation};
use planner::time::{Seconds, Span, Timestamp};
use slurm::{Slurm, SlurmSettings, TokenSource};
use tokio::sync::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::const_new(());

/// A Slurm of one's own for a test.
pub struct Peer {
    pub slurm: Slurm,
    about: serde_json::Value,
    _turn: MutexGuard<'static, ()>,
}

impl Peer {
    /// Waits for the turn, and removes reservations that the test before left.
    pub async fn new() -> Self {
        let turn = TURN.lock().await;
        let file = std::env::var("WATTBOOK_TEST_SLURM").expect("WATTBOOK_TEST_SLURM names a file");
        let about = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let slurm = Slurm::new(settings(&about)).unwrap();
        for left in slurm.reservations(None).await.unwrap().unwrap().items {
            slurm.remove_reservation(&left.name).await.unwrap();
        }
        Self { slurm, about, _turn: turn }
    }

    pub fn settings(&self) -> SlurmSettings {
        settings(&self.about)
    }

    pub fn text(&self, key: &str) -> &str {
        self.about[key].as_str().unwrap_or_else(|| panic!("no {key}: {}", self.about))
    }

    /// Whether it has a slurmdbd.
    pub fn has_accounting(&self) -> bool {
        self.about["slurmdbd"].as_bool().unwrap()
    }

    /// Whether it is the one whose reservations are written by `scontrol`.
    pub fn is_22_05(&self) -> bool {
        self.text("version").starts_with("22.05")
    }

    /// What one of its commands prints, as a user; or what it complains of.
    pub fn try_run(&self, user: &str, line: &str) -> Result<String, String> {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let mut command = Command::new(PathBuf::from(self.text("bin")).join(name));
        command.args(words).env("WATTBOOK_TEST_USER", user).env("TZ", "UTC").current_dir("/tmp");
        let output = command.output().unwrap_or_else(|error| panic!("{line}: {error}"));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    pub fn run(&self, line: &str) -> String {
        self.try_run("root", line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Starts, stops and awaits its daemons.
    pub fn control(&self, line: &str) {
        let status = Command::new(self.text("control")).args(line.split(' ')).status().unwrap();
        assert!(status.success(), "{line}");
    }

    /// Replaces a part of `slurm.conf` until the answer is dropped, whatever happens, and starts the controller with it.
    pub fn with_settings(&self, part: &str, by: &str) -> ChangedSettings<'_> {
        let file = PathBuf::from(self.text("slurm_conf"));
        let before = std::fs::read_to_string(&file).unwrap();
        let changed = before.replace(part, by);
        assert_ne!(changed, before);
        let restored = ChangedSettings { file, before, control: self.text("control") };
        std::fs::write(&restored.file, changed).unwrap();
        self.control("restart slurmctld");
        self.control("ready");
        restored
    }

    /// The id of a job that `user` submits.
    pub fn submit(&self, user: &str, arguments: &str) -> String {
        let printed =
            self.try_run(user, &format!("sbatch --parsable --output=/dev/null {arguments}"));
        printed.unwrap_or_else(|error| panic!("{arguments}: {error}"))
    }

    /// The controller's clock.
    pub async fn now(&self) -> Timestamp {
        self.slurm.about().await.unwrap().clock.unwrap()
    }

    pub async fn node(&self, name: &str) -> ManagedNode {
        let nodes = self.slurm.nodes(None).await.unwrap().unwrap().items;
        nodes.into_iter().find(|node| &*node.name == name).unwrap_or_else(|| panic!("no {name}"))
    }

    pub async fn jobs(&self) -> Vec<ManagedJob> {
        self.slurm.jobs(None).await.unwrap().unwrap().items
    }

    /// Waits until one of the jobs is as it is told, for a minute.
    pub async fn job(&self, id: &str, is_it: impl Fn(&ManagedJob) -> bool) -> ManagedJob {
        for _ in 0..120 {
            let mut jobs = self.jobs().await.into_iter();
            if let Some(job) = jobs.find(|job| job.id == id && is_it(job)) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("job {id} does not come to it: {:?}", self.jobs().await)
    }

    /// Waits until a node is as it is told, for two minutes.
    pub async fn until(&self, name: &str, is_it: impl Fn(&ManagedNode) -> bool) -> ManagedNode {
        for _ in 0..240 {
            let node = self.node(name).await;
            if is_it(&node) {
                return node;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("{:?}", self.node(name).await)
    }

    /// The reservation of this name, which there must be.
    pub async fn seen(&self, name: &str) -> ManagedReservation {
        let seen = self.slurm.reservation(name).await.unwrap();
        seen.unwrap_or_else(|| panic!("no reservation {name}"))
    }
}

/// Puts `slurm.conf` back as it was, and restarts the controller.
pub struct ChangedSettings<'a> {
    file: PathBuf,
    before: String,
    control: &'a str,
}

impl Drop for ChangedSettings<'_> {
    fn drop(&mut self) {
        // The test may be failing already: whoever comes next finds out whether the controller answers.
        let written = std::fs::write(&self.file, &self.before);
        let started = Command::new(self.control).args(["restart", "slurmctld"]).status();
        if written.is_err() || started.is_err() {
            eprintln!("slurm.conf was not put back: {written:?}, {started:?}");
        }
        let _ = Command::new(self.control).arg("ready").status();
    }
}

fn settings(about: &serde_json::Value) -> SlurmSettings {
    let text = |key: &str| about[key].as_str().unwrap_or_else(|| panic!("no {key}")).to_owned();
    SlurmSettings {
        rest: Some(text("rest").parse().unwrap()),
        user: "root".to_owned(),
        token: TokenSource::Key { file: text("key_file").into(), lifetime: Duration::from_mins(1) },
        scontrol: Some(PathBuf::from(text("bin")).join("scontrol")),
        slurm_conf: Some(text("slurm_conf").into()),
        timeout: Duration::from_secs(20),
        accounting: true,
    }
}

pub fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A reservation of nodes for alice.
pub fn wanted(name: &str, nodes: &str, start: Timestamp, length_s: i64) -> WantedReservation {
    WantedReservation {
        name: name.to_owned(),
        nodes: node_list::parse(nodes).unwrap().into_iter().collect(),
        span: Span::starting(start, Seconds::new(length_s)).unwrap(),
        users: words("alice"),
        accounts: BTreeSet::new(),
    }
}
