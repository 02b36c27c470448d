//! From a trace's lines to jobs in the order of submission.
//!
//! The normalisation lets every simulator see the same jobs: processors are those requested
//! (field 8), else those allocated (field 5); the walltime is the time requested (field 9), else the
//! run time; the run time is clipped to the walltime. Jobs are dropped, and counted by the first of
//! these reasons that holds: no run time above nothing, no processors, more processors than
//! machines, a submission before the trace's start. Times count from the first submission that is
//! left; jobs come by submission, then by number.
//!
//! The utilisation of a job's machines is its processor time (field 6) over its run time (field 4), at most
//! 1, where the trace has both.
//!
//! A raw reading changes nothing: no job is dropped (those that cannot be played ask for no machine
//! and are refused by the kernel), times are the trace's, jobs of one instant stay in its order, and
//! only a requested time kills.
//!
//! Traces are nearly sorted: jobs go through a window of [`WINDOW`], so that memory does not grow
//! with the trace. A trace with more disorder is an error of its own, for which the caller reads it
//! again, whole.

mod record;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::BufRead;

use serde::Serialize;
use swf::{Header, Reader, SwfError};

use super::lines::Lines;
use crate::job::{Job, JobId};
use crate::time::Time;

pub(crate) use record::job as job_of_record;

/// So many jobs later in the trace, one may have been submitted earlier.
pub const WINDOW: usize = 4096;

/// How a trace is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkloadReading {
    /// Jobs of more processors are dropped.
    pub machines: u32,
    /// Whether the trace is left as it is.
    pub raw: bool,
    /// Whether all of it is held in memory, for any disorder.
    pub whole: bool,
    /// Whether jobs may share an id: they are jobs of their own.
    pub duplicates: bool,
}

/// What became of a trace's jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cleaning {
    /// Jobs in the trace.
    pub jobs_read: u64,
    /// Jobs of these that are played.
    pub jobs_kept: u64,
    /// Dropped: run time unknown or nothing.
    pub dropped_no_run_time: u64,
    /// Dropped: processors unknown.
    pub dropped_no_processors: u64,
    /// Dropped: more processors than there are machines.
    pub dropped_too_large: u64,
    /// Dropped: submitted before the trace's start.
    pub dropped_negative_submission: u64,
    /// Kept, with a run time clipped to the requested time.
    pub clipped_to_requested_time: u64,
}

/// Why a workload cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The text is no trace.
    #[error(transparent)]
    Swf(#[from] SwfError),
    /// A number beyond what can be simulated.
    #[error("line {line}: {what} is beyond what can be simulated")]
    Beyond {
        /// The line of the trace, from 1.
        line: u64,
        /// The number, in words.
        what: &'static str,
    },
    /// Two jobs with one number.
    #[error(
        "line {line}: there is a job {number} on line {earlier} already (--keep-duplicates plays both)"
    )]
    Duplicate {
        /// The line of the second job, from 1.
        line: u64,
        /// The line of the first job.
        earlier: u64,
        /// The number of both.
        number: i64,
    },
    /// A job more than the window too late: the trace must be read whole.
    #[error(
        "line {line}: the job was submitted before jobs that stand more than {WINDOW} lines above"
    )]
    Disordered {
        /// The line of the job, from 1.
        line: u64,
    },
}

/// The jobs of a trace.
#[derive(Debug)]
pub struct Jobs<R> {
    reader: Reader<R>,
    reading: WorkloadReading,
    cleaning: Cleaning,
    /// By submission and number, with their lines; raw: by submission, as they came.
    window: VecDeque<Job>,
    ended: bool,
    /// The job that left the window last.
    last: Option<(Time, JobId)>,
    origin: Option<Time>,
    lines: Lines,
}

impl<R: BufRead> Jobs<R> {
    /// The jobs of `source`.
    pub fn new(source: R, reading: WorkloadReading) -> Self {
        let origin = reading.raw.then_some(Time::ZERO);
        Self {
            reader: Reader::new(source),
            reading,
            cleaning: Cleaning::default(),
            window: VecDeque::new(),
            ended: false,
            last: None,
            origin,
            lines: Lines::default(),
        }
    }

    /// When in the trace's time the first job was submitted, from which times count; once there was one.
    pub const fn origin(&self) -> Option<Time> {
        self.origin
    }

    /// Reads the first jobs; whether there are any, and [`Jobs::origin`] is known.
    ///
    /// # Errors
    /// The first lines cannot be read as jobs.
    pub fn begin(&mut self) -> Result<bool, WorkloadError> {
        self.fill()?;
        let Some(first) = self.window.front() else { return Ok(false) };
        self.origin.get_or_insert(first.submitted);
        Ok(true)
    }

    /// What became of the jobs read so far.
    pub const fn cleaning(&self) -> Cleaning {
        self.cleaning
    }

    /// The header read so far.
    pub const fn header(&self) -> &Header {
        self.reader.header()
    }

    fn fill(&mut self) -> Result<(), WorkloadError> {
        while !self.ended && (self.reading.whole || self.window.len() <= WINDOW) {
            let Some(record) = self.reader.next_record()? else {
                self.ended = true;
                break;
            };
            self.cleaning.jobs_read += 1;
            if let Some(job) = record::job(&record, self.reading, &mut self.cleaning)? {
                self.cleaning.jobs_kept += 1;
                self.note(&job, record.line)?;
                self.queue(job, record.line)?;
            }
        }
        if self.reading.whole && self.last.is_none() {
            let jobs = self.window.make_contiguous();
            if self.reading.raw {
                jobs.sort_by_key(|job| job.submitted);
            } else {
                jobs.sort_by(|a, b| (a.submitted, &a.id).cmp(&(b.submitted, &b.id)));
            }
        }
        Ok(())
    }

    /// Notes on which line a job is.
    fn note(&mut self, job: &Job, line: u64) -> Result<(), WorkloadError> {
        let JobId::Number(number) = job.id else { return Ok(()) };
        let earlier = if self.reading.duplicates { None } else { self.lines.insert(number, line) };
        earlier.map_or(Ok(()), |earlier| Err(WorkloadError::Duplicate { line, earlier, number }))
    }

    /// Puts a job at its place in the window.
    fn queue(&mut self, job: Job, line: u64) -> Result<(), WorkloadError> {
        if self.reading.whole {
            self.window.push_back(job);
            return Ok(());
        }
        let raw = self.reading.raw;
        let late = |(submitted, id): &(Time, JobId)| {
            job.submitted < *submitted || (!raw && job.submitted == *submitted && job.id < *id)
        };
        if self.last.as_ref().is_some_and(late) {
            return Err(WorkloadError::Disordered { line });
        }
        let after = |other: &Job| {
            other.submitted > job.submitted
                || (!raw && other.submitted == job.submitted && other.id > job.id)
        };
        let later = self.window.iter().rev().take_while(|other| after(other)).count();
        self.window.insert(self.window.len() - later, job);
        Ok(())
    }
}

impl<R: BufRead> Iterator for Jobs<R> {
    type Item = Result<Job, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            self.ended = true;
            self.window.clear();
            return Some(Err(error));
        }
        let mut job = self.window.pop_front()?;
        self.last = Some((job.submitted, job.id.clone()));
        job.submitted = job.submitted - *self.origin.get_or_insert(job.submitted);
        Some(Ok(job))
    }
}
