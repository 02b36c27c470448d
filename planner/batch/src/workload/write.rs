//! Workloads into files: the Standard Workload Format and Batsim's JSON.
//!
//! Jobs keep submission, machines, run time, utilisation and walltime. Names that are no numbers are counted
//! from 1 in the Standard Workload Format. In JSON, run times are profiles: a `delay`, or, where a
//! speed is given, computation of that length (`parallel_homogeneous`).

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::json;

use crate::job::{Job, JobId, Utilisation};
use crate::time::Time;

/// Writes a trace.
#[derive(Debug)]
pub struct SwfWriter<W> {
    out: W,
    written: i64,
    /// The speed of a machine, for jobs that compute.
    speed: f64,
}

impl<W: Write> SwfWriter<W> {
    /// A trace with this header: keys and values.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, header: &[(String, String)], speed: f64) -> io::Result<Self> {
        writeln!(out, "; Version: 2.2")?;
        for (key, value) in header.iter().filter(|(key, _)| !key.eq_ignore_ascii_case("Version")) {
            writeln!(out, "; {key}: {value}")?;
        }
        Ok(Self { out, written: 0, speed })
    }

    /// A line.
    ///
    /// # Errors
    /// Those of the output.
    pub fn job(&mut self, job: &Job) -> io::Result<()> {
        self.written += 1;
        let number = match &job.id {
            JobId::Number(number) => *number,
            JobId::Name(_) => self.written,
        };
        let (submitted, run) = (short(job.submitted), short(job.work.time(self.speed)));
        let walltime = job.walltime.map_or_else(|| "-1".to_owned(), short);
        let nodes = job.nodes;
        let seconds = job.work.time(self.speed).as_seconds();
        let used = job.utilisation.and_then(|used| Time::from_seconds_f64(used.share() * seconds));
        let used = used.map_or_else(|| "-1".to_owned(), short);
        writeln!(
            self.out,
            "{number} {submitted} -1 {run} {nodes} {used} -1 {nodes} {walltime} -1 1 -1 -1 -1 -1 -1 -1 -1"
        )
    }

    /// Gives back what was written to.
    pub fn finish(self) -> W {
        self.out
    }
}

/// Writes a JSON workload; keeps its different run times and utilisations.
#[derive(Debug)]
pub struct JsonWriter<W> {
    out: W,
    written: u64,
    profiles: BTreeSet<(Time, Option<Utilisation>)>,
    /// The speed of a machine.
    speed: f64,
    does: JobsDo,
}

/// What jobs do that a trace only says to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JobsDo {
    /// They occupy machines.
    Wait,
    /// They compute, and each machine sends so many bytes a second of the run time to each other.
    Compute {
        /// Of each second.
        bytes: f64,
    },
}

impl<W: Write> JsonWriter<W> {
    /// A workload for `machines` machines.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, machines: u32, speed: f64, does: JobsDo) -> io::Result<Self> {
        write!(out, "{{\"nb_res\": {machines},\n\"jobs\": [")?;
        Ok(Self { out, written: 0, profiles: BTreeSet::new(), speed, does })
    }

    /// A job.
    ///
    /// # Errors
    /// Those of the output.
    pub fn job(&mut self, job: &Job) -> io::Result<()> {
        let run = job.work.time(self.speed);
        self.profiles.insert((run, job.utilisation));
        let id = match &job.id {
            JobId::Number(number) => json!(number),
            JobId::Name(name) => json!(name),
        };
        let mut entry = json!({
            "id": id,
            "subtime": job.submitted.as_seconds(),
            "res": job.nodes,
            "profile": profile_name(run, job.utilisation),
        });
        if let Some(walltime) = job.walltime {
            entry["walltime"] = json!(walltime.as_seconds());
        }
        let comma = if self.written == 0 { "" } else { "," };
        self.written += 1;
        write!(self.out, "{comma}\n{entry}")
    }

    /// Writes the profiles; what was written to.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        write!(self.out, "],\n\"profiles\": {{")?;
        for (index, (run, utilisation)) in self.profiles.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let seconds = run.as_seconds();
            let mut profile = match self.does {
                JobsDo::Wait => json!({"type": "delay", "delay": seconds}),
                JobsDo::Compute { bytes } => {
                    let (cpu, com) = (seconds * self.speed, seconds * bytes);
                    json!({"type": "parallel_homogeneous", "cpu": cpu, "com": com})
                }
            };
            if let Some(utilisation) = utilisation {
                profile["utilisation"] = json!(utilisation.share());
            }
            let name = profile_name(*run, *utilisation);
            write!(self.out, "{comma}\n{name:?}: {profile}")?;
        }
        writeln!(self.out, "}}}}")?;
        Ok(self.out)
    }
}

/// The run time, and the utilisation where it is known: `60`, `60 at 0.25`.
fn profile_name(run: Time, utilisation: Option<Utilisation>) -> String {
    let run = short(run);
    utilisation.map_or_else(|| run.clone(), |used| format!("{run} at {}", used.share()))
}

/// Seconds without needless zeros.
fn short(time: Time) -> String {
    let text = time.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::WorkloadReading;
    use crate::workload::json::{no_files, read_json};
    use crate::workload::normalise::Jobs;

    const TRACE: &str = "; Version: 2.0\n; MaxProcs: 4\n5 0 -1 10 2 2.5 -1 2 20\n7 3.5 -1 4.25 1\n";
    const READING: WorkloadReading =
        WorkloadReading { machines: 4, raw: false, whole: false, duplicates: false };

    fn jobs() -> Vec<Job> {
        Jobs::new(TRACE.as_bytes(), READING).map(Result::unwrap).collect()
    }

    #[test]
    fn a_written_trace_reads_the_same() {
        let mut written = Vec::new();
        let header =
            [("Version".to_owned(), "1".to_owned()), ("MaxProcs".to_owned(), "4".to_owned())];
        let mut writer = SwfWriter::new(&mut written, &header, 1.0).unwrap();
        for job in jobs() {
            writer.job(&job).unwrap();
        }
        writer.finish();
        let text = String::from_utf8(written.clone()).unwrap();
        assert!(text.starts_with("; Version: 2.2\n; MaxProcs: 4\n5 0 -1 10 2 2.5 "), "{text}");
        let read: Vec<Job> = Jobs::new(written.as_slice(), READING).map(Result::unwrap).collect();
        assert_eq!(read, jobs());
    }

    #[test]
    fn a_written_json_workload_does_the_same() {
        let compute = JobsDo::Compute { bytes: 0.0 };
        for (speed, does) in [(1.0, JobsDo::Wait), (1e8, compute)] {
            let mut written = Vec::new();
            let mut writer = JsonWriter::new(&mut written, 4, speed, does).unwrap();
            for job in jobs() {
                writer.job(&job).unwrap();
            }
            writer.finish().unwrap();
            let read = read_json(&written, READING, None, &no_files).unwrap();
            let same = |(ours, theirs): (&Job, &Job)| {
                let of = |job: &Job| {
                    (job.id.clone(), job.submitted, job.nodes, job.utilisation, job.walltime)
                };
                of(ours) == of(theirs) && ours.work.time(speed) == theirs.work.time(speed)
            };
            assert!(jobs().iter().zip(&read.jobs).all(same));
            assert_eq!(read.jobs.len(), 2);
        }
    }
}
