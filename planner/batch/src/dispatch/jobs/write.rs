//! Jobs of units as a table, which is read again.

use std::io::{self, Write};

use super::UnitJob;
use crate::dispatch::system::System;

/// Writes a table of jobs.
#[derive(Debug)]
pub struct UnitJobWriter<W: Write> {
    out: csv::Writer<W>,
    kinds: usize,
    resources: usize,
}

impl<W: Write> UnitJobWriter<W> {
    /// A table for jobs of a system.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, system: &System) -> io::Result<Self> {
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
        out.write_record(columns.into_iter().chain(system.names()))?;
        Ok(Self { out, kinds: system.resources.len(), resources: system.names().count() })
    }

    /// Writes a job.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&mut self, job: &UnitJob) -> io::Result<()> {
        let mut amounts = vec![0; self.resources];
        for &(place, amount) in &job.unit.of_node {
            amounts[place] = amount;
        }
        for &(place, amount) in &job.unit.shared {
            amounts[self.kinds + place] = amount;
        }
        let seconds = |time: crate::time::Time| time.as_seconds().to_string();
        let said = [
            job.id.to_string(),
            seconds(job.submitted),
            seconds(job.run),
            job.walltime.map_or("-1".to_owned(), seconds),
            job.user.to_string(),
            job.queue.to_string(),
            job.name.to_string(),
            job.units.to_string(),
        ];
        Ok(self
            .out
            .write_record(said.into_iter().chain(amounts.iter().map(ToString::to_string)))?)
    }

    /// Writes what is not written yet, and gives the output back.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}
