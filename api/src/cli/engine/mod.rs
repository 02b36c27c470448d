//! Parts of long work that a cluster plays.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

mod kubernetes;
mod slurm;
mod yaml;

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use indicatif::ProgressBar;

use super::Failure;
use super::out::Target;
use super::sbatch::quoted;
use kubernetes::KubernetesArguments;

/// What plays the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// An array of jobs, found by sbatch on the PATH or by WATTBOOK_SBATCH
    Slurm,
    /// An indexed job, whose manifest is written for kubectl
    Kubernetes,
}

/// Whether a cluster plays it.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineArguments {
    /// Have a cluster play the parts. With slurm they are submitted, and a job that writes the results after them, and watched
    /// until they have ended; --out must be a folder that its nodes share. With kubernetes a manifest is written; --out must be
    /// a store or a folder of --volume-claim
    #[arg(long, value_name = "ENGINE", requires_all = ["parts", "out"], conflicts_with_all = ["part", "force"])]
    on: Option<Engine>,
    /// With --on: how many parts
    #[arg(long, value_name = "N", requires = "on")]
    parts: Option<NonZero<usize>>,
    /// With --on slurm: an option of sbatch for all jobs, such as --partition=batch; may be repeated
    #[arg(long, value_name = "OPTION", requires = "on", allow_hyphen_values = true)]
    sbatch_option: Vec<String>,
    #[command(flatten)]
    kubernetes: KubernetesArguments,
}

/// What is to be played in parts.
pub struct LongWork<'a> {
    /// Where the results go, as the command says it.
    pub out: &'a Path,
    /// How many pieces are dealt to the parts.
    pub pieces: usize,
    /// Every file that is read.
    pub inputs: Vec<&'a Path>,
}

impl EngineArguments {
    /// How many parts the cluster is to play; `None` where this process plays.
    pub fn parts(&self) -> Option<usize> {
        self.on.and(self.parts).map(NonZero::get)
    }

    /// Has the cluster play this command's work, in so many parts.
    ///
    /// # Errors
    /// The cluster cannot play it, or not as these arguments say.
    pub fn play(
        &self,
        parts: usize,
        work: &LongWork<'_>,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let parts = parts.min(work.pieces.max(1));
        let is_said = |option: &&&str| all_words().any(|word| is_option(&word, option));
        let other: &[&str] = match self.on {
            Some(Engine::Kubernetes) => &slurm::OPTIONS,
            _ => &kubernetes::OPTIONS,
        };
        if let Some(option) = other.iter().find(is_said) {
            let error = format!("{option} goes with another --on: see --help");
            return Err(Failure::BadInput(vec![error]));
        }
        match self.on {
            Some(Engine::Kubernetes) => {
                let target = Target::of(work.out)?;
                self.kubernetes.write(parts, work, &target)
            }
            _ => slurm::play(parts, work, &self.sbatch_option, bar),
        }
    }
}

/// The words of this process.
fn all_words() -> impl Iterator<Item = OsString> {
    std::env::args_os().skip(1)
}

fn is_option(word: &OsStr, option: &str) -> bool {
    let text = word.to_string_lossy();
    text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// A command's words without those about the cluster.
fn own_words(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let about = [["--on", "--parts"].as_slice(), &slurm::OPTIONS, &kubernetes::OPTIONS].concat();
    let mut words = Vec::new();
    let mut all = all;
    while let Some(word) = all.next() {
        let Some(option) = about.iter().find(|option| is_option(&word, option)) else {
            words.push(word);
            continue;
        };
        if word.len() == option.len() {
            all.next();
        }
    }
    words
}

/// This process's command without the words about the cluster, as a shell reads it.
fn own_command() -> anyhow::Result<String> {
    let program = std::env::current_exe().context("it is not known which program this is")?;
    let words = own_words(all_words());
    let all = [program.as_os_str()].into_iter().chain(words.iter().map(OsString::as_os_str));
    Ok(all.map(quoted).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_the_same_command_without_the_cluster() {
        let line = "batch sweep it's.toml --on slurm --parts=8 --out o --sbatch-option --mem=1G --image i --cpu=2 --threads 2";
        let words = own_words(line.split(' ').map(OsString::from));
        assert_eq!(words, ["batch", "sweep", "it's.toml", "--out", "o", "--threads", "2"]);
    }
}
