//! Reports joined with Slurm's accounting: what `sacct` prints says whose a job is.

mod file;
mod join;
mod sum;
pub mod time;

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::Arguments;
use super::line::PrintedReport;
use crate::cli::{Failure, tell};
use crate::http::v1::reports::{ReportColumn, ReportDocument};
use file::SacctFile;
use join::{Join, JoinCounts, ReportSelection};

/// By what the API is asked, so that each line is of one job and one reservation at the most.
const ASKED: &str = "job,reservation,user,project,partition,application";

/// Arguments that name a file of accounting.
#[derive(clap::Args)]
pub struct SacctArguments {
    /// What sacct -P -o Cluster,JobIDRaw,JobID,Submit,User,Account,Partition,JobName,State prints: jobs' users, accounts (as
    /// projects) and partitions are those of FILE
    #[arg(long, value_name = "FILE")]
    sacct: Option<PathBuf>,
    /// Of FILE's times without an offset, such as Europe/Paris
    #[arg(long, value_name = "NAME", default_value = "UTC", requires = "sacct")]
    sacct_time_zone: String,
}

/// A file of accounting that was read, with its name for messages.
pub struct Accounting {
    path: String,
    file: SacctFile,
}

impl SacctArguments {
    /// The file, read; `None` where none is named.
    ///
    /// # Errors
    /// Bad input: it cannot be read, or the time zone is none.
    pub fn read(&self) -> Result<Option<Accounting>, Failure> {
        let Some(path) = &self.sacct else { return Ok(None) };
        let shown = path.display().to_string();
        let zone = TimeZone::get(&self.sacct_time_zone).map_err(|_| {
            let name = &self.sacct_time_zone;
            let error = format!(
                "--sacct-time-zone {name}: there is no such time zone; take a name such as Europe/Paris"
            );
            Failure::BadInput(vec![error])
        })?;
        let content = std::fs::read(path)
            .map_err(|error| Failure::BadInput(vec![format!("--sacct {shown}: {error}")]))?;
        // Users write names of jobs in any encoding.
        let file =
            SacctFile::read(&String::from_utf8_lossy(&content), &zone).map_err(|errors| {
                Failure::BadInput(errors.iter().map(|it| format!("{shown}: {it}")).collect())
            })?;
        if file.repeated > 0 {
            let count = file.repeated;
            tell(format_args!(
                "{shown}: {count} lines are of jobs that stand again further below, by cluster, JobIDRaw and \
                 Submit; the last line of each job counts"
            ));
        }
        Ok(Some(Accounting { path: shown, file }))
    }
}

/// The parameters of the API for a report that is joined with a file.
pub fn query(arguments: &Arguments) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut query = arguments.hours.window()?;
    let by_month = arguments.by.iter().any(|key| key == "month");
    query.push(("by", if by_month { format!("{ASKED},month") } else { ASKED.to_owned() }));
    Ok(query)
}

/// The report that the API tells, joined with a file and added up as it is wanted. Says how many jobs were found.
pub fn joined(
    arguments: &Arguments,
    accounting: &Accounting,
    report: ReportDocument,
) -> PrintedReport {
    let Accounting { path, file } = accounting;
    let by = arguments.by.iter().filter_map(|word| ReportColumn::from_word(word)?.key());
    let wanted = ReportSelection {
        by: by.collect(),
        by_month: arguments.by.iter().any(|word| word == "month"),
        user: arguments.hours.user().cloned(),
        project: arguments.hours.project().cloned(),
    };
    let (rows, found) = Join::new(file).rows(report.rows, &wanted);
    let JoinCounts { matched, only_in_file, only_in_ledger } = found;
    tell(format_args!(
        "{path}: {matched} jobs have rows in the ledger, {only_in_file} have none; {only_in_ledger} jobs of the \
         ledger are not in the file"
    ));
    let by_job = arguments.by.iter().any(|key| key == "job");
    PrintedReport {
        from: report.from,
        to: report.to,
        by: arguments.by.clone(),
        stated_to: report.stated_to,
        co2_sources: report.co2_sources,
        other_co2_accounting: report.other_co2_accounting,
        rows,
        beside: if by_job { file.columns.clone() } else { Vec::new() },
    }
}
