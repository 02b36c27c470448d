//! A workload that is played: a trace read line by line, a document read whole, or jobs in memory.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use planner::time::Timestamp;
use serde::Deserialize;

use super::json::{FilesBeside, JsonWorkloadError, read_json};
use super::normalise::{Cleaning, Jobs, WorkloadError, WorkloadReading};
use crate::communication::MachineNetwork;
use crate::job::Job;
use crate::platform::Platform;

/// The most machines that a workload may say that there are.
const MOST_MACHINES: u32 = 10_000_000;

/// A source of the text of a workload.
type Source = Box<dyn BufRead>;

/// The jobs of a workload, in the order of their submission.
pub enum Workload {
    /// A trace, read as it is played.
    Trace(Jobs<Source>),
    /// A document, read whole.
    Document {
        /// Jobs that are left to be played.
        jobs: std::vec::IntoIter<Job>,
        /// What became of the jobs of the document.
        cleaning: Cleaning,
        /// Jobs whose communication takes no time here.
        jobs_communicating: u64,
        /// Whether it was, or would be, played otherwise over a network.
        needs_network: bool,
    },
    /// Jobs in memory that several simulations play.
    Shared {
        /// The jobs.
        jobs: Arc<JobsInMemory>,
        /// Which of them is the next.
        next: usize,
        /// Once this is set, no further job comes.
        stopped: Arc<AtomicBool>,
    },
}

/// All jobs of a workload.
#[derive(Clone, Debug)]
pub struct JobsInMemory {
    /// The jobs in the order of their submission.
    pub jobs: Vec<Job>,
    /// What became of the workload's jobs.
    pub cleaning: Cleaning,
    /// Jobs whose communication takes no time here.
    pub jobs_communicating: u64,
    /// Whether machines compute that a job only occupies, as [`Workload::delays_compute`] says.
    pub delays_compute: bool,
}

/// Why there is no workload to play.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadSourceError {
    /// The source failed.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The document is no workload.
    #[error(transparent)]
    Document(#[from] JsonWorkloadError),
    /// The document does not tell its machines.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The trace is none.
    #[error(transparent)]
    Trace(#[from] WorkloadError),
    /// Parts of a profile differ between machines, and machines differ in their speeds.
    #[error(
        "profile {0:?} computes more on some machines than on others: that needs a platform whose machines \
         are equally fast"
    )]
    Uneven(Arc<str>),
    /// Parts of a profile draw differently, and it is known what machines draw.
    #[error(
        "the parts of profile {0:?} draw differently: let it say its utilisation, from 0 to 1, or leave the \
         powers out of the platform"
    )]
    Mixed(Arc<str>),
    /// The workload has no job that can be played.
    #[error("{}", nothing(.0))]
    Empty(Box<Cleaning>),
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

/// Whether the text that begins so is a document; otherwise it is a trace.
fn is_document(start: &[u8]) -> bool {
    start.trim_ascii_start().starts_with(b"{")
}

/// How many machines a workload says that there are, and under which key.
///
/// # Errors
/// A source that fails; what is no workload.
pub fn machines_said(
    mut source: impl BufRead,
) -> Result<Option<(u32, &'static str)>, WorkloadSourceError> {
    #[derive(Deserialize)]
    struct Size {
        nb_res: Option<u32>,
    }
    if is_document(source.fill_buf()?) {
        let size: Size = serde_json::from_reader(source)?;
        let machines = size.nb_res.filter(|machines| *machines > 0);
        return Ok(machines.map(|machines| (machines, "nb_res")));
    }
    let mut reader = swf::Reader::new(source);
    reader.next_record().map_err(WorkloadError::from)?;
    let said = |key| Some((reader.header().number(key)?.try_into().ok()?, key));
    let found = ["MaxProcs", "MaxNodes"].into_iter().find_map(said);
    Ok(found.filter(|(machines, _)| *machines <= MOST_MACHINES))
}

impl Workload {
    /// Opens the workload in a text that `platform` can play, over its network where there is one, with the files that it
    /// names.
    ///
    /// # Errors
    /// A source that fails; a document that is no workload, or that the platform cannot play.
    pub fn open(
        mut source: Source,
        reading: WorkloadReading,
        platform: &Platform,
        network: Option<&MachineNetwork>,
        files: FilesBeside<'_>,
    ) -> Result<Self, WorkloadSourceError> {
        if !is_document(source.fill_buf()?) {
            return Ok(Self::Trace(Jobs::new(source, reading)));
        }
        let mut text = Vec::new();
        source.read_to_end(&mut text)?;
        let read = read_json(&text, reading, network, files)?;
        if let Some(profile) = read.uneven.filter(|_| !platform.one_speed()) {
            return Err(WorkloadSourceError::Uneven(profile));
        }
        if let Some(profile) = read.mixed.filter(|_| platform.has_draws()) {
            return Err(WorkloadSourceError::Mixed(profile));
        }
        let (jobs, cleaning) = (read.jobs.into_iter(), read.cleaning);
        let (jobs_communicating, needs_network) = (read.jobs_communicating, read.needs_network);
        Ok(Self::Document { jobs, cleaning, jobs_communicating, needs_network })
    }

