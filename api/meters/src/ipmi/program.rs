//! How the program is run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bmc::address::Addresses;
use bmc::program::{Output, run};
use grid_feeds::feed::{FeedError, excerpt, scrub};
use planner::metering::{Sample, SampleTime};

use super::output::{IpmiValue, read};
use crate::answer::{Answer, gathered};

/// One run has no more hosts: its output comes at its end, and is of that instant.
const MOST_HOSTS: usize = 256;

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
                let host =
                    self.settings.addresses.host(node).and_then(|host| match hosts.get(&host) {
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

    async fn run(&self, hosts: impl Iterator<Item = &String>) -> Result<Output, FeedError> {
        let hosts: Vec<&str> = hosts.map(String::as_str).collect();
        let asked = ["--get-system-power-statistics", "--always-prefix"];
        let mut arguments: Vec<String> = asked.map(str::to_owned).into();
        if let Some(file) = &self.settings.config_file {
            arguments.push(format!("--config-file={}", file.display()));
        }
        arguments.push(format!("--hostname={}", hosts.join(",")));
        run(&self.settings.program, &arguments, self.settings.timeout).await
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
