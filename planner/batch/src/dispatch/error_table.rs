//! Tables of how good estimates were: `estimate_errors.csv` of one simulation, by user and by queue, and `estimates.csv`, where the
//! same jobs were played with one estimate after another.

use std::io::{self, Write};

use serde::Serialize;

use super::estimate::GroupErrors;
use super::results::UnitResults;
use crate::output::quoted;

/// `estimate_errors.csv`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorTable;

const ERRORS: &str = "jobs,without_estimate,mae_s,mre,overestimates,overestimated_s,underestimates,underestimated_share,\
underestimated_s,mean_underestimate_s,max_underestimate_s";

impl ErrorTable {
    /// Writes a row for all jobs, then one for each user and each queue.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(mut out: impl Write, results: &UnitResults) -> io::Result<()> {
        writeln!(out, "of,name,{ERRORS}")?;
        let mut row = b"all,,".to_vec();
        errors(&mut row, &results.estimate_errors_s.sums)?;
        row.push(b'\n');
        for group in &results.error_groups {
            row.extend_from_slice(group.of.as_bytes());
            row.push(b',');
            quoted(&mut row, &group.name);
            row.push(b',');
            errors(&mut row, &group.errors)?;
            row.push(b'\n');
        }
        out.write_all(&row)?;
        out.flush()
    }
}

fn errors(row: &mut Vec<u8>, errors: &GroupErrors) -> io::Result<()> {
    write!(
        row,
        "{},{},{:.6},{:.6},{},{:.6},{},{:.6},{:.6},{:.6},{:.6}",
        errors.predicted,
        errors.unpredicted,
        errors.mean_absolute_error,
        errors.mean_relative_error,
        errors.overestimates,
        errors.overestimated,
        errors.underestimates,
        errors.underestimated_share,
        errors.underestimated,
        errors.mean_underestimate,
        errors.max_underestimate,
    )
}

/// What came of jobs that were played with an estimate.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedEstimate {
    /// The estimate.
    pub estimate: &'static str,
    /// All results.
    #[serde(flatten)]
    pub results: UnitResults,
}

/// `estimates.csv`.
#[derive(Clone, Copy, Debug)]
pub struct EstimateTable;

impl EstimateTable {
    /// Writes a row for each estimate: its errors, and what became of the jobs.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(mut out: impl Write, all: &[ComparedEstimate]) -> io::Result<()> {
        writeln!(
            out,
            "estimate,{ERRORS},p50_error_s,p90_error_s,p99_error_s,p90_underestimate_s,mean_wait_s,p50_wait_s,p90_wait_s,\
             max_wait_s,mean_slowdown,p90_slowdown,mean_queue_size,makespan_s"
        )?;
        for ComparedEstimate { estimate, results } in all {
            let mut row = format!("{estimate},").into_bytes();
            errors(&mut row, &results.estimate_errors_s.sums)?;
            let (absolute, under) = (
                results.estimate_errors_s.absolute_error_quantiles,
                results.estimate_errors_s.underestimate_quantiles,
            );
            for number in [
                absolute.p50,
                absolute.p90,
                absolute.p99,
                under.p90,
                results.mean_waiting_time,
                results.waiting_time_quantiles.p50,
                results.waiting_time_quantiles.p90,
                results.max_waiting_time,
                results.mean_slowdown,
                results.slowdown_quantiles.p90,
                results.mean_queue_size,
                results.makespan,
            ] {
                write!(row, ",{number:.6}")?;
            }
            row.push(b'\n');
            out.write_all(&row)?;
        }
        out.flush()
    }
}
