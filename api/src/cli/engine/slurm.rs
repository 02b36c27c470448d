//! Parts of long work that Slurm plays: an array of jobs, one for each part, and a job that writes the results once all of these
//! have ended, however they ended. It plays what parts that were lost have left.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use indicatif::ProgressBar;

use super::{LongWork, own_command};
use crate::cli::out::Target;
use crate::cli::sbatch::Programs;
use crate::cli::{Failure, journal, out, tell};

/// How often Slurm is asked.
const LOOK: Duration = Duration::from_secs(2);

/// Slurm is out of reach for so many looks in a row.
const MOST_SILENT: u32 = 150;

/// The options that are about it.
pub const OPTIONS: [&str; 1] = ["--sbatch-option"];

/// Has Slurm play the parts of `work`, all jobs with these options of sbatch.
///
/// # Errors
/// Results go to a store; sbatch cannot be run or refuses the jobs; there are no results when they have ended.
pub fn play(
    parts: usize,
    work: &LongWork<'_>,
    options: &[String],
    bar: &ProgressBar,
) -> Result<(), Failure> {
    if out::store_address(work.out).is_some() {
        let error = "--on slurm keeps what jobs say beside the parts: --out must be a folder that its nodes share";
        return Err(Failure::BadInput(vec![error.to_owned()]));
    }
    let target = &Target::Folder(work.out.to_owned());
    out::check_unfinished(target, None)?;
    let slurm = Programs::find()?;
    let jobs = Jobs { slurm, options, logs: work.out.join("slurm") };
    fs::create_dir_all(&jobs.logs)
        .with_context(|| format!("cannot make the folder {}", jobs.logs.display()))?;
    let command = own_command()?;
    let array = [format!("--array=1-{parts}"), "--job-name=wattbook-parts".to_owned()];
    let part = format!("{command} --part \"$SLURM_ARRAY_TASK_ID/{parts}\"");
    let array = jobs.submit(&part, &array, "part-%a.log")?;
    let after = [format!("--dependency=afterany:{array}"), "--job-name=wattbook-results".into()];
    let results = jobs.submit(&command, &after, "results.log").inspect_err(|_| {
        let _ = jobs.program("scancel").arg(&array).status();
    })?;
    tell(format_args!(
        "submitted {parts} parts as job {array}, and job {results} for the results; who ends this command does not end them"
    ));
    jobs.wait_for(&results, || bar.set_position(journal::finished_of_parts(target)))?;
    bar.finish_and_clear();
    jobs.end(target, &command, parts)
}

/// What was submitted, and where it writes what it says.
struct Jobs<'a> {
    slurm: Programs,
    options: &'a [String],
    logs: PathBuf,
}

impl Jobs<'_> {
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.slurm.beside(name));
        command.stdin(Stdio::null());
        command
    }

    /// Submits a job that runs a command; its number.
    fn submit(&self, command: &str, options: &[String], log: &str) -> anyhow::Result<String> {
        let mut sbatch = self.slurm.command();
        sbatch.args(["--parsable", "--open-mode=append"]).args(self.options).args(options);
        sbatch.arg("--output").arg(self.logs.join(log));
        sbatch.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = sbatch.spawn().context("cannot run sbatch")?;
        if let Some(mut input) = child.stdin.take() {
            writeln!(input, "#!/bin/sh\nexec {command}").context("cannot speak to sbatch")?;
        }
        let Output { status, stdout, stderr } = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&stderr);
        ensure!(status.success(), "sbatch refused the jobs: {}", said.trim());
        let told = String::from_utf8_lossy(&stdout);
        let id = told.trim().split(';').next().unwrap_or_default();
        ensure!(!id.is_empty(), "sbatch did not say the number of the job");
        Ok(id.to_owned())
    }

    /// Waits until a job has ended.
    fn wait_for(&self, job: &str, look: impl Fn()) -> anyhow::Result<()> {
        let mut silent = 0;
        loop {
            thread::sleep(LOOK);
            look();
            let mut squeue = self.program("squeue");
            squeue.args(["--noheader", "--format=%T", "--jobs", job]);
            let Output { status, stdout, stderr } = squeue.output().context("cannot run squeue")?;
            let said = String::from_utf8_lossy(&stderr);
            if status.success() {
                silent = 0;
                // Those that have ended are not listed.
                if String::from_utf8_lossy(&stdout).trim().is_empty() {
                    return Ok(());
                }
            } else if said.contains("Invalid job id") {
                return Ok(());
            } else {
                silent += 1;
                ensure!(silent < MOST_SILENT, "Slurm does not answer: {}", said.trim());
            }
        }
    }

    /// Tells what came of it, and removes what the jobs said where all is well.
    fn end(&self, target: &Target, command: &str, parts: usize) -> Result<(), Failure> {
        let said = fs::read_to_string(self.logs.join("results.log")).unwrap_or_default();
        if !out::is_finished(target)? {
            return Err(anyhow!(
                "the job for the results has ended without them, and said: {}\nWhat parts said is in {}; a part is played \
                 again alone by: {command} --part 1/{parts}",
                said.trim(),
                self.logs.display()
            )
            .into());
        }
        tell(said.trim());
        let removed = fs::remove_dir_all(&self.logs);
        Ok(removed.with_context(|| format!("cannot remove {}", self.logs.display()))?)
    }
}
