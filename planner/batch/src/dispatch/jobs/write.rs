//! Jobs of units as a table, which is read again.

use std::io::{self, Write};

use super::UnitJob;
use super::units_cell::{cell, names};
use crate::dispatch::system::System;

/// Columns of what jobs ask for beside amounts.
const DEMANDS: [&str; 3] = ["properties", "exclusive", "latest_start"];

/// Writes a table of jobs.
#[derive(Debug)]
pub struct UnitJobWriter<W: Write> {
    out: csv::Writer<W>,
    system: System,
    has_energy: bool,
}

impl<W: Write> UnitJobWriter<W> {
    /// A table for jobs of a system.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, system: &System) -> io::Result<Self> {
        Self::begin(out, system, false)
    }

    /// A table that says what jobs consumed, too.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn with_energy(out: W, system: &System) -> io::Result<Self> {
        Self::begin(out, system, true)
    }

    fn begin(out: W, system: &System, has_energy: bool) -> io::Result<Self> {
        let mut out = csv::Writer::from_writer(out);
        let columns = [
            "job_id",
            "submission_time",
            "run_time",
            "requested_time",
            "user",
            "queue",
            "name",
            "units",
        ];
        let energy = has_energy.then_some("energy_j");
        out.write_record(columns.into_iter().chain(system.names()).chain(DEMANDS).chain(energy))?;
        Ok(Self { out, system: system.clone(), has_energy })
    }

    /// Writes a job.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&mut self, job: &UnitJob) -> io::Result<()> {
        let several = !job.unit.beside.is_empty();
        let mut amounts = vec![String::new(); self.system.names().count()];
        if !several {
            amounts.fill("0".to_owned());
            for &(place, amount) in &job.unit.of_node {
                amounts[place] = amount.to_string();
            }
            for &(place, amount) in &job.unit.shared {
                amounts[self.system.resources.len() + place] = amount.to_string();
            }
        }
        let units = if several { cell(job, &self.system) } else { job.units.to_string() };
        let wanted = if several { 0 } else { job.unit.properties };
        let seconds = |time: crate::time::Time| time.as_seconds().to_string();
        let demands = [
            names(wanted, &self.system, "+"),
            if job.unit.exclusive { "1" } else { "" }.to_owned(),
            job.latest_start.map(seconds).unwrap_or_default(),
        ];
        let said = [
            job.id.to_string(),
            seconds(job.submitted),
            seconds(job.run),
            job.walltime.map_or("-1".to_owned(), seconds),
            job.user.to_string(),
            job.queue.to_string(),
            job.name.to_string(),
            units,
        ];
        let energy = job.energy.map_or("-1".to_owned(), |it| it.as_joules().to_string());
        let energy = self.has_energy.then_some(energy);
        Ok(self.out.write_record(said.into_iter().chain(amounts).chain(demands).chain(energy))?)
    }

    /// Writes what is not written yet, and gives the output back.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Energy;
    use proptest::prelude::*;

    use super::*;
    use crate::dispatch::jobs::JobsOfTable;
    use crate::dispatch::unit::UnitRequest;
    use crate::job::JobId;
    use crate::time::Time;

    fn system() -> System {
        let text = "[[nodes]]\ncount = 4\ncores = 16\n\"gpu a\" = 2\n[shared]\nlicence = 9\n";
        System::parse(text).unwrap()
    }

    fn job() -> impl Strategy<Value = UnitJob> {
        let times = (0_i64..1 << 40, 0_i64..1 << 40, prop::option::of(1_i64..1 << 40));
        let names = ("[a-z \",|]{0,6}", "[a-zä]{0,4}", any::<i64>());
        let units = (1_u32..9, [0_u32..17, 0..3, 0..9], prop::option::of(1_u32..1 << 30));
        (times, names, units).prop_map(|(times, (name, user, number), (units, amounts, joules))| {
            UnitJob {
                id: JobId::Number(number),
                submitted: Time::from_micros(times.0),
                run: Time::from_micros(times.1),
                walltime: times.2.map(Time::from_micros),
                user: user.into(),
                queue: "".into(),
                name: name.trim().into(),
                units,
                unit: UnitRequest::of(&amounts, 2),
                energy: joules.and_then(|it| Energy::from_joules(f64::from(it) / 8.0)),
                latest_start: joules.map(|it| Time::from_micros(times.0 + i64::from(it))),
            }
        })
    }

    proptest! {
        /// Whatever jobs are, the table gives them again.
        #[test]
        fn what_is_written_is_read_again(mut jobs in prop::collection::vec(job(), 1..20)) {
            jobs.sort_by_key(|job| job.submitted);
            let origin = jobs[0].submitted;
            for job in &mut jobs {
                job.submitted = job.submitted - origin;
                job.latest_start = job.latest_start.map(|latest| latest - origin);
            }
            let mut writer = UnitJobWriter::with_energy(Vec::new(), &system()).unwrap();
            jobs.iter().try_for_each(|job| writer.write(job)).unwrap();
            let table = writer.finish().unwrap();
            let read = JobsOfTable::new(table.as_slice(), &system()).unwrap();
            let read: Vec<UnitJob> = read.map(Result::unwrap).collect();
            prop_assert_eq!(read, jobs);
        }
    }
}
