//! Parameter sweeps on systems of several resources: from a file with `[[systems]]`, or from arguments.

mod arguments;
mod baselines;
mod file;
mod instances;
mod play;
mod policies;
mod results;
mod supplies;

use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, anyhow};
use serde::Serialize;

use super::super::files::Pending;
use super::super::watch::{WatchArguments, Watched};
use super::{Arguments, left_of, progress_bar, tell_covered};
use crate::cli::engine::LongWork;
use crate::cli::interrupt::on_interrupt;
use crate::cli::journal::Journal;
use crate::cli::out::Target;
use crate::cli::{Failure, out};
pub use arguments::SystemSweepArguments;
use instances::SystemSweep;
use results::FinishedRun;

/// What differs from one time to the next, beside timing.csv.
#[derive(Serialize)]
struct Timing {
    wall_s: f64,
    threads: usize,
    /// The others were kept from before.
    instances_played: usize,
}

/// Whether a file is of systems; what is wrong with it otherwise is told when it is read.
pub fn is_of_systems(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    toml::from_str::<toml::Table>(&text).is_ok_and(|document| document.contains_key("systems"))
}

/// Plays what the arguments or their file say.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let began = Instant::now();
    let asked = match &arguments.file {
        Some(file) => file::read(file)?,
        None => arguments.systems.asked()?,
    };
    let sweep = SystemSweep::of(asked)?;
    let pieces = sweep.instances.len();
    if let Some(parts) = arguments.engine.parts() {
        let inputs = sweep.files().chain(arguments.file.as_deref()).collect();
        let work = LongWork { out: &arguments.out, pieces, inputs };
        return arguments.engine.play(parts, &work, &progress_bar(pieces, 0));
    }
    let target = &Target::of(&arguments.out)?;
    let part = arguments.part.part;
    let (mut journal, kept) =
        Journal::open::<FinishedRun>(target, &sweep.fingerprint()?, arguments.force, part)?;
    journal.tell_left(pieces);
    let mut all: Vec<Option<FinishedRun>> = sweep.instances.iter().map(|_| None).collect();
    for finished in kept {
        let place = finished.instance;
        all[place] = Some(finished);
    }
    let (left, before) = left_of(&all, part);
    let threads = arguments
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), NonZero::get);
    let folder = target.folder();
    let played = play_left(arguments, &sweep, (&left, before), threads, |finished| {
        results::summary(folder, &sweep, &finished)?;
        journal.add(&finished)?;
        let place = finished.instance;
        all[place] = Some(finished);
        Ok(())
    });
    target.send()?;
    played?;
    if let Some(part) = part {
        part.tell_played(target);
        return Ok(());
    }
    let all: Vec<FinishedRun> = all.into_iter().flatten().collect();
    results::tables(folder, &sweep, &all)?;
    write(folder, "report.html", &results::report(&sweep, &all))?;
    let wall_s = began.elapsed().as_secs_f64();
    let timing = Timing { wall_s, threads, instances_played: left.len() };
    write(folder, "timing.json", &(serde_json::to_string_pretty(&timing)? + "\n"))?;
    journal.finish()?;
    tell_covered(all.iter().filter(|it| it.is_partly_covered()).count(), all.len());
    out::tell_written(target);
    Ok(())
}

/// Plays what is left, and shows it; an error where it is interrupted.
fn play_left(
    arguments: &Arguments,
    sweep: &SystemSweep,
    (left, before): (&[usize], usize),
    threads: usize,
    mut finished: impl FnMut(FinishedRun) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    on_interrupt(move || seen.store(true, Ordering::Relaxed));
    let (instances, done) = (left.len() + before, before);
    let watched = Watched::new(instances, done);
    let viewers = arguments.watch.show(&watched)?;
    let bar = bar(&arguments.watch, instances, done);
    let watched = arguments.watch.asked().then_some(&*watched);
    let played = play::play(sweep, left, threads, watched, &stopped, |run| {
        finished(run)?;
        if let Some(bar) = &bar {
            bar.inc(1);
        }
        Ok(())
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    drop(viewers);
    played?;
    if stopped.load(Ordering::Relaxed) {
        let place = arguments.out.display();
        let how = "finished instances are kept, and the same command goes on from them";
        return Err(anyhow!("interrupted: {how} ({place})").into());
    }
    Ok(())
}

/// Two things cannot be painted on one terminal.
fn bar(watch: &WatchArguments, instances: usize, done: usize) -> Option<indicatif::ProgressBar> {
    (!watch.on_terminal()).then(|| progress_bar(instances, done))
}

fn write(target: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let (pending, mut file) = Pending::create(target, name)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))?;
    file.flush()?;
    drop(file);
    pending.keep()
}
