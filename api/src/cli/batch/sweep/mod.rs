//! `wattbook batch sweep`: a parameter sweep, many simulations from one file.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

mod file;
mod instances;
mod play;
mod policies;
mod results;
mod systems;
mod text;

use std::fs;
use std::io::IsTerminal;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::watch::WatchArguments;
use crate::cli::engine::{EngineArguments, LongWork};
use crate::cli::interrupt::on_interrupt;
use crate::cli::journal::Journal;
use crate::cli::out::Target;
use crate::cli::parts::{Part, PartArguments};
use crate::cli::{Failure, out, tell};
use instances::Sweep;
use results::{Finished, is_partly_covered};
use systems::SystemSweepArguments;

/// A parameter sweep.
#[derive(clap::Args)]
pub struct Arguments {
    /// The sweep (TOML): lists of workloads, platforms and policies with their options; paths in it are
    /// relative to it (docs/guide/batch-queues.md); with [[systems]] in place of platforms as docs/DISPATCH.md says
    #[arg(value_name = "SWEEP", required_unless_present = "system")]
    file: Option<PathBuf>,
    #[command(flatten)]
    systems: SystemSweepArguments,
    /// Where results.csv, a row for each instance, and instances/ with a summary of each are written.
    /// What is finished is kept when interrupted, and the same command goes on from it. A folder, or a store by S3 as
    /// s3://BUCKET/PREFIX, which the variables of AWS in the environment say how to reach
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace the results that are in --out
    #[arg(long)]
    force: bool,
    /// Threads to play on [default: all cores]
    #[arg(long)]
    threads: Option<NonZero<usize>>,
    #[command(flatten)]
    part: PartArguments,
    #[command(flatten)]
    engine: EngineArguments,
    #[command(flatten)]
    watch: WatchArguments,
}

/// What differs from one time to the next: everything else has the same bytes for the same sweep.
#[derive(Serialize)]
struct Timing {
    wall_s: f64,
    threads: usize,
    /// The others were kept from before.
    instances_played: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.file {
        Some(file) if !systems::is_of_systems(file) => on_machines(arguments, file),
        _ => systems::run(arguments),
    }
}

/// Plays what a file without systems says.
fn on_machines(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    if arguments.watch.asked() {
        let error = "--watch and --watch-on show simulations on systems: the sweep has none";
        return Err(Failure::BadInput(vec![error.to_owned()]));
    }
    let began = Instant::now();
    let sweep = Sweep::of(file, file::read(file)?)?;
    let pieces = sweep.instances.len();
    if let Some(parts) = arguments.engine.parts() {
        let inputs = sweep.digests.keys().map(PathBuf::as_path).chain([file]);
        let work = LongWork { out: &arguments.out, pieces, inputs: inputs.collect() };
        return arguments.engine.play(parts, &work, &progress_bar(pieces, 0));
    }
    let target = &Target::of(&arguments.out)?;
    let fingerprint = fingerprint(file, &sweep)?;
    let part = arguments.part.part;
    let (mut journal, kept) =
        Journal::open::<Finished>(target, &fingerprint, arguments.force, part)?;
    journal.tell_left(pieces);
    let mut all: Vec<Option<Finished>> = sweep.instances.iter().map(|_| None).collect();
    for finished in kept {
        let place = finished.instance;
        all[place] = Some(finished);
    }
    let (left, before) = left_of(&all, part);
    let threads = arguments
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), NonZero::get);
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    on_interrupt(move || seen.store(true, Ordering::Relaxed));
    let bar = progress_bar(left.len() + before, before);
    let folder = |number| sweep.file.tables.then(|| results::folder(target.folder(), number));
    let finished = |finished: Finished| {
        results::summary(target.folder(), &sweep, &finished)?;
        journal.add(&finished)?;
        let place = finished.instance;
        all[place] = Some(finished);
        bar.inc(1);
        Ok(())
    };
    let played = play::play(&sweep, &left, threads, folder, &stopped, finished);
    bar.finish_and_clear();
    target.send()?;
    played?;
    if stopped.load(Ordering::Relaxed) {
        let how = "finished instances are kept, and the same command goes on from them";
        return Err(anyhow!("interrupted: {how} ({target})").into());
    }
    if let Some(part) = part {
        part.tell_played(target);
        return Ok(());
    }
    let all: Vec<Finished> = all.into_iter().flatten().collect();
    let folder = target.folder();
    results::table(folder, &sweep, &all)?;
    let wall_s = began.elapsed().as_secs_f64();
    let timing = Timing { wall_s, threads, instances_played: left.len() };
    let text = serde_json::to_string_pretty(&timing)? + "\n";
    fs::write(folder.join("timing.json"), text)
        .with_context(|| format!("cannot write {}", folder.join("timing.json").display()))?;
    journal.finish()?;
    tell_covered(all.iter().filter(|it| is_partly_covered(&it.results)).count(), all.len());
    out::tell_written(target);
    Ok(())
}

/// The numbers of what is left to play of a part, or of the whole, and how much of it was finished before.
fn left_of<T>(all: &[Option<T>], part: Option<Part>) -> (Vec<usize>, usize) {
    let ours = (0..all.len()).filter(|number| part.is_none_or(|part| part.has(*number)));
    let (left, before): (Vec<usize>, Vec<usize>) = ours.partition(|number| all[*number].is_none());
    (left, before.len())
}

/// Says that the supplier's tables do not cover all energy or time of some instances.
fn tell_covered(partly: usize, instances: usize) {
    if partly > 0 {
        tell(format!(
            "the supplier's tables do not cover {partly} of {instances} instances: their cost and CO2 are of the \
             covered part, and the columns that end in _covered_share say how large that is"
        ));
    }
}

/// What a journal is of: another sweep, other contents of its files or another program begin anew.
fn fingerprint(file: &Path, sweep: &Sweep) -> anyhow::Result<String> {
    let text = fs::read_to_string(file)?;
    Ok(serde_json::to_string(&(env!("CARGO_PKG_VERSION"), text, &sweep.digests))?)
}

/// Shows how many of so many simulations have ended, on a terminal.
pub(super) fn progress_bar(instances: usize, finished: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} instances, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(instances as u64).with_style(style);
    bar.set_position(finished as u64);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
