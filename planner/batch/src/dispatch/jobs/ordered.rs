//! Jobs of rows in the order of submission. Rows may be in disorder within [`WINDOW`] of them, so that memory does not grow
//! with the source.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{UnitJob, UnitJobError};
use crate::job::JobId;
use crate::time::Time;

/// So many jobs later in a source, one may have been submitted earlier.
pub const WINDOW: usize = 4096;

/// A source of jobs, row by row.
pub trait JobRows {
    /// The next row that is a job, and its line from 1. What is dropped or noted on the way goes to `read`.
    ///
    /// # Errors
    /// A row that cannot be read, with its line.
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError>;
}

impl<S: JobRows + ?Sized> JobRows for Box<S> {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        (**self).next_job(read)
    }
}

/// What became of the rows of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JobsRead {
    /// Rows that describe jobs.
    pub rows: u64,
    /// Jobs of these that are played.
    pub jobs: u64,
    /// Rows without a job, by reason.
    pub dropped: Vec<RowsTold>,
    /// Rows of whose jobs something is not played as it stands there.
    pub noted: Vec<RowsTold>,
}

/// Rows that have something in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowsTold {
    /// What it is.
    pub what: String,
    /// How many rows.
    pub rows: u64,
    /// The line of the first, from 1.
    pub first_line: u64,
}

impl JobsRead {
    /// Counts a row without a job.
    pub fn drop_row(&mut self, line: u64, why: &str) {
        count(&mut self.dropped, line, why);
    }

    /// Counts a row of whose job something is not played.
    pub fn note(&mut self, line: u64, what: &str) {
        count(&mut self.noted, line, what);
    }
}

fn count(all: &mut Vec<RowsTold>, line: u64, what: &str) {
    match all.iter_mut().find(|it| it.what == what) {
        Some(told) => told.rows += 1,
        None => all.push(RowsTold { what: what.to_owned(), rows: 1, first_line: line }),
    }
}

/// The jobs of rows by submission, then by number. Times count from the first.
#[derive(Debug)]
pub struct JobsInOrder<S> {
    rows: S,
    read: JobsRead,
    /// By submission, number and line.
    window: BTreeMap<(Time, JobId, u64), UnitJob>,
    last: Option<(Time, JobId)>,
    origin: Option<Time>,
    ended: bool,
}

impl<S: JobRows> JobsInOrder<S> {
    /// The jobs of `rows`.
    pub fn new(rows: S) -> Self {
        let (read, window) = (JobsRead::default(), BTreeMap::new());
        Self { rows, read, window, last: None, origin: None, ended: false }
    }

    /// What became of the rows read so far.
    pub const fn read(&self) -> &JobsRead {
        &self.read
    }

    /// Where rows come from.
    pub const fn rows(&self) -> &S {
        &self.rows
    }

    fn fill(&mut self) -> Result<(), UnitJobError> {
        while !self.ended && self.window.len() <= WINDOW {
            let Some((line, job)) = self.rows.next_job(&mut self.read)? else {
                self.ended = true;
                break;
            };
            self.read.jobs += 1;
            let place = (job.submitted, job.id.clone());
            if self.last.as_ref().is_some_and(|last| place < *last) {
                return Err(UnitJobError::Disordered { line });
            }
            self.window.insert((place.0, place.1, line), job);
        }
        Ok(())
    }
}

impl<S: JobRows> Iterator for JobsInOrder<S> {
    type Item = Result<UnitJob, UnitJobError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            self.ended = true;
            self.window.clear();
            return Some(Err(error));
        }
        let ((submitted, id, _), mut job) = self.window.pop_first()?;
        self.last = Some((submitted, id));
        let origin = *self.origin.get_or_insert(submitted);
        job.submitted = submitted - origin;
        job.latest_start = job.latest_start.map(|latest| latest - origin);
        Some(Ok(job))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dispatch::unit::UnitRequest;

    /// Jobs submitted at these seconds, each on the line of its place.
    struct At(std::vec::IntoIter<(u64, i64)>);

    impl At {
        fn jobs(seconds: &[i64]) -> JobsInOrder<Self> {
            let lines: Vec<(u64, i64)> = (1..).zip(seconds.iter().copied()).collect();
            JobsInOrder::new(Self(lines.into_iter()))
        }
    }

    impl JobRows for At {
        fn next_job(
            &mut self,
            read: &mut JobsRead,
        ) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
            let Some((line, at)) = self.0.next() else { return Ok(None) };
            read.rows += 1;
            let job = UnitJob {
                id: JobId::Number(i64::try_from(line).unwrap()),
                submitted: Time::from_seconds(at),
                run: Time::from_seconds(1),
                walltime: None,
                user: "".into(),
                queue: "".into(),
                name: "".into(),
                units: 1,
                unit: UnitRequest::of(&[1], 1),
                energy: None,
                latest_start: None,
            };
            Ok(Some((line, job)))
        }
    }

    proptest! {
        /// Whatever the disorder within the window, jobs come as if all were sorted by submission and number, and
        /// count from the first.
        #[test]
        fn disorder_within_the_window_is_sorted(seconds in prop::collection::vec(-50_i64..50, 1..200)) {
            let mut sorted: Vec<(i64, i64)> = seconds.iter().copied().zip(1..).collect();
            sorted.sort_unstable();
            let first = sorted[0].0;
            let jobs = At::jobs(&seconds).map(Result::unwrap);
            let read: Vec<(Time, JobId)> = jobs.map(|job| (job.submitted, job.id)).collect();
            let expected: Vec<(Time, JobId)> = sorted
                .into_iter()
                .map(|(at, number)| (Time::from_seconds(at - first), JobId::Number(number)))
                .collect();
            prop_assert_eq!(read, expected);
        }
    }

    /// A job submitted at 0 on the last of 4,098 lines would have to go before the first, which has left the window.
    #[test]
    fn more_disorder_is_an_error_with_its_line() {
        let mut seconds = vec![1; WINDOW + 1];
        seconds.push(0);
        let last = At::jobs(&seconds).last().unwrap().unwrap_err().to_string();
        assert!(last.starts_with("line 4098: the job was submitted before jobs"), "{last}");
    }
}
