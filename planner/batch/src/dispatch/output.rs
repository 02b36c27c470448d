//! Tables of jobs of units: `jobs.csv`, `steps.csv` and `users.csv`.
//!
//! `jobs.csv` has Batsim's columns, as [`crate::output`] writes them, and `queue,user,estimate`. Machines are nodes with units:
//! `n3:2 n7:1`; the number of resources is that of units; the profile is the job's name.

use std::io::{self, Write};

use super::jobs::UnitJob;
use super::observer::{UnitPlayed, UnitRefusal, UnitStep};
use super::results::UnitResults;
use super::system::System;
use crate::job::JobId;
use crate::kernel::JobEnd;
use crate::output::{always_quoted, quoted, seconds, whole};
use crate::time::Time;

const HEADER: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,\
requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,\
turnaround_time,stretch,allocated_resources,consumed_energy,metadata,queue,user,estimate\n";

/// Writes `jobs.csv` as jobs end.
#[derive(Debug)]
pub struct UnitJobTable<W> {
    out: W,
    row: Vec<u8>,
}

impl<W: Write> UnitJobTable<W> {
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
    pub fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let UnitPlayed { job, estimate, started, finished, places, end, energy } = *played;
        self.begin(job);
        let row = &mut self.row;
        row.extend_from_slice(if end == JobEnd::Success { b"1," } else { b"0," });
        row.extend_from_slice(end.state().as_bytes());
        row.push(b',');
        let (waiting, turnaround) = (started - job.submitted, finished - job.submitted);
        let execution = finished - started;
        for time in [started, execution, finished, waiting, turnaround] {
            seconds(row, time);
            row.push(b',');
        }
        if execution > Time::ZERO {
            write!(row, "{:.6}", turnaround.as_seconds() / execution.as_seconds())?;
        }
        row.push(b',');
        for (at, place) in places.iter().enumerate() {
            if at > 0 {
                row.push(b' ');
            }
            row.push(b'n');
            whole(row, i64::from(place.node));
            row.push(b':');
            whole(row, i64::from(place.units));
        }
        match energy {
            Some(energy) => write!(row, ",{:.6},", energy.as_joules())?,
            None => row.extend_from_slice(b",-1,"),
        }
        always_quoted(row, "");
        self.finish_row(job, Some(estimate))
    }

    /// A job that was refused, and why.
    ///
    /// # Errors
    /// Those of the output.
    pub fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.begin(job);
        self.row.extend_from_slice(b"0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,");
        always_quoted(&mut self.row, why.text());
        self.finish_row(job, None)
    }

    /// Writes what is not written yet.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Begins a row with what the job is.
    fn begin(&mut self, job: &UnitJob) {
        let row = &mut self.row;
        row.clear();
        match &job.id {
            JobId::Number(number) => whole(row, *number),
            JobId::Name(name) => quoted(row, name),
        }
        row.extend_from_slice(b",w0,");
        quoted(row, &job.name);
        row.push(b',');
        seconds(row, job.submitted);
        row.push(b',');
        whole(row, i64::from(job.units));
        row.push(b',');
        time_or_none(row, job.walltime);
        row.push(b',');
    }

    fn finish_row(&mut self, job: &UnitJob, estimate: Option<Time>) -> io::Result<()> {
        let row = &mut self.row;
        for text in [&job.queue, &job.user] {
            row.push(b',');
            quoted(row, text);
        }
        row.push(b',');
        time_or_none(row, estimate.filter(|it| *it < Time::FOREVER));
        row.push(b'\n');
        self.out.write_all(row)
    }
}

/// Seconds; -1 for none.
fn time_or_none(row: &mut Vec<u8>, time: Option<Time>) {
    match time {
        Some(time) => seconds(row, time),
        None => row.extend_from_slice(b"-1"),
    }
}

/// Writes `steps.csv`: a row after each decision.
#[derive(Debug)]
pub struct StepTable<W> {
    out: W,
    row: Vec<u8>,
}

impl<W: Write> StepTable<W> {
    /// A table of no rows yet for a system's resources.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, system: &System) -> io::Result<Self> {
        let mut row = b"time,running,waiting".to_vec();
        for name in system.names() {
            row.push(b',');
            quoted(&mut row, name);
        }
        row.push(b'\n');
        out.write_all(&row)?;
        Ok(Self { out, row })
    }

    /// The state after a decision.
    ///
    /// # Errors
    /// Those of the output.
    pub fn step(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        let row = &mut self.row;
        row.clear();
        seconds(row, step.now);
        let counts = [step.running, step.waiting].map(|it| it as u64);
        for number in counts.iter().chain(step.used) {
            row.push(b',');
            whole(row, i64::try_from(*number).unwrap_or(i64::MAX));
        }
        row.push(b'\n');
        self.out.write_all(row)
    }

    /// Writes what is not written yet.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `users.csv`.
#[derive(Clone, Copy, Debug)]
pub struct UserTable;

impl UserTable {
    /// Writes a row for each user.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(mut out: impl Write, results: &UnitResults) -> io::Result<()> {
        out.write_all(b"user,jobs,mean_stretch,mean_wait,node_seconds,energy_j,final_factor\n")?;
        let mut row = Vec::new();
        for user in &results.users {
            let sums = user.sums;
            row.clear();
            quoted(&mut row, &user.user);
            let (stretch, wait) = (sums.mean_stretch(), sums.mean_wait());
            let node_seconds = sums.node_time.as_seconds();
            write!(
                row,
                ",{},{stretch:.6},{wait:.6},{node_seconds:.6},{:.3},",
                sums.jobs, sums.joules
            )?;
            if let Some(factor) = user.final_factor {
                write!(row, "{factor:.9}")?;
            }
            row.push(b'\n');
            out.write_all(&row)?;
        }
        out.flush()
    }
}
