//! Workloads for systems: tables of jobs, traces, Slurm's accounting, `AccaSim`'s JSON and Parquet, or drawn jobs.

use std::io::BufRead;
use std::path::Path;

use batch::dispatch::jobs::{
    EuroraSpan, InstantReader, JobRows, JobsInOrder, JobsOfTable, JobsRead, RowsOfAccasim,
    RowsOfSacct, RowsOfSacctJson, RowsOfTrace, RowsTold, UnitJob, UnitJobError, eurora,
};
use batch::dispatch::system::System;
use batch::workload::Cleaning;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::files::bad_input;
use crate::cli::Failure;
use crate::cli::report::sacct::time::submitted;

type Source = Box<dyn BufRead>;

/// Jobs of units, read as they are played.
pub enum UnitWorkload {
    /// A table.
    Table(Box<JobsOfTable<Source>>),
    /// A trace.
    Trace(Box<JobsInOrder<RowsOfTrace<Source>>>),
    /// Other rows.
    Rows(Box<JobsInOrder<Box<dyn JobRows>>>),
    /// Of a generator.
    Drawn(Box<dyn Iterator<Item = UnitJob>>),
}

/// What became of the jobs of a workload.
#[derive(Serialize)]
#[serde(untagged)]
pub enum WorkloadRead {
    /// Of a trace's lines.
    Trace(Cleaning),
    /// Of other rows.
    Rows(JobsRead),
}

/// What a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Table,
    Trace,
    Sacct,
    SacctJson,
    Accasim,
    Parquet,
    Batsim,
}

impl UnitWorkload {
    /// Jobs of a file that was opened, in the format that it begins with; times of accounting without an offset are in `zone`.
    pub fn open(
        file: &Path,
        mut source: Box<dyn BufRead>,
        system: &System,
        zone: &TimeZone,
    ) -> Result<Self, Failure> {
        let start = source.fill_buf().map_err(|error| bad_input(file, error))?;
        let bad = |error: UnitJobError| bad_input(file, error);
        let rows: Box<dyn JobRows> = match kind(start) {
            Kind::Table => {
                let jobs = JobsOfTable::new(source, system).map_err(bad)?;
                return Ok(Self::Table(Box::new(jobs)));
            }
            Kind::Trace => {
                let rows = RowsOfTrace::new(source, system).map_err(bad)?;
                return Ok(Self::Trace(Box::new(JobsInOrder::new(rows))));
            }
            Kind::Sacct => Box::new(RowsOfSacct::new(source, system, instants(zone)).map_err(bad)?),
            Kind::SacctJson => Box::new(RowsOfSacctJson::new(source, system).map_err(bad)?),
            Kind::Accasim => Box::new(RowsOfAccasim::new(source, system).map_err(bad)?),
            Kind::Parquet => parquet(file, system, zone)?,
            Kind::Batsim => {
                let what = "Batsim's workloads ask for machines, and are for --platform; a system needs a table of jobs of \
                            units, a trace, or Slurm's accounting";
                return Err(bad_input(file, what));
            }
        };
        Ok(Self::Rows(Box::new(JobsInOrder::new(rows))))
    }

    /// So many of Eurora's jobs in a span.
    pub fn eurora(span: &'static EuroraSpan, count: u32, seed: u64) -> Self {
        Self::Drawn(Box::new(eurora(span, count, seed)))
    }

    /// What became of the jobs read so far; a table plays all that it has.
    pub fn read(&self) -> Option<WorkloadRead> {
        match self {
            Self::Table(_) | Self::Drawn(_) => None,
            Self::Trace(jobs) => Some(WorkloadRead::Trace(jobs.rows().cleaning())),
            Self::Rows(jobs) => Some(WorkloadRead::Rows(jobs.read().clone())),
        }
    }

    /// Tells what was dropped or is not played as it stands.
    pub fn tell(&self) {
        let read = match self {
            Self::Table(_) | Self::Drawn(_) => return,
            Self::Trace(jobs) => jobs.read(),
            Self::Rows(jobs) => jobs.read(),
        };
        let tell = |told: &RowsTold, how: &str| {
            let RowsTold { what, rows, first_line } = told;
            super::note(&format!("{rows} rows {how}, the first on line {first_line}: {what}"));
        };
        read.dropped.iter().for_each(|told| tell(told, "dropped"));
        read.noted.iter().for_each(|told| tell(told, "changed"));
    }
}

impl Iterator for UnitWorkload {
    type Item = Result<UnitJob, UnitJobError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Table(jobs) => jobs.next(),
            Self::Trace(jobs) => jobs.next(),
            Self::Rows(jobs) => jobs.next(),
            Self::Drawn(jobs) => jobs.next().map(Ok),
        }
    }
}

/// Reads instants as accounting writes them.
fn instants(zone: &TimeZone) -> InstantReader {
    let zone = zone.clone();
    Box::new(move |text| submitted(text, &zone).map(planner::time::Timestamp::as_unix_seconds))
}

#[cfg(feature = "parquet")]
fn parquet(file: &Path, system: &System, zone: &TimeZone) -> Result<Box<dyn JobRows>, Failure> {
    let rows = super::parquet_jobs::RowsOfParquet::open(file, system, instants(zone));
    Ok(Box::new(rows.map_err(|error| bad_input(file, error))?))
}

#[cfg(not(feature = "parquet"))]
fn parquet(file: &Path, _: &System, _: &TimeZone) -> Result<Box<dyn JobRows>, Failure> {
    let what =
        "is Parquet, which this wattbook was built without: build it with --features parquet";
    Err(bad_input(file, what))
}

/// What a workload is, by how it begins.
fn kind(start: &[u8]) -> Kind {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let has = |within: &[u8], word: &str| {
        within.windows(word.len()).any(|it| it.eq_ignore_ascii_case(word.as_bytes()))
    };
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match start.first() {
        Some(b'P') if start.starts_with(b"PAR1") => Kind::Parquet,
        Some(b'{') if has(start, "\"nb_res\"") => Kind::Batsim,
        Some(b'{') if has(start, "\"jobs\"") || has(start, "\"meta\"") => Kind::SacctJson,
        Some(b'[' | b'{') => Kind::Accasim,
        Some(b';') => Kind::Trace,
        _ if has(header, "job_id") => Kind::Table,
        _ if has(header, "jobid") || header.contains(&b'|') => Kind::Sacct,
        _ => Kind::Trace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_known_by_how_they_begin() {
        for (start, expected) in [
            ("job_id,submission_time,run_time,cores\n", Kind::Table),
            ("; Version: 2.2\n; Note: job_id\n1 0 1\n", Kind::Trace),
            ("1 0 1 60\n", Kind::Trace),
            ("JobID|Submit|Elapsed\n", Kind::Sacct),
            ("\u{feff}jobidraw,submit,elapsedraw\n", Kind::Sacct),
            ("{\n \"meta\": {}, \"jobs\": []}", Kind::SacctJson),
            ("{\"job_id\": 1, \"queued_time\": 0}\n", Kind::Accasim),
            ("[{\"job_id\": 1}]", Kind::Accasim),
            ("{\"nb_res\": 4, \"jobs\": []}", Kind::Batsim),
            ("PAR1", Kind::Parquet),
        ] {
            assert_eq!(kind(start.as_bytes()), expected, "{start}");
        }
    }
}
