//! How the program is run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use grid_feeds::feed::{FeedError, excerpt, scrub};
use planner::metering::{Sample, SampleTime};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::output::{IpmiValue, read};
use crate::address::Addresses;
use crate::answer::{Answer, gathered};

/// One run has no more hosts: its output comes at its end, and is of that instant.
const MOST_HOSTS: usize = 256;

/// No more is read of what it prints.
const MOST_OUTPUT_BYTES: u64 = 4 << 20;

/// The controllers of nodes, and how they are asked.
#[derive(Clone, Debug)]
pub struct IpmiSettings {
    /// The program `ipmi-dcmi`.
    pub program: PathBuf,
    /// FreeIPMI's configuration file, with user, password and driver; its usual one unless given.
    pub config_file: Option<PathBuf>,
    /// Where the controllers are: hosts, with a port where it is not 623.
    pub addresses: Addresses,
    /// What is read.
    pub value: IpmiValue,
    /// How long a run for 256 hosts may take.
    pub timeout: Duration,
}

/// What a run said.
#[derive(Debug, Default)]
struct Output {
    printed: String,
    complaints: String,
    /// Whether it was ended since it took too long.
    took_too_long: bool,
}

/// Controllers that can be asked.
#[derive(Clone, Debug)]
pub struct Ipmi {
    settings: IpmiSettings,
}

impl Ipmi {
    /// The controllers of these settings; nothing is asked of them yet.
    pub fn new(settings: IpmiSettings) -> Self {
        Self { settings }
    }

    /// What the controllers of these nodes tell now. What some of them fail to tell is noted.
    ///
    /// # Errors
    /// Where the program cannot be run, or no controller tells anything.
    pub async fn samples(
        &self,
        nodes: &[String],
        clock: &(dyn Fn() -> SampleTime + Sync),
    ) -> Result<Answer, FeedError> {
        let mut told = Vec::with_capacity(nodes.len());
        for nodes in nodes.chunks(MOST_HOSTS) {
            let mut hosts: BTreeMap<String, &String> = BTreeMap::new();
            for node in nodes {
                let host = self.host(node).and_then(|host| match hosts.get(&host) {
                    Some(other) => Err(FeedError::Configuration {
                        message: format!("node {node} has the same address as node {other}"),
                    }),
                    None => Ok(host),
                });
                match host {
                    Ok(host) => _ = hosts.insert(host, node),
                    Err(error) => told.push((node.as_str(), Err(error))),
                }
            }
            if hosts.is_empty() {
                continue;
            }
            let output = self.run(hosts.keys()).await?;
            let at = clock();
            let Output { printed, complaints, took_too_long } = &output;
            let names = hosts.keys().map(String::as_str);
            for (host, milli) in read(names, printed, complaints, self.settings.value) {
                let sample = milli.map(|value_milli| Sample { at, value_milli });
                let sample =
                    sample.map_err(|words| self.failure(&words, complaints, *took_too_long));
                told.push((hosts[host].as_str(), sample));
            }
        }
        gathered(told)
    }

    /// The host of a node's controller: a name or address, which ends no argument and begins no list.
    fn host(&self, node: &str) -> Result<String, FeedError> {
        let host = self.settings.addresses.of(node);
        let host = host.ok_or_else(|| FeedError::Configuration {
            message: format!("node {node} has no address of a management controller"),
        })?;
        let is_allowed = |it: char| it.is_ascii_alphanumeric() || ".-_:".contains(it);
        if host.is_empty() || host.starts_with('-') || !host.chars().all(is_allowed) {
            let message = format!("{host:?} is no host: letters, digits, and . - _ : alone");
            return Err(FeedError::Configuration { message });
        }
        Ok(host)
    }

    async fn run(&self, hosts: impl Iterator<Item = &String>) -> Result<Output, FeedError> {
        let hosts: Vec<&str> = hosts.map(String::as_str).collect();
        let mut command = Command::new(&self.settings.program);
        command.arg("--get-system-power-statistics").arg("--always-prefix");
        if let Some(file) = &self.settings.config_file {
            command.arg(format!("--config-file={}", file.display()));
        }
        command.arg(format!("--hostname={}", hosts.join(",")));
        command.env_clear().env("LC_ALL", "C").env("TZ", "UTC");
        for kept in ["PATH", "LD_LIBRARY_PATH"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| FeedError::Configuration {
            message: format!("{} cannot be run: {error}", self.settings.program.display()),
        })?;
        let (mut printed, mut complaints) = (Vec::new(), Vec::new());
        let said = said(&mut child, &mut printed, &mut complaints);
        let ended = tokio::time::timeout(self.settings.timeout, said).await;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (printed, complaints) = (text(printed), text(complaints));
        Ok(Output { printed, complaints, took_too_long: ended.is_err() })
    }

    /// Why a host told nothing.
    fn failure(&self, words: &str, complaints: &str, took_too_long: bool) -> FeedError {
        let message = if took_too_long && words.starts_with("no answer") {
            format!("the run took longer than {} s", self.settings.timeout.as_secs())
        } else if words.starts_with("no answer") && !complaints.is_empty() {
            // Complaints of no host, such as of the configuration file.
            format!("{words}; ipmi-dcmi says {:?}", excerpt(complaints))
        } else {
            words.to_owned()
        };
        FeedError::Transient { message: scrub(&message) }
    }
}

/// Reads what a child says until it ends; what was read so far is there where it is not waited for.
async fn said(child: &mut Child, printed: &mut Vec<u8>, complaints: &mut Vec<u8>) {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    tokio::join!(collect(out, printed), collect(err, complaints));
    // How it ended says nothing that is not said of each host.
    let _ = child.wait().await;
}

async fn collect(stream: Option<impl AsyncRead + Unpin>, bytes: &mut Vec<u8>) {
    if let Some(stream) = stream {
        let _ = stream.take(MOST_OUTPUT_BYTES).read_to_end(bytes).await;
    }
}
