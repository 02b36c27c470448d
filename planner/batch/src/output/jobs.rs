//! `jobs.csv`: a row for each job in the order of their ends, with Batsim's columns.
//!
//! Seconds have six decimals. No walltime and no energy are -1, as is everything of refused jobs
//! that did not happen; a job without run time has no stretch. Machines are ranges: `1-3 5`.

use std::io::{self, Write};

use crate::job::{Job, JobId};
use crate::kernel::{JobEnd, Played};
use crate::machine_ranges;
use crate::scheduler::RefusalReason;
use crate::time::Time;

const HEADER: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,\
requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,\
turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n";

/// Writes the rows as jobs end.
#[derive(Debug)]
pub struct JobTable<W> {
    out: W,
    row: Vec<u8>,
}

impl<W: Write> JobTable<W> {
    /// A table of no rows yet.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(HEADER.as_bytes())?;
        Ok(Self { out, row: Vec::new() })
    }

    /// A job that ended.
    ///
    /// # Errors
    /// Those of the output.
    pub fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let Played { job, started, finished, machines, end, metadata, energy } = *played;
        self.asked(job);
        self.row.extend_from_slice(if end == JobEnd::Success { b"1," } else { b"0," });
        self.row.extend_from_slice(end.state().as_bytes());
        self.row.push(b',');
        let (waiting, turnaround) = (started - job.submitted, finished - job.submitted);
        let execution = finished - started;
        for time in [started, execution, finished, waiting, turnaround] {
            seconds(&mut self.row, time);
            self.row.push(b',');
        }
        if execution > Time::ZERO {
            write!(self.row, "{:.6}", turnaround.as_seconds() / execution.as_seconds())?;
        }
        self.row.push(b',');
        machine_ranges::write(&mut self.row, machines);
        match energy {
            Some(energy) => write!(self.row, ",{:.6}", energy.as_joules())?,
            None => self.row.extend_from_slice(b",-1"),
        }
        self.row.push(b',');
        always_quoted(&mut self.row, metadata);
        self.row.push(b'\n');
        self.out.write_all(&self.row)
    }

    /// A job that was refused; its metadata say why, where its scheduler did.
    ///
    /// # Errors
    /// Those of the output.
    pub fn refused(&mut self, job: &Job, why: Option<RefusalReason>) -> io::Result<()> {
        self.asked(job);
        self.row.extend_from_slice(b"0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,");
        always_quoted(&mut self.row, why.map_or("", RefusalReason::text));
        self.row.push(b'\n');
        self.out.write_all(&self.row)
    }

    /// Writes what is not written yet.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Begins a row with what the job is.
    fn asked(&mut self, job: &Job) {
        let row = &mut self.row;
        row.clear();
        match &job.id {
            JobId::Number(number) => {
                whole(row, *number);
                row.extend_from_slice(b",w0,");
            }
            // Jobs of other workloads have theirs before their name, as Batsim names them.
            JobId::Name(name) => {
                let (workload, name) = name.split_once('!').unwrap_or(("w0", name));
                quoted(row, name);
                row.push(b',');
                quoted(row, workload);
                row.push(b',');
            }
        }
        match &job.profile {
            Some(name) => quoted(row, name),
            None => profile(row, job.work.time(1.0)),
        }
        row.push(b',');
        seconds(row, job.submitted);
        row.push(b',');
        whole(row, i64::from(job.nodes));
        row.push(b',');
        match job.walltime {
            Some(walltime) => seconds(row, walltime),
            None => row.extend_from_slice(b"-1"),
        }
        row.push(b',');
    }
}

pub(crate) fn whole(row: &mut Vec<u8>, number: i64) {
    row.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Seconds with six decimals.
pub(crate) fn seconds(row: &mut Vec<u8>, time: Time) {
    let micros = time.as_micros();
    if micros < 0 {
        row.push(b'-');
    }
    let micros = micros.unsigned_abs();
    row.extend_from_slice(itoa::Buffer::new().format(micros / 1_000_000).as_bytes());
    // A million more keeps the zeros in front.
    let fraction = 1_000_000 + micros % 1_000_000;
    row.push(b'.');
    row.extend_from_slice(&itoa::Buffer::new().format(fraction).as_bytes()[1..]);
}

/// The run time names a trace's profile, without decimals where it has none.
fn profile(row: &mut Vec<u8>, run: Time) {
    if run.as_micros() % 1_000_000 == 0 {
        whole(row, run.as_micros() / 1_000_000);
    } else {
        seconds(row, run);
    }
}

pub(crate) fn quoted(row: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        always_quoted(row, text);
    } else {
        row.extend_from_slice(text.as_bytes());
    }
}

pub(crate) fn always_quoted(row: &mut Vec<u8>, text: &str) {
    row.push(b'"');
    row.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    row.push(b'"');
}

#[cfg(test)]
mod tests {
    use planner::node_set::NodeSet;
    use planner::quantity::Energy;

    use super::*;
    use crate::job::Work;

    fn job(id: JobId, walltime: Option<i64>) -> Job {
        let work = Work::Delay(Time::from_micros(4_500_000));
        let (submitted, walltime) = (Time::from_seconds(10), walltime.map(Time::from_seconds));
        Job { id, profile: None, submitted, nodes: 4, work, utilisation: None, walltime }
    }

    /// Waits 2 s and runs 4.5 s: turnaround 6.5 s, stretch 6.5 / 4.5 = 1.444444.
    #[test]
    fn rows_have_batsims_columns() {
        let mut written = Vec::new();
        let mut table = JobTable::new(&mut written).unwrap();
        let machines = NodeSet::from_positions([1, 2, 3, 5]);
        let (started, finished) = (Time::from_seconds(12), Time::from_micros(16_500_000));
        let job_1 = job(JobId::Number(1), Some(60));
        let (end, metadata) = (JobEnd::Success, "");
        let energy = None;
        let played =
            Played { job: &job_1, started, finished, machines: &machines, end, metadata, energy };
        table.played(&played).unwrap();
        let energy = Some(Energy::from_microjoules(1_234_567_890));
        table.played(&Played { energy, ..played }).unwrap();
        table.refused(&job(JobId::Name("a,\"b\"".into()), None), None).unwrap();
        table.finish().unwrap();
        let text = String::from_utf8(written).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0].split(',').count(), 17);
        let expected = "1,w0,4.500000,10.000000,4,60.000000,1,COMPLETED_SUCCESSFULLY,12.000000,4.500000,\
                        16.500000,2.000000,6.500000,1.444444,1-3 5,-1,\"\"";
        assert_eq!(rows[1], expected);
        let expected =
            "\"a,\"\"b\"\"\",w0,4.500000,10.000000,4,-1,0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,\"\"";
        assert_eq!(rows[3], expected);
    }
}
