//! Traces in the Standard Workload Format as jobs of units: a unit is a processor, with the memory that it asks for.

use std::collections::BTreeMap;
use std::io::BufRead;

use swf::{Field, Reader, Record};

use super::{UnitJob, UnitJobError};
use crate::dispatch::system::System;
use crate::dispatch::unit::UnitRequest;
use crate::job::JobId;
use crate::time::Time;
use crate::workload::{Cleaning, WorkloadError, WorkloadReading, job_of_record};

/// Lines within which a trace may be in disorder.
const WINDOW: usize = 4096;
/// What a processor may be called.
const PROCESSORS: [&str; 3] = ["cores", "processors", "cpu"];
/// What memory may be called, with its kB.
const MEMORIES: [(&str, f64); 3] =
    [("memory_gb", 1_048_576.0), ("memory_mb", 1024.0), ("memory_kb", 1.0)];

/// The jobs of a trace.
#[derive(Debug)]
pub struct JobsOfTrace<R> {
    reader: Reader<R>,
    reading: WorkloadReading,
    cleaning: Cleaning,
    /// By submission, number and line.
    window: BTreeMap<(Time, JobId, u64), UnitJob>,
    last: Option<(Time, JobId)>,
    origin: Option<Time>,
    ended: bool,
    resources: usize,
    kinds: usize,
    processor: usize,
    memory: Option<(usize, f64)>,
}

impl<R: BufRead> JobsOfTrace<R> {
    /// The jobs of `source` for a system whose nodes have processors.
    ///
    /// # Errors
    /// The system does not say which of its resources are processors.
    pub fn new(source: R, system: &System) -> Result<Self, UnitJobError> {
        let named = PROCESSORS.iter().find_map(|name| system.place_of(name));
        let only = (system.resources.len() == 1).then_some(0);
        let processor = named
            .or(only)
            .ok_or_else(|| UnitJobError::NoProcessors(system.resources.join(", ")))?;
        let memory = MEMORIES.iter().find_map(|(name, kb)| Some((system.place_of(name)?, *kb)));
        // What is too large for the system is refused there, and counted.
        let reading =
            WorkloadReading { machines: u32::MAX, raw: false, whole: false, duplicates: true };
        Ok(Self {
            reader: Reader::new(source),
            reading,
            cleaning: Cleaning::default(),
            window: BTreeMap::new(),
            last: None,
            origin: None,
            ended: false,
            resources: system.names().count(),
            kinds: system.resources.len(),
            processor,
            memory,
        })
    }

    /// What became of the jobs read so far.
    pub const fn cleaning(&self) -> Cleaning {
        self.cleaning
    }

    fn fill(&mut self) -> Result<(), WorkloadError> {
        while !self.ended && self.window.len() <= WINDOW {
            let Some(record) = self.reader.next_record()? else {
                self.ended = true;
                break;
            };
            self.cleaning.jobs_read += 1;
            let Some(job) = job_of_record(&record, self.reading, &mut self.cleaning)? else {
                continue;
            };
            self.cleaning.jobs_kept += 1;
            let line = record.line;
            let place = (job.submitted, job.id.clone());
            if self.last.as_ref().is_some_and(|last| place < *last) {
                return Err(WorkloadError::Disordered { line });
            }
            let job = UnitJob {
                id: job.id,
                submitted: job.submitted,
                run: job.work.time(1.0),
                walltime: job.walltime,
                user: number_of(&record, Field::User),
                queue: number_of(&record, Field::Queue),
                name: number_of(&record, Field::Executable),
                units: job.nodes,
                unit: self.unit(&record),
                energy: None,
            };
            self.window.insert((place.0, place.1, line), job);
        }
        Ok(())
    }

    /// A processor, and the memory that is asked for with it: rounded up.
    fn unit(&self, record: &Record) -> UnitRequest {
        let mut amounts = vec![0; self.resources];
        amounts[self.processor] = 1;
        if let Some((place, unit_kb)) = self.memory {
            let asked = record.known(Field::RequestedMemoryKb);
            let kb = asked.or(record.known(Field::UsedMemoryKb)).unwrap_or(0.0);
            amounts[place] = whole((kb / unit_kb).ceil());
        }
        UnitRequest::of(&amounts, self.kinds)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range")]
fn whole(amount: f64) -> u32 {
    amount.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// What a field says as a name; nothing where it is unknown.
fn number_of(record: &Record, field: Field) -> Box<str> {
    match record.value(field) {
        value if value < 0.0 => "".into(),
        value => value.to_string().into(),
    }
}

impl<R: BufRead> Iterator for JobsOfTrace<R> {
    type Item = Result<UnitJob, UnitJobError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            self.ended = true;
            self.window.clear();
            return Some(Err(error.into()));
        }
        let ((submitted, id, _), mut job) = self.window.pop_first()?;
        self.last = Some((submitted, id));
        job.submitted = submitted - *self.origin.get_or_insert(submitted);
        Some(Ok(job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Job 2 stands first and was submitted last. It asks for 1,572,864 kB a processor, 1.5 GB, rounded up to 2; job 1 asks for
    /// none and used 1 kB, which is 1 GB; job 3 has no run time and is dropped.
    #[test]
    fn a_unit_is_a_processor_and_its_memory() {
        let trace =
            "2 20 -1 5 3 -1 -1 3 9 1572864 1 7 1 4 2\n1 10 -1 6 1 -1 1 1 10 -1 1 3\n3 30 -1 0 1\n";
        let text = "[[nodes]]\ncount = 1\nmemory_gb = 16\ncores = 8\n";
        let mut jobs = JobsOfTrace::new(trace.as_bytes(), &System::parse(text).unwrap()).unwrap();
        let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
        assert_eq!(
            all.iter().map(|job| &job.id).collect::<Vec<_>>(),
            [&JobId::Number(1), &JobId::Number(2)]
        );
        assert_eq!(all[0].unit, UnitRequest::of(&[1, 1], 2));
        assert_eq!((all[1].units, &all[1].unit), (3, &UnitRequest::of(&[2, 1], 2)));
        assert_eq!((all[1].submitted, &*all[1].user), (Time::from_seconds(10), "7"));
        assert_eq!((&*all[1].queue, &*all[1].name, &*all[0].queue), ("2", "4", ""));
        assert_eq!(jobs.cleaning().dropped_no_run_time, 1);
    }

    #[test]
    fn a_system_must_say_what_processors_are() {
        let system = System::parse("[[nodes]]\ncount = 1\ngpu = 16\nmic = 8\n").unwrap();
        let error = JobsOfTrace::new("".as_bytes(), &system).unwrap_err().to_string();
        assert!(error.contains("the nodes have gpu, mic"), "{error}");
    }
}
