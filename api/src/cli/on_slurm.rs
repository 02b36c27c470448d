//! Parts of long work that Slurm plays: an array of jobs, one for each part, and a job that writes the results once all of these
//! have ended, however they ended. It plays what parts that were lost have left.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use clap::ValueEnum;
use indicatif::ProgressBar;

use super::sbatch::{Programs, quoted};
use super::{Failure, journal, out, tell};

/// How often Slurm is asked.
const LOOK: Duration = Duration::from_secs(2);

/// Slurm is out of reach for so many looks in a row.
const MOST_SILENT: u32 = 150;

/// What plays the parts.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Engine {
    /// An array of jobs, found by sbatch on the PATH or by WATTBOOK_SBATCH
    Slurm,
}

/// Whether a cluster plays it.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineArguments {
    /// Submit the parts to a cluster, and a job that writes the results after them, and watch until they have ended;
    /// --out must be a folder that its nodes share
    #[arg(long, value_name = "ENGINE", requires_all = ["parts", "out"], conflicts_with_all = ["part", "force"])]
    on: Option<Engine>,
    /// With --on: how many parts
    #[arg(long, value_name = "N", requires = "on")]
    parts: Option<NonZero<usize>>,
    /// With --on slurm: an option of sbatch for all jobs, such as --partition=batch; may be repeated
    #[arg(long, value_name = "OPTION", requires = "on", allow_hyphen_values = true)]
    sbatch_option: Vec<String>,
}

impl EngineArguments {
    /// How many parts the cluster is to play; `None` where this process plays.
    pub fn parts(&self) -> Option<usize> {
        self.on.and(self.parts).map(NonZero::get)
    }

    /// Has Slurm play this command's `pieces` into `folder`, in so many parts.
    ///
    /// # Errors
    /// sbatch cannot be run or refuses the jobs; there are no results when they have ended.
    pub fn play(
        &self,
        parts: usize,
        folder: &Path,
        pieces: usize,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        out::check_unfinished(folder, None)?;
        let slurm = Programs::find()?;
        let jobs = Jobs { slurm, options: &self.sbatch_option, logs: folder.join("slurm") };
        fs::create_dir_all(&jobs.logs)
            .with_context(|| format!("cannot make the folder {}", jobs.logs.display()))?;
        let parts = parts.min(pieces.max(1));
        let words = own_words(std::env::args_os().skip(1));
        let command = in_shell(&words)?;
        let array = [format!("--array=1-{parts}"), "--job-name=wattbook-parts".to_owned()];
        let part = format!("{command} --part \"$SLURM_ARRAY_TASK_ID/{parts}\"");
        let array = jobs.submit(&part, &array, "part-%a.log")?;
        let after =
            [format!("--dependency=afterany:{array}"), "--job-name=wattbook-results".into()];
        let results = jobs.submit(&command, &after, "results.log").inspect_err(|_| {
            let _ = jobs.program("scancel").arg(&array).status();
        })?;
        tell(format_args!(
            "submitted {parts} parts as job {array}, and job {results} for the results; who ends this command does not end them"
        ));
        jobs.wait_for(&results, || bar.set_position(journal::finished_of_parts(folder)))?;
        bar.finish_and_clear();
        jobs.end(folder, &command, parts)
    }
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
    fn end(&self, folder: &Path, command: &str, parts: usize) -> Result<(), Failure> {
        let said = fs::read_to_string(self.logs.join("results.log")).unwrap_or_default();
        if !out::is_finished(folder)? {
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

/// This command's words without those about the cluster.
fn own_words(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    const ABOUT_CLUSTER: [&str; 3] = ["--on", "--parts", "--sbatch-option"];
    let mut words = Vec::new();
    let mut all = all;
    while let Some(word) = all.next() {
        let text = word.to_string_lossy();
        if ABOUT_CLUSTER.contains(&text.as_ref()) {
            all.next();
        } else if !ABOUT_CLUSTER.iter().any(|it| text.starts_with(&format!("{it}="))) {
            words.push(word);
        }
    }
    words
}

/// This program with these words, as a shell reads them.
fn in_shell(words: &[OsString]) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("it is not known which program this is")?;
    let all = [program.as_os_str()].into_iter().chain(words.iter().map(OsString::as_os_str));
    Ok(all.map(quoted).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_the_same_command_without_the_cluster() {
        let line = "batch sweep it's.toml --on slurm --parts=8 --out o --sbatch-option --mem=1G --threads 2";
        let words = own_words(line.split(' ').map(OsString::from));
        assert_eq!(words, ["batch", "sweep", "it's.toml", "--out", "o", "--threads", "2"]);
    }
}
