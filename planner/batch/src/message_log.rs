//! The log of another simulator's messages, to be replayed: which events it told its scheduler together.
//!
//! Where a simulator splits an instant into several messages, its scheduler decides on less, and
//! places jobs otherwise. A table with the columns `time`, `ended` and `submitted`: a row for each
//! message, the ids of jobs between spaces.

use std::collections::HashMap;
use std::io::Read;

use crate::job::{Job, JobId};
use crate::scheduler::JobKey;
use crate::time::Time;

/// A message of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedMessage {
    /// Where it stands in the table, from 1.
    pub line: u64,
    /// When it was sent.
    pub time: Time,
    /// The jobs that ended, in its order.
    pub ended: Vec<JobId>,
    /// The jobs that were submitted, in its order.
    pub submitted: Vec<JobId>,
}

/// Why a table of messages cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum MessageLogError {
    /// The log is no such table.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// A message has no time.
    #[error("line {line}: {text:?} is not a time in seconds")]
    Time {
        /// The line of the log, from 1.
        line: u64,
        /// What stands in place of the time.
        text: String,
    },
    /// A message contradicts the simulation.
    #[error("line {line}: {what}")]
    Contradiction {
        /// The line of the log, from 1.
        line: u64,
        /// What contradicts the simulation.
        what: String,
    },
}

impl LoggedMessage {
    pub(crate) fn contradiction(&self, what: String) -> MessageLogError {
        MessageLogError::Contradiction { line: self.line, what }
    }
}

/// Reads a log, message by message.
pub fn read_messages(
    source: impl Read,
) -> impl Iterator<Item = Result<LoggedMessage, MessageLogError>> {
    csv::Reader::from_reader(source).into_records().map(|record| {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        let text = record.get(0).unwrap_or_default();
        let time = Time::parse_seconds(text);
        let time = time.ok_or_else(|| MessageLogError::Time { line, text: text.to_owned() })?;
        let ids = |column| record.get(column).unwrap_or_default().split(' ').filter_map(id);
        Ok(LoggedMessage { line, time, ended: ids(1).collect(), submitted: ids(2).collect() })
    })
}

fn id(text: &str) -> Option<JobId> {
    let number = || text.parse().ok().map(JobId::Number);
    (!text.is_empty()).then(|| number().unwrap_or_else(|| JobId::Name(text.into())))
}

/// Jobs by id while messages may name them.
#[derive(Debug, Default)]
pub(crate) struct JobsByName {
    running: HashMap<JobId, JobKey>,
    announced: HashMap<JobId, Job>,
}

impl JobsByName {
    pub(crate) fn started(&mut self, id: JobId, key: JobKey) {
        self.running.insert(id, key);
    }

    pub(crate) fn ended(&mut self, id: &JobId) -> Option<JobKey> {
        self.running.remove(id)
    }

    pub(crate) fn announce(&mut self, job: Job) {
        self.announced.insert(job.id.clone(), job);
    }

    pub(crate) fn submitted(&mut self, id: &JobId) -> Option<Job> {
        self.announced.remove(id)
    }

    /// An announced job that no message has submitted.
    pub(crate) fn forgotten(&self) -> Option<&Job> {
        self.announced.values().min_by_key(|job| job.submitted)
    }
}
