//! An experiment with several sites as a document: one file where Simbatch needs four.

use serde::Deserialize;

use super::rule::SiteRule;
use super::tasks::SiteTask;
use crate::platform::{LinkSharing, NetworkSection, PlatformDocument, StorageSection};
use crate::time::Time;

/// The document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SitesDocument {
    /// When the simulation begins by the clock, for agendas.
    pub origin: Option<String>,
    /// The sites.
    pub sites: Vec<SiteSection>,
    /// The links between clients and sites; without any, data takes no time between them.
    #[serde(default)]
    pub links: Vec<WideLinkSection>,
    /// Who submits tasks that any of their sites may run.
    #[serde(default)]
    pub clients: Vec<ClientSection>,
}

/// A site.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteSection {
    /// Its name.
    pub name: String,
    /// How many machines it has, of which nothing else is known.
    pub machines: Option<u32>,
    /// Or what its machines are: a file, or the same written here.
    pub platform: Option<PlatformSource>,
    /// The network of machines of which nothing else is known.
    pub network: Option<NetworkSection>,
    /// The storage of the network that is the frontal.
    #[serde(default = "frontal")]
    pub frontal: String,
    /// Which waiting job starts when: the name of a policy.
    pub policy: Option<String>,
    /// In place of the policy's own: the order of the queue.
    pub order: Option<String>,
    /// Who may start before the first waiting job.
    pub backfill: Option<String>,
    /// Which machines jobs take.
    pub fit: Option<String>,
    /// What may start as far as power and energy go.
    pub gate: Option<String>,
    /// Which machines are switched.
    pub switching: Option<String>,
    /// Options of these.
    #[serde(default)]
    pub options: toml::Table,
    /// How many priority queues there are; jobs of the first come before those of the second.
    #[serde(default = "one")]
    pub queues: u32,
    /// How fast tasks of clients run here.
    #[serde(default = "unit")]
    pub speed: f64,
    /// What its own users submit.
    pub load: Option<LoadSection>,
    /// A table of prices.
    pub price: Option<String>,
    /// A table of CO2 intensities.
    pub co2: Option<String>,
    /// A table of caps.
    pub cap: Option<String>,
}

/// What a site's machines are.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum PlatformSource {
    /// A file.
    File(String),
    /// Written in the experiment.
    Here(Box<PlatformDocument>),
}

/// What a site's own users submit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum LoadSection {
    /// A workload in a file.
    File(String),
    /// Drawn jobs.
    Drawn(DrawnSection),
}

/// A link between two ends: clients, sites, or what only joins links.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WideLinkSection {
    /// Its name; made of its ends where none is said.
    pub name: Option<String>,
    /// Its ends.
    pub between: [String; 2],
    /// Bytes/s, in each direction unless shared.
    pub bandwidth_bytes_per_s: f64,
    /// Of it, s.
    #[serde(default)]
    pub latency_s: f64,
    /// How it is shared.
    #[serde(default)]
    pub sharing: LinkSharing,
}

/// A client.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientSection {
    /// Its name.
    pub name: String,
    /// The site at whose frontal it is; otherwise links of its name lead to it.
    pub at: Option<String>,
    /// How it chooses a site.
    pub rule: SiteRule,
    /// The sites that it may choose; all unless said.
    pub sites: Option<Vec<String>>,
    /// What its random choices begin from.
    #[serde(default)]
    pub seed: u64,
    /// Whether it knows how long its tasks run.
    #[serde(default)]
    pub knows_run_times: bool,
    /// A table of its tasks.
    pub workload: Option<String>,
    /// Or drawn tasks.
    pub drawn: Option<DrawnSection>,
    /// Or tasks written here.
    #[serde(default)]
    pub tasks: Vec<TaskSection>,
}

/// A task.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSection {
    /// Its name; its number where none is said.
    pub name: Option<String>,
    /// When it is submitted.
    pub submission_time_s: f64,
    /// Machines that it takes.
    pub nodes: u32,
    /// How long it computes on machines of speed 1.
    pub run_time_s: f64,
    /// After how long it is killed there.
    pub walltime_s: Option<f64>,
    /// Data that it needs.
    #[serde(default)]
    pub input_bytes: f64,
    /// Data that it makes.
    #[serde(default)]
    pub output_bytes: f64,
    /// Its priority queue.
    #[serde(default)]
    pub queue: u32,
}

/// Tasks by Simbatch's laws (section 4.1), with its numbers unless others are said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnSection {
    /// The number of tasks.
    pub count: u32,
    /// What they are drawn from.
    #[serde(default)]
    pub seed: u64,
    /// The mean of a Poisson law of whole seconds between submissions.
    #[serde(default = "mean_gap")]
    pub mean_gap_s: f64,
    /// The least and most nodes.
    #[serde(default = "nodes")]
    pub nodes: [u32; 2],
    /// The shortest and longest time, in whole seconds.
    #[serde(default = "run_times")]
    pub run_time_s: [u32; 2],
    /// The least and most that a walltime is of the time.
    #[serde(default = "factors")]
    pub walltime_factor: [f64; 2],
    /// Files of which one is a task's input; none unless said.
    #[serde(default)]
    pub input_bytes: Vec<f64>,
    /// Files of which one is a task's output; none unless said.
    #[serde(default)]
    pub output_bytes: Vec<f64>,
    /// Priority queues of which a task is put into one.
    #[serde(default = "one")]
    pub queues: u32,
}

fn frontal() -> String {
    "frontal".to_owned()
}

const fn one() -> u32 {
    1
}

const fn unit() -> f64 {
    1.0
}

const fn mean_gap() -> f64 {
    300.0
}

const fn nodes() -> [u32; 2] {
    [1, 7]
}

const fn run_times() -> [u32; 2] {
    [600, 1800]
}

const fn factors() -> [f64; 2] {
    [1.1, 3.0]
}

impl SiteSection {
    /// The network of machines of which nothing else is known, with a frontal if none is written.
    pub fn network_with_frontal(&self) -> Option<NetworkSection> {
        let mut section = self.network.clone()?;
        add_frontal(&mut section, &self.frontal);
        Some(section)
    }
}

/// Adds a frontal whose link is never scarce where a network has none.
pub(super) fn add_frontal(section: &mut NetworkSection, name: &str) {
    if section.storages.iter().all(|storage| storage.name != name) {
        let name = name.to_owned();
        section.storages.push(StorageSection { name, bandwidth_bytes_per_s: None, latency_s: 0.0 });
    }
}

impl TaskSection {
    /// The task, the how manieth of its client.
    pub fn task(&self, number: usize) -> SiteTask {
        let time = |seconds| Time::from_seconds_f64(seconds).unwrap_or(Time::FOREVER);
        SiteTask {
            name: self.name.clone().unwrap_or_else(|| number.to_string()).into(),
            submitted: time(self.submission_time_s),
            nodes: self.nodes,
            run_time: time(self.run_time_s),
            walltime: self.walltime_s.map(time),
            input_bytes: self.input_bytes,
            output_bytes: self.output_bytes,
            queue: self.queue,
        }
    }
}
