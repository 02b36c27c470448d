//! What an instance plays.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batch::report::ReportPart;
use batch::simulation::SimulationResults;

use super::super::coverage;
use super::super::formats::Format;
use super::super::on_threads::{of_instance, on_threads};
use super::super::outputs::Outputs;
use super::instances::{Instance, Sweep};
use super::results::{self, Finished};
use crate::cli::Failure;

/// Plays instances by their numbers, in this order, on `threads` threads; `finished` is called on the
/// caller's thread with each as it ends. Ends early, without an error, once `stopped` is set.
pub fn play(
    sweep: &Sweep,
    numbers: &[usize],
    threads: usize,
    folder: impl Fn(usize) -> Option<PathBuf> + Sync,
    stopped: &Arc<AtomicBool>,
    finished: impl FnMut(Finished) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let one = |number| one(sweep, number, folder(number).as_deref(), stopped);
    on_threads(numbers, threads, stopped, one, finished)
}

/// Plays one instance; nothing where it was stopped meanwhile.
fn one(
    sweep: &Sweep,
    number: usize,
    folder: Option<&Path>,
    stopped: &Arc<AtomicBool>,
) -> Result<Option<Finished>, Failure> {
    let played = simulate(sweep, sweep.instances[number], folder, stopped);
    if stopped.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let played = played.map_err(|failure| of_instance(number, failure))?;
    let results = results::timeless(&played)?;
    Ok(Some(Finished { instance: number, results }))
}

/// Plays the simulation of an instance, with tables in `folder`, if there is one.
fn simulate(
    sweep: &Sweep,
    instance: Instance,
    folder: Option<&Path>,
    stopped: &Arc<AtomicBool>,
) -> Result<SimulationResults, Failure> {
    let cluster = sweep.cluster(instance);
    let mut jobs = sweep.jobs(instance, stopped)?;
    let simulation = sweep.simulation(instance, folder.is_some());
    simulation.check_coverage().map_err(|uncovered| coverage::before(cluster, &uncovered))?;
    let part = ReportPart::default();
    let mut outputs = Outputs::create(folder, &[Format::Csv], &cluster.platform, part)?;
    let played = simulation.play(&mut jobs, &mut outputs);
    let results = played.map_err(|error| coverage::failure(cluster, error))?;
    outputs.finish(&results.summary, results.policy, None)?;
    Ok(results)
}
