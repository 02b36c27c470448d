//! Tables of jobs of units: `jobs.csv`, `steps.csv` and `users.csv`.
//!
//! `jobs.csv` has Batsim's columns, as [`crate::output`] writes them, and `queue,user,estimate`; where there are prices, CO2
//! intensities or budgets, `power_estimate_w,cost,co2_g,saved,credit`. Machines are nodes with units: `n3:2 n7:1`, and kinds of units
//! one after the other, `n3:1+n3:4 n7:1`; the number of resources is that of units; the profile is the job's name.

use std::io::{self, Write};

use planner::quantity::Power;

use super::free::{UnitsOnNode, by_kind};
use super::job_supply::JobSupply;
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
turnaround_time,stretch,allocated_resources,consumed_energy,metadata,queue,user,estimate";
const OF_SUPPLY: &str = ",power_estimate_w,cost,co2_g,saved,credit";

/// Writes `jobs.csv` as jobs end.
#[derive(Debug)]
pub struct UnitJobTable<W> {
    out: W,
    row: Vec<u8>,
    /// Whether it tells what jobs came to by the supplier's tables.
    with_supply: bool,
}

impl<W: Write> UnitJobTable<W> {
    /// A table of no rows yet.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W) -> io::Result<Self> {
        Self::with_supply(out, false)
    }

    /// As [`UnitJobTable::new`], with what jobs came to by the supplier's tables, where that is so.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn with_supply(mut out: W, with_supply: bool) -> io::Result<Self> {
        writeln!(out, "{HEADER}{}", if with_supply { OF_SUPPLY } else { "" })?;
        Ok(Self { out, row: Vec::new(), with_supply })
    }

    /// A job that ended.
    ///
    /// # Errors
    /// Those of the output.
    pub fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let UnitPlayed { job, estimate, started, finished, places, end, energy, supply } = *played;
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
        for (at, (_, places)) in by_kind(&job.unit, places).enumerate() {
            if at > 0 {
                row.push(b'+');
            }
            nodes(row, places);
        }
        match energy {
            Some(energy) => write!(row, ",{:.6},", energy.as_joules())?,
            None => row.extend_from_slice(b",-1,"),
        }
        always_quoted(row, "");
        self.finish_row(job, Some(estimate), supply)
    }

    /// A job that was refused, and why.
    ///
    /// # Errors
    /// Those of the output.
    pub fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.begin(job);
        self.row.extend_from_slice(b"0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,");
        always_quoted(&mut self.row, why.text());
        self.finish_row(job, None, JobSupply::default())
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
        whole(row, i64::from(job.all_units()));
        row.push(b',');
        time_or_none(row, job.walltime);
        row.push(b',');
    }

    fn finish_row(
        &mut self,
        job: &UnitJob,
        estimate: Option<Time>,
        supply: JobSupply,
    ) -> io::Result<()> {
        let row = &mut self.row;
        for text in [&job.queue, &job.user] {
            row.push(b',');
            quoted(row, text);
        }
        row.push(b',');
        time_or_none(row, estimate.filter(|it| *it < Time::FOREVER));
        if self.with_supply {
            let power = supply.predicted_power.map(Power::as_watts);
            for number in [power, supply.cost, supply.co2_g, supply.saved, supply.credit] {
                number_or_nothing(row, number)?;
            }
        }
        row.push(b'\n');
        self.out.write_all(row)
    }
}

/// Nodes with units.
fn nodes(row: &mut Vec<u8>, places: &[UnitsOnNode]) {
    for (at, place) in places.iter().enumerate() {
        if at > 0 {
            row.push(b' ');
        }
        row.push(b'n');
        whole(row, i64::from(place.node));
        row.push(b':');
        whole(row, i64::from(place.units));
    }
}

/// Seconds; -1 for none.
fn time_or_none(row: &mut Vec<u8>, time: Option<Time>) {
    match time {
        Some(time) => seconds(row, time),
        None => row.extend_from_slice(b"-1"),
    }
}

/// A number in a column of its own; nothing where it is not known.
fn number_or_nothing(row: &mut Vec<u8>, number: Option<f64>) -> io::Result<()> {
    row.push(b',');
    number.map_or(Ok(()), |number| write!(row, "{number:.9}"))
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
        out.write_all(b"user,jobs,mean_stretch,mean_wait,node_seconds,energy_j,final_factor")?;
        if results.supply.is_some() {
            out.write_all(b",cost,co2_g,saved,credit,jobs_held_by_budget")?;
        }
        out.write_all(b"\n")?;
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
            if results.supply.is_some() {
                let bill = user.bill;
                for number in [bill.cost, bill.co2_g, bill.saved, bill.credit] {
                    number_or_nothing(&mut row, number)?;
                }
                write!(row, ",{}", bill.jobs_held_by_budget)?;
            }
            row.push(b'\n');
            out.write_all(&row)?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::unit::{OtherUnits, UnitRequest};

    /// 1 unit of 4 cores on node 3, and of 3 units of 1 core 1 there and 2 on node 7: 4 units in all.
    #[test]
    fn kinds_of_units_stand_one_after_the_other() {
        let each = UnitRequest::of(&[1], 1);
        let unit = UnitRequest {
            beside: Box::new([OtherUnits { units: 3, each }]),
            ..UnitRequest::of(&[4], 1)
        };
        let job = UnitJob {
            id: JobId::Number(1),
            submitted: Time::ZERO,
            run: Time::from_seconds(5),
            walltime: None,
            user: "ada".into(),
            queue: "".into(),
            name: "run".into(),
            units: 1,
            unit,
            energy: None,
            latest_start: None,
        };
        let places = [(3, 1), (3, 1), (7, 2)].map(|(node, units)| UnitsOnNode { node, units });
        let mut out = Vec::new();
        let mut table = UnitJobTable::new(&mut out).unwrap();
        let played = UnitPlayed {
            job: &job,
            estimate: Time::FOREVER,
            started: Time::ZERO,
            finished: Time::from_seconds(5),
            places: &places,
            end: JobEnd::Success,
            energy: None,
            supply: JobSupply::default(),
        };
        table.played(&played).unwrap();
        table.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
        assert_eq!((row[4], row[14]), ("4", "n3:1+n3:1 n7:2"));
    }
}
