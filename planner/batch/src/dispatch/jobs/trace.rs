//! Traces in the Standard Workload Format as jobs of units: a unit is a processor, with the memory that it asks for. Where a line
//! has 21 fields, as those of Frontier (Maheshwari, Klusacek, Suter and Brewer, JSSPP 2026), field 19 is the GPUs of the job,
//! field 20 a soft limit, and field 21 says nodes and their processors, `frontier:excl:2500x112`: a unit is then a node's part, and
//! `excl` has the job's nodes for itself.

use std::io::BufRead;

use swf::{Field, Reader, Record};

use super::accounted::{memory, processor};
use super::ordered::{JobRows, JobsRead};
use super::{UnitJob, UnitJobError};
use crate::dispatch::system::System;
use crate::dispatch::unit::UnitRequest;
use crate::workload::{Cleaning, WorkloadError, WorkloadReading, job_of_record};

/// What the GPUs of field 19 are called.
const GPU: &str = "gpu";

/// The rows of a trace.
#[derive(Debug)]
pub struct RowsOfTrace<R> {
    reader: Reader<R>,
    reading: WorkloadReading,
    cleaning: Cleaning,
    resources: usize,
    kinds: usize,
    processor: usize,
    memory: Option<(usize, u64)>,
    gpu: Option<usize>,
}

/// What the fields behind the format's last say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfNodes {
    nodes: u32,
    /// Of each node.
    processors: u32,
    /// Of each node, rounded up.
    gpus: u32,
    exclusive: bool,
}

impl<R: BufRead> RowsOfTrace<R> {
    /// The rows of `source` for a system whose nodes have processors.
    ///
    /// # Errors
    /// The system does not say which of its resources are processors.
    pub fn new(source: R, system: &System) -> Result<Self, UnitJobError> {
        // What is too large for the system is refused there, and counted.
        let reading =
            WorkloadReading { machines: u32::MAX, raw: false, whole: false, duplicates: true };
        Ok(Self {
            reader: Reader::new(source),
            reading,
            cleaning: Cleaning::default(),
            resources: system.names().count(),
            kinds: system.resources.len(),
            processor: processor(system)?,
            memory: memory(system),
            gpu: system.place_of(GPU),
        })
    }

    /// What became of the jobs read so far.
    pub const fn cleaning(&self) -> Cleaning {
        self.cleaning
    }

    /// What stands behind the format's last field, where it says nodes.
    fn of_nodes(&self, record: &Record, read: &mut JobsRead) -> Option<OfNodes> {
        if !record.goes_on {
            return None;
        }
        let mut further = self.reader.further();
        let gpus = further.next().and_then(|it| std::str::from_utf8(it).ok()?.parse::<f64>().ok());
        let descriptor = further.nth(1).and_then(|it| std::str::from_utf8(it).ok());
        let of_nodes = descriptor.and_then(|it| {
            let (before, sizes) = it.rsplit_once(':')?;
            let exclusive = before.rsplit(':').next() == Some("excl");
            let (nodes, processors) = sizes.split_once('x')?;
            let nodes: u32 = nodes.parse().ok().filter(|nodes| *nodes > 0)?;
            let processors = processors.parse().ok().filter(|processors| *processors > 0)?;
            let gpus = whole((gpus.unwrap_or(0.0) / f64::from(nodes)).ceil());
            Some(OfNodes { nodes, processors, gpus, exclusive })
        });
        if of_nodes.is_none() {
            let what = "fields behind field 18 are left out: field 21 is not such as frontier:excl:2500x112";
            read.note(record.line, what);
        }
        if of_nodes.is_some_and(|it| it.gpus > 0) && self.gpu.is_none() {
            read.note(record.line, "gpu is asked for, which the system does not have");
        }
        of_nodes
    }

    /// The job of a line; none where it is dropped.
    fn job(
        &mut self,
        record: &mut Record,
        read: &mut JobsRead,
    ) -> Result<Option<UnitJob>, UnitJobError> {
        let of_nodes = self.of_nodes(record, read);
        if let Some(it) = of_nodes {
            // Field 5 of these traces is not reliable.
            record.set(Field::RequestedProcessors, f64::from(it.nodes) * f64::from(it.processors));
        }
        self.cleaning.jobs_read += 1;
        let before = self.cleaning;
        let job = job_of_record(record, self.reading, &mut self.cleaning)?;
        self.tell(before, record.line, read);
        let Some(job) = job else { return Ok(None) };
        self.cleaning.jobs_kept += 1;
        Ok(Some(UnitJob {
            id: job.id,
            submitted: job.submitted,
            run: job.work.time(1.0),
            walltime: job.walltime,
            user: number_of(record, Field::User),
            queue: number_of(record, Field::Queue),
            name: number_of(record, Field::Executable),
            units: of_nodes.map_or(job.nodes, |it| it.nodes),
            unit: self.unit(record, of_nodes),
            energy: None,
            latest_start: None,
        }))
    }

