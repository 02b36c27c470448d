//! Platforms and workloads from files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batch::job::Job;
use batch::platform::{KnownMachine, Machine, Platform, PlatformDocument, PlatformError, read_xml};
use batch::workload::{Cleaning, Jobs, Reading, WorkloadError, read_json};
use planner::time::Timestamp;
use serde::Deserialize;

use super::files::{bad_input, open, open_unseen};
use super::nodes::{self, Services};
use crate::cli::Failure;

/// The first `machines` machines of a platform file or of a service, or machines of which nothing is known.
pub fn platform(
    file: Option<&Path>,
    machines: Option<u32>,
    services: Services<'_>,
) -> Result<Platform, Failure> {
    let Some(file) = file else { return Ok(Platform::of_machines(machines.unwrap_or(1))) };
    let mut listed = listed(file, services)?;
    if let Some(asked) = machines {
        let there = u32::try_from(listed.len()).unwrap_or(u32::MAX);
        if asked > there {
            return Err(bad_input(file, PlatformError::Few { asked, there }));
        }
        listed.truncate(asked as usize);
    }
    Platform::new(&listed).map_err(|error| bad_input(file, error))
}

/// The machines of a platform: `SimGrid`'s XML, our own document, or nodes of a service.
fn listed(file: &Path, services: Services<'_>) -> Result<Vec<Machine>, Failure> {
    let machines =
        |known: Vec<KnownMachine>| known.into_iter().map(KnownMachine::machine).collect();
    if let Some(url) = file.to_str().filter(|name| nodes::is_url(name)) {
        return nodes::read(url, Path::new(""), services).map(machines);
    }
    let mut text = String::new();
    open(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
    let first = text.trim_start();
    let header = first.lines().next().unwrap_or_default();
    let table = header.contains("idle_power_w") && header.contains(',') && !header.contains('=');
    let list = first.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    if first.starts_with('<') {
        read_xml(&text).map_err(|error| bad_input(file, error))
    } else if first.starts_with('{') || list || table {
        nodes::parse(file, &text).map(machines)
    } else {
        read_toml(file, &text, services)
    }
}

fn read_toml(file: &Path, text: &str, services: Services<'_>) -> Result<Vec<Machine>, Failure> {
    let document: PlatformDocument =
        toml::from_str(text).map_err(|error| bad_input(file, error))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut known = BTreeMap::new();
    for source in document.machines.iter().filter_map(|class| class.nodes.as_ref()) {
        known.insert(source.clone(), nodes::read(source, folder, services)?);
    }
    document.machines(&known).map_err(|error| bad_input(file, error))
}

/// The files of nodes that a platform file names, where it does.
pub fn files_of_nodes(file: &Path) -> Vec<PathBuf> {
    let document = fs::read_to_string(file).ok().and_then(|text| toml::from_str(&text).ok());
    let Some(PlatformDocument { machines }) = document else { return Vec::new() };
    let folder = file.parent().unwrap_or(Path::new(""));
    machines.iter().filter_map(|class| Some(folder.join(class.nodes.as_ref()?))).collect()
}

/// How many machines a workload says that there are, and where.
pub fn machines_of(file: &Path) -> Result<Option<(u32, &'static str)>, Failure> {
    #[derive(Deserialize)]
    struct Size {
        nb_res: Option<u32>,
    }
    if !file.is_file() {
        // What can be read only once.
        return Ok(None);
    }
    let mut source = open_unseen(file)?;
    let start = source.fill_buf().map_err(|error| bad_input(file, error))?;
    if start.trim_ascii_start().starts_with(b"{") {
        let size: Size = serde_json::from_reader(source).map_err(|error| bad_input(file, error))?;
        return Ok(size
            .nb_res
            .filter(|machines| *machines > 0)
            .map(|machines| (machines, "nb_res")));
    }
    let mut reader = swf::Reader::new(source);
    reader.next_record().map_err(|error| bad_input(file, error))?;
    let said = |key| Some((reader.header().number(key)?.try_into().ok()?, key));
    Ok(["MaxProcs", "MaxNodes"]
        .into_iter()
        .find_map(said)
        .filter(|(machines, _)| *machines <= 10_000_000))
}

/// What is wrong with a workload of which no job is played.
fn nothing(cleaning: &Cleaning) -> String {
    let Cleaning { jobs_read, .. } = *cleaning;
    if jobs_read == 0 {
        return "there is no job in it".to_owned();
    }
    let reasons = [
        (cleaning.dropped_no_run_time, "have no run time"),
        (cleaning.dropped_no_processors, "ask for no processor"),
        (cleaning.dropped_too_large, "ask for more processors than there are machines"),
        (cleaning.dropped_negative_submission, "were submitted before the trace begins"),
    ];
    let told = reasons.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, why)| format!("{count} {why}")).collect();
    format!("none of its {jobs_read} jobs can be played: {}", told.join(", "))
}

/// The jobs of a workload file.
pub enum Workload {
    /// A trace, read as it is played.
    Trace(Jobs<Box<dyn BufRead>>),
    /// A document, read whole.
    Document {
        jobs: std::vec::IntoIter<Job>,
        cleaning: Cleaning,
        /// Jobs whose communication takes no time here.
        jobs_communicating: u64,
    },
    /// Jobs that several simulations play.
    Held {
        held: Arc<Held>,
        next: usize,
        /// When this is set, no further job comes.
        stopped: Arc<AtomicBool>,
    },
}

/// A workload in memory.
pub struct Held {
    pub jobs: Vec<Job>,
    pub cleaning: Cleaning,
    pub jobs_communicating: u64,
    pub delays_compute: bool,
}

