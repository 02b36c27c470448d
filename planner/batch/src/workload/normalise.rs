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

use std::collections::VecDeque;
use std::io::BufRead;

use serde::Serialize;
use swf::{Field, Header, Reader, Record, SwfError};

use super::lines::Lines;
use crate::job::{Job, JobId, Utilisation, Work};
use crate::time::Time;

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
            if let Some(job) = self.job(&record)? {
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

    fn job(&mut self, record: &Record) -> Result<Option<Job>, WorkloadError> {
        let line = record.line;
        let time = |seconds: f64, what: &'static str| {
            Time::from_seconds_f64(seconds).ok_or(WorkloadError::Beyond { line, what })
        };
        let submitted = time(record.value(Field::SubmitS), "the submission")?;
        let processors =
            record.known(Field::RequestedProcessors).or(record.known(Field::AllocatedProcessors));
        let requested = record.known(Field::RequestedS);
        let requested = requested.map(|value| time(value, "the requested time")).transpose()?;
        let run = time(record.value(Field::RunS), "the run time")?;
        let nodes = processors.map(|value| {
            whole(value).ok_or(WorkloadError::Beyond { line, what: "the number of processors" })
        });
        let (nodes, id) = (nodes.transpose()?, id(record));
        if self.reading.raw {
            let playable = run >= Time::ZERO;
            let nodes = nodes.filter(|_| playable).unwrap_or(0);
            let work = Work::Delay(run.max(Time::ZERO));
            return Ok(Some(Job {
                id,
                profile: None,
                submitted,
                nodes,
                work,
                utilisation: utilisation(record),
                walltime: requested,
            }));
        }
        if run <= Time::ZERO {
            self.cleaning.dropped_no_run_time += 1;
            return Ok(None);
        }
        let Some(nodes) = nodes else {
            self.cleaning.dropped_no_processors += 1;
            return Ok(None);
        };
        if nodes > self.reading.machines {
            self.cleaning.dropped_too_large += 1;
            return Ok(None);
        }
        if submitted < Time::ZERO {
            self.cleaning.dropped_negative_submission += 1;
            return Ok(None);
        }
        let walltime = requested.unwrap_or(run);
        self.cleaning.clipped_to_requested_time += u64::from(run > walltime);
        let work = Work::Delay(run.min(walltime));
        let (utilisation, walltime) = (utilisation(record), Some(walltime));
        Ok(Some(Job { id, profile: None, submitted, nodes, work, utilisation, walltime }))
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

#[expect(clippy::cast_possible_truncation, reason = "numbers of jobs are whole")]
fn id(record: &Record) -> JobId {
    JobId::Number(record.value(Field::Job) as i64)
}

/// Processor time used (field 6) over run time (field 4), where both are known; at most 1.
fn utilisation(record: &Record) -> Option<Utilisation> {
    let (used, run) = (record.value(Field::AverageCpuS), record.known(Field::RunS)?);
    Utilisation::of((used / run).min(1.0))
}

/// Whole processors, fractions rounded up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by then")]
fn whole(processors: f64) -> Option<u32> {
    let processors = processors.ceil();
    (processors <= 1e9).then_some(processors as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
; MaxProcs: 8
7 1000 -1 50 2 -1 -1 -1 -1
3 900 -1 20 -1 -1 -1 3 10
2 900 -1 20.5 9 -1 -1 3 60
4 900 -1 0 -1 -1 -1 3 60
5 900 -1 9 -1 -1 -1 -1 60
6 900 -1 9 -1 -1 -1 9 60
1 -5 -1 9 -1 -1 -1 1 60
";

    fn read(raw: bool, whole: bool) -> (Vec<Job>, Cleaning) {
        let mut jobs = Jobs::new(
            TRACE.as_bytes(),
            WorkloadReading { machines: 8, raw, whole, duplicates: false },
        );
        let played = jobs.by_ref().map(Result::unwrap).collect();
        (played, jobs.cleaning())
    }

    /// The first submission that is left is job 2's and 3's at 900 s. Job 3 is clipped to 10 s; job 7 has
    /// field 5 for its processors and its run time for its walltime.
    #[test]
    fn the_normalisation_drops_clips_shifts_and_sorts() {
        for whole in [false, true] {
            let (jobs, cleaning) = read(false, whole);
            let of = |job: &Job| {
                let seconds = [job.submitted, job.work.time(1.0), job.walltime.unwrap()]
                    .map(Time::as_seconds);
                (job.id.clone(), job.nodes, seconds)
            };
            let number = JobId::Number;
            let expected = [
                (number(2), 3, [0.0, 20.5, 60.0]),
                (number(3), 3, [0.0, 10.0, 10.0]),
                (number(7), 2, [100.0, 50.0, 50.0]),
            ];
            assert_eq!(jobs.iter().map(of).collect::<Vec<_>>(), expected);
            let expected = Cleaning {
                jobs_read: 7,
                jobs_kept: 3,
                dropped_no_run_time: 1,
                dropped_no_processors: 1,
                dropped_too_large: 1,
                dropped_negative_submission: 1,
                clipped_to_requested_time: 1,
            };
            assert_eq!(cleaning, expected);
        }
    }

    /// 12.5 s of 50 s; more than all of it; none; unknown.
    #[test]
    fn processor_time_over_run_time_is_the_utilisation() {
        let trace =
            "1 0 -1 50 2 12.5\n2 0 -1 50 2 60\n3 0 -1 50 2 0\n4 0 -1 50 2 -1\n5 0 -1 50 2\n";
        for raw in [false, true] {
            let jobs = Jobs::new(
                trace.as_bytes(),
                WorkloadReading { machines: 8, raw, whole: false, duplicates: false },
            );
            let read: Vec<_> = jobs.map(|job| job.unwrap().utilisation).collect();
            let some = [0.25, 1.0, 0.0].map(Utilisation::of);
            assert_eq!((&read[..3], &read[3..]), (some.as_slice(), [None; 2].as_slice()));
        }
    }

    #[test]
    fn jobs_that_share_a_number_are_told_with_both_lines() {
        let trace = "; Version: 2.2\n7 0 -1 5 1\n8 1 -1 5 1\n7 2 -1 0 1\n7 3 -1 5 1\n";
        let reading = WorkloadReading { machines: 8, raw: false, whole: false, duplicates: false };
        for raw in [false, true] {
            let read: Result<Vec<Job>, _> =
                Jobs::new(trace.as_bytes(), WorkloadReading { raw, ..reading }).collect();
            // The one on line 4 does not run, so only a raw reading has it.
            let line = if raw { 4 } else { 5 };
            let expected = format!("line {line}: there is a job 7 on line 2 already");
            assert!(read.unwrap_err().to_string().starts_with(&expected));
        }
        let kept = Jobs::new(trace.as_bytes(), WorkloadReading { duplicates: true, ..reading });
        assert_eq!(kept.map(Result::unwrap).count(), 3);
    }

    #[test]
    fn a_raw_reading_leaves_everything() {
        let (jobs, cleaning) = read(true, false);
        let numbers: Vec<String> = jobs.iter().map(|job| job.id.to_string()).collect();
        assert_eq!(numbers, ["1", "3", "2", "4", "5", "6", "7"]);
        assert_eq!(jobs[0].submitted, Time::from_seconds(-5));
        assert_eq!(
            (jobs[1].work.time(1.0), jobs[1].walltime),
            (Time::from_seconds(20), Some(Time::from_seconds(10)))
        );
        assert_eq!((jobs[4].nodes, jobs[6].walltime), (0, None));
        assert_eq!((cleaning.jobs_read, cleaning.jobs_kept), (7, 7));
    }

    #[test]
    fn disorder_beyond_the_window_is_noticed_and_read_whole() {
        let line = |number| {
            format!(
                "{number} {} -1 1 1
",
                10 + number
            )
        };
        let mut trace: String = (0..6000).map(line).collect();
        trace.push_str("6000 0 -1 1 1\n");
        let reading = WorkloadReading { machines: 1, raw: false, whole: false, duplicates: false };
        let result: Result<Vec<Job>, _> = Jobs::new(trace.as_bytes(), reading).collect();
        assert!(matches!(result, Err(WorkloadError::Disordered { line: 6001 })));
        let reading = WorkloadReading { whole: true, ..reading };
        let jobs: Vec<Job> = Jobs::new(trace.as_bytes(), reading).map(Result::unwrap).collect();
        assert_eq!(jobs[0].id, JobId::Number(6000));
        assert_eq!(jobs[1].submitted, Time::from_seconds(10));
    }
}