    /// Tells why the line was dropped or clipped.
    fn tell(&self, before: Cleaning, line: u64, read: &mut JobsRead) {
        let now = self.cleaning;
        if now.dropped_no_run_time > before.dropped_no_run_time {
            read.drop_row(line, "has no run time");
        } else if now.dropped_no_processors > before.dropped_no_processors {
            read.drop_row(line, "asks for no processors");
        } else if now.dropped_negative_submission > before.dropped_negative_submission {
            read.drop_row(line, "was submitted before the trace begins");
        } else if now.clipped_to_requested_time > before.clipped_to_requested_time {
            read.note(line, "runs are longer than their limits: they are cut to these");
        }
    }

    /// A processor, or a node's part, and the memory that is asked for with it: rounded up.
    fn unit(&self, record: &Record, of_nodes: Option<OfNodes>) -> UnitRequest {
        let processors = of_nodes.map_or(1, |it| it.processors);
        let mut amounts = vec![0; self.resources];
        amounts[self.processor] = processors;
        if let Some((place, unit_kb)) = self.memory {
            let asked = record.known(Field::RequestedMemoryKb);
            let kb = asked.or(record.known(Field::UsedMemoryKb)).unwrap_or(0.0);
            amounts[place] = whole((kb * f64::from(processors) / unit_kb as f64).ceil());
        }
        if let Some((place, it)) = self.gpu.zip(of_nodes) {
            amounts[place] = it.gpus;
        }
        let exclusive = of_nodes.is_some_and(|it| it.exclusive);
        UnitRequest { exclusive, ..UnitRequest::of(&amounts, self.kinds) }
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

impl<R: BufRead> JobRows for RowsOfTrace<R> {
    fn next_job(&mut self, read: &mut JobsRead) -> Result<Option<(u64, UnitJob)>, UnitJobError> {
        while let Some(mut record) = self.reader.next_record().map_err(WorkloadError::from)? {
            read.rows += 1;
            let line = record.line;
            if let Some(job) = self.job(&mut record, read)? {
                return Ok(Some((line, job)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::jobs::ordered::JobsInOrder;
    use crate::job::JobId;
    use crate::time::Time;

    fn jobs<'a>(trace: &'a str, system: &str) -> JobsInOrder<RowsOfTrace<&'a [u8]>> {
        let system = System::parse(system).unwrap();
        JobsInOrder::new(RowsOfTrace::new(trace.as_bytes(), &system).unwrap())
    }

    /// Job 2 stands first and was submitted last. It asks for 1,572,864 kB a processor, 1.5 GB, rounded up to 2; job 1 asks for
    /// none and used 1 kB, which is 1 GB; job 3 has no run time and is dropped.
    #[test]
    fn a_unit_is_a_processor_and_its_memory() {
        let trace =
            "2 20 -1 5 3 -1 -1 3 9 1572864 1 7 1 4 2\n1 10 -1 6 1 -1 1 1 10 -1 1 3\n3 30 -1 0 1\n";
        let mut jobs = jobs(trace, "[[nodes]]\ncount = 1\nmemory_gb = 16\ncores = 8\n");
        let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
        assert_eq!(
            all.iter().map(|job| &job.id).collect::<Vec<_>>(),
            [&JobId::Number(1), &JobId::Number(2)]
        );
        assert_eq!(all[0].unit, UnitRequest::of(&[1, 1], 2));
        assert_eq!((all[1].units, &all[1].unit), (3, &UnitRequest::of(&[2, 1], 2)));
        assert_eq!((all[1].submitted, &*all[1].user), (Time::from_seconds(10), "7"));
        assert_eq!((&*all[1].queue, &*all[1].name, &*all[0].queue), ("2", "4", ""));
        assert_eq!(jobs.rows().cleaning().dropped_no_run_time, 1);
        let dropped = &jobs.read().dropped[0];
        assert_eq!((dropped.what.as_str(), dropped.first_line), ("has no run time", 3));
    }

    /// 3 nodes of 112 processors and 20 GPUs, 7 on each, whatever fields 5 and 8 say; 1,024 kB for each of 112 processors are
    /// 112 MB. The last line's fields say nothing of nodes.
    #[test]
    fn lines_of_21_fields_say_nodes() {
        let trace = "1 0 1 60 999999 -1 -1 -1 90 1024 1 7 1 4 2 1 -1 -1 20 80 frontier:excl:3x112\n\
                     2 1 1 60 2 -1 -1 2 90 -1 1 7 1 4 2 1 -1 -1 -1 -1 other\n";
        let mut jobs =
            jobs(trace, "[[nodes]]\ncount = 4\ncores = 112\ngpu = 8\nmemory_mb = 1000\n");
        let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
        let expected = UnitRequest { exclusive: true, ..UnitRequest::of(&[112, 7, 112], 3) };
        assert_eq!((all[0].units, &all[0].unit), (3, &expected));
        assert_eq!((all[1].units, &all[1].unit), (2, &UnitRequest::of(&[1, 0, 0], 3)));
        let noted = &jobs.read().noted;
        assert_eq!((noted.len(), noted[0].rows, noted[0].first_line), (1, 1, 2));
    }

    #[test]
    fn a_system_must_say_what_processors_are() {
        let system = System::parse("[[nodes]]\ncount = 1\ngpu = 16\nmic = 8\n").unwrap();
        let error = RowsOfTrace::new("".as_bytes(), &system).unwrap_err().to_string();
        assert!(error.contains("the nodes have gpu, mic"), "{error}");
    }
}