impl Workload {
    /// Opens a workload that `platform` can play.
    pub fn open(file: &Path, reading: Reading, platform: &Platform) -> Result<Self, Failure> {
        Self::read_from(open(file)?, file, reading, platform)
    }

    /// As [`Workload::open`], from what `file` holds.
    pub fn read_from(
        mut source: Box<dyn BufRead>,
        file: &Path,
        reading: Reading,
        platform: &Platform,
    ) -> Result<Self, Failure> {
        let start = source.fill_buf().map_err(|error| bad_input(file, error))?;
        if !start.trim_ascii_start().starts_with(b"{") {
            return Ok(Self::Trace(Jobs::new(source, reading)));
        }
        let mut text = Vec::new();
        source.read_to_end(&mut text).map_err(|error| bad_input(file, error))?;
        let read = read_json(&text, reading).map_err(|error| bad_input(file, error))?;
        if let Some(profile) = read.uneven.filter(|_| !platform.one_speed()) {
            let what = format!(
                "profile {profile:?} computes more on some machines than on others: that needs a \
                 platform whose machines are equally fast"
            );
            return Err(bad_input(file, what));
        }
        if let Some(profile) = read.mixed.filter(|_| platform.has_draws()) {
            let what = format!(
                "the parts of profile {profile:?} draw differently: let it say its utilisation, from 0 to 1, \
                 or leave the powers out of the platform"
            );
            return Err(bad_input(file, what));
        }
        let (jobs, cleaning) = (read.jobs.into_iter(), read.cleaning);
        Ok(Self::Document { jobs, cleaning, jobs_communicating: read.jobs_communicating })
    }

    /// Reads the first jobs. When the simulation's time begins by the clock, where the workload tells.
    pub fn begin(&mut self) -> Result<Option<Timestamp>, WorkloadError> {
        let Self::Trace(jobs) = self else { return Ok(None) };
        jobs.begin()?;
        let start =
            jobs.header().number("UnixStartTime").and_then(|start| i64::try_from(start).ok());
        let later = jobs.origin().map_or(0, |origin| origin.as_micros().div_euclid(1_000_000));
        Ok(start.map(|start| Timestamp::from_unix_seconds(start + later)))
    }

    /// That there is a job to play, after [`Workload::begin`].
    pub fn has_jobs(&self, file: &Path) -> Result<(), Failure> {
        let empty = match self {
            Self::Trace(jobs) => jobs.cleaning().jobs_kept == 0,
            Self::Document { jobs, .. } => jobs.as_slice().is_empty(),
            Self::Held { held, .. } => held.jobs.is_empty(),
        };
        if empty { Err(bad_input(file, nothing(&self.cleaning()))) } else { Ok(()) }
    }

    /// Whether machines compute that a job only occupies, unless it is said: a trace does not tell
    /// what its jobs do, a document does.
    pub fn delays_compute(&self) -> bool {
        match self {
            Self::Trace(_) => true,
            Self::Document { .. } => false,
            Self::Held { held, .. } => held.delays_compute,
        }
    }

    /// All of it, in memory.
    pub fn hold(mut self, file: &Path) -> Result<Held, Failure> {
        let jobs: Result<Vec<Job>, WorkloadError> = self.by_ref().collect();
        let jobs = jobs.map_err(|error| bad_input(file, error))?;
        if jobs.is_empty() {
            return Err(bad_input(file, nothing(&self.cleaning())));
        }
        Ok(Held {
            jobs,
            cleaning: self.cleaning(),
            jobs_communicating: self.jobs_communicating(),
            delays_compute: self.delays_compute(),
        })
    }

    /// All jobs of a workload, in order.
    pub fn read(
        file: &Path,
        machines: Option<u32>,
        raw: bool,
        duplicates: bool,
    ) -> Result<(Vec<Job>, Self), Failure> {
        let machines = machines.unwrap_or(u32::MAX);
        let reading = Reading { machines, raw, whole: true, duplicates };
        let mut workload = Self::open(file, reading, &Platform::of_machines(machines))?;
        let jobs: Result<Vec<Job>, WorkloadError> = workload.by_ref().collect();
        let jobs = jobs.map_err(|error| bad_input(file, error))?;
        if jobs.is_empty() {
            return Err(bad_input(file, nothing(&workload.cleaning())));
        }
        Ok((jobs, workload))
    }

    /// What a trace's header says: keys and values.
    pub fn header(&self) -> &[(String, String)] {
        match self {
            Self::Trace(jobs) => jobs.header().entries(),
            Self::Document { .. } | Self::Held { .. } => &[],
        }
    }

    /// What became of the jobs so far.
    pub fn cleaning(&self) -> Cleaning {
        match self {
            Self::Trace(jobs) => jobs.cleaning(),
            Self::Document { cleaning, .. } => *cleaning,
            Self::Held { held, .. } => held.cleaning,
        }
    }

    /// Jobs whose communication takes no time here.
    pub fn jobs_communicating(&self) -> u64 {
        match self {
            Self::Trace(_) => 0,
            Self::Document { jobs_communicating, .. } => *jobs_communicating,
            Self::Held { held, .. } => held.jobs_communicating,
        }
    }
}

impl Iterator for Workload {
    type Item = Result<Job, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Trace(jobs) => jobs.next(),
            Self::Document { jobs, .. } => jobs.next().map(Ok),
            Self::Held { held, next, stopped } => {
                let job = held.jobs.get(*next).filter(|_| !stopped.load(Ordering::Relaxed))?;
                *next += 1;
                Some(Ok(job.clone()))
            }
        }
    }
}