    /// The jobs in memory, until `stopped` is set.
    pub const fn shared(jobs: Arc<JobsInMemory>, stopped: Arc<AtomicBool>) -> Self {
        Self::Shared { jobs, next: 0, stopped }
    }

    /// Reads the first jobs. When the simulation's time begins by the clock, where the workload tells.
    ///
    /// # Errors
    /// The first lines are no trace.
    pub fn begin(&mut self) -> Result<Option<Timestamp>, WorkloadError> {
        let Self::Trace(jobs) = self else { return Ok(None) };
        jobs.begin()?;
        let start =
            jobs.header().number("UnixStartTime").and_then(|start| i64::try_from(start).ok());
        let later = jobs.origin().map_or(0, |origin| origin.as_micros().div_euclid(1_000_000));
        Ok(start.map(|start| Timestamp::from_unix_seconds(start + later)))
    }

    /// Checks that there is a job to play, after [`Workload::begin`].
    ///
    /// # Errors
    /// There is none.
    pub fn check_jobs(&self) -> Result<(), WorkloadSourceError> {
        let empty = match self {
            Self::Trace(jobs) => jobs.cleaning().jobs_kept == 0,
            Self::Document { jobs, .. } => jobs.as_slice().is_empty(),
            Self::Shared { jobs, .. } => jobs.jobs.is_empty(),
        };
        if empty { Err(WorkloadSourceError::Empty(Box::new(self.cleaning()))) } else { Ok(()) }
    }

    /// Whether machines compute that a job only occupies, unless options say it: a trace does not tell
    /// what its jobs do, a document does.
    pub fn delays_compute(&self) -> bool {
        match self {
            Self::Trace(_) => true,
            Self::Document { .. } => false,
            Self::Shared { jobs, .. } => jobs.delays_compute,
        }
    }

    /// Reads all jobs into memory.
    ///
    /// # Errors
    /// The workload cannot be read; no job of it can be played.
    pub fn read_all(&mut self) -> Result<JobsInMemory, WorkloadSourceError> {
        let jobs = self.by_ref().collect::<Result<Vec<Job>, WorkloadError>>()?;
        if jobs.is_empty() {
            return Err(WorkloadSourceError::Empty(Box::new(self.cleaning())));
        }
        Ok(JobsInMemory {
            jobs,
            cleaning: self.cleaning(),
            jobs_communicating: self.jobs_communicating(),
            delays_compute: self.delays_compute(),
        })
    }

    /// What a trace's header says: keys and values.
    pub fn header(&self) -> &[(String, String)] {
        match self {
            Self::Trace(jobs) => jobs.header().entries(),
            Self::Document { .. } | Self::Shared { .. } => &[],
        }
    }

    /// What became of the workload's jobs so far.
    pub fn cleaning(&self) -> Cleaning {
        match self {
            Self::Trace(jobs) => jobs.cleaning(),
            Self::Document { cleaning, .. } => *cleaning,
            Self::Shared { jobs, .. } => jobs.cleaning,
        }
    }

    /// Whether it was, or would be, played otherwise over a network.
    pub const fn needs_network(&self) -> bool {
        matches!(self, Self::Document { needs_network: true, .. })
    }

    /// Jobs whose communication takes no time here.
    pub fn jobs_communicating(&self) -> u64 {
        match self {
            Self::Trace(_) => 0,
            Self::Document { jobs_communicating, .. } => *jobs_communicating,
            Self::Shared { jobs, .. } => jobs.jobs_communicating,
        }
    }
}

impl Iterator for Workload {
    type Item = Result<Job, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Trace(jobs) => jobs.next(),
            Self::Document { jobs, .. } => jobs.next().map(Ok),
            Self::Shared { jobs, next, stopped } => {
                let job = jobs.jobs.get(*next).filter(|_| !stopped.load(Ordering::Relaxed))?;
                *next += 1;
                Some(Ok(job.clone()))
            }
        }
    }
}
