//! What comes of a simulation, as files.

use std::io::{self, Write};

use serde::Serialize;
use simulator::experiment::{Experiment, Variant};
use simulator::report::{self, Findings, ReportedCell};
use simulator::sesames::{Cell, PlayedRun};
use simulator::tables;

#[cfg(feature = "parquet")]
use super::parquet::Table;

/// A finished cell.
#[derive(Clone, Copy, Debug)]
pub struct FinishedCell<'a> {
    /// What it is a cell of.
    pub experiment: &'a Experiment,
    /// The cell's parameters.
    pub variant: &'a Variant,
    /// As it was played.
    pub cell: &'a Cell,
    /// All runs, by number.
    pub runs: &'a [PlayedRun],
    /// What they come to.
    pub findings: &'a Findings,
}

/// A file of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellFile {
    /// The comparison.
    Summary,
    /// A row for each policy in each run.
    Runs,
    /// A row for each request under each policy in each run.
    Requests,
    /// A row for each policy and number of requests placed so far.
    Curves,
    /// The page for people.
    Report,
    /// [`CellFile::Runs`] as Parquet.
    #[cfg(feature = "parquet")]
    RunsParquet,
    /// [`CellFile::Requests`] as Parquet.
    #[cfg(feature = "parquet")]
    RequestsParquet,
}

/// A file of a sweep of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepFile {
    /// A row for each cell, policy and measure.
    Summary,
    /// The page for people.
    Report,
}

impl CellFile {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Summary,
        Self::Runs,
        Self::Requests,
        Self::Curves,
        Self::Report,
        #[cfg(feature = "parquet")]
        Self::RunsParquet,
        #[cfg(feature = "parquet")]
        Self::RequestsParquet,
    ];

    /// The file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary.json",
            Self::Runs => "runs.csv",
            Self::Requests => "requests.csv",
            Self::Curves => "curves.csv",
            Self::Report => "report.html",
            #[cfg(feature = "parquet")]
            Self::RunsParquet => "runs.parquet",
            #[cfg(feature = "parquet")]
            Self::RequestsParquet => "requests.parquet",
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(self, of: &FinishedCell<'_>, mut out: impl Write) -> io::Result<()> {
        match self {
            Self::Summary => json(&of.findings.summary, out),
            Self::Runs => tables::runs(of.cell, of.runs, out),
            Self::Requests => tables::requests(of.runs, out),
            Self::Curves => tables::curves(of.cell, of.runs, out),
            Self::Report => {
                let title = match of.variant.name() {
                    name if name.is_empty() => of.experiment.name.clone(),
                    name => format!("{}: {name}", of.experiment.name),
                };
                let alone = Variant { varied: Vec::new(), ..of.variant.clone() };
                let reported = [ReportedCell { variant: &alone, findings: of.findings }];
                out.write_all(report::html(&title, &reported).as_bytes())
            }
            #[cfg(feature = "parquet")]
            Self::RunsParquet => {
                let mut csv = Vec::new();
                tables::runs(of.cell, of.runs, &mut csv)?;
                Table::Runs.write(&csv, out)
            }
            #[cfg(feature = "parquet")]
            Self::RequestsParquet => {
                let mut csv = Vec::new();
                tables::requests(of.runs, &mut csv)?;
                Table::Requests.write(&csv, out)
            }
        }
    }
}

impl SweepFile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Summary, Self::Report];

    /// The file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary.csv",
            Self::Report => "report.html",
        }
    }

    /// Writes the file of an experiment's cells, in their order.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(
        self,
        experiment: &Experiment,
        cells: &[ReportedCell<'_>],
        mut out: impl Write,
    ) -> io::Result<()> {
        match self {
            Self::Summary => tables::summary(cells, out),
            Self::Report => out.write_all(report::html(&experiment.name, cells).as_bytes()),
        }
    }
}

/// Writes a document, indented, with a line's end.
///
/// # Errors
/// Those of `out`.
pub fn json(value: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}
