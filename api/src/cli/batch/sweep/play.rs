//! Instances on threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use batch::report::ReportPart;
use batch::simulation::SimulationResults;

use super::super::coverage;
use super::super::formats::Format;
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
    mut finished: impl FnMut(Finished) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, inbox) = mpsc::sync_channel(threads);
    thread::scope(|scope| {
        for _ in 0..threads.min(numbers.len()) {
            let (sender, next, folder) = (sender.clone(), &next, &folder);
            scope.spawn(move || {
                while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed))
                    && !stopped.load(Ordering::Relaxed)
                {
                    let played = one(sweep, number, folder(number).as_deref(), stopped);
                    if sender.send(played).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for played in inbox {
            let kept = match played {
                Ok(Some(played)) if outcome.is_ok() => finished(played).map_err(Failure::Other),
                Ok(_) => Ok(()),
                Err(failure) => Err(failure),
            };
            if kept.is_err() {
                stopped.store(true, Ordering::Relaxed);
                outcome = outcome.and(kept);
            }
        }
        outcome
    })
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
    let named = |error: String| format!("instance {}: {error}", number + 1);
    match played {
        Ok(played) => {
            let results = results::timeless(&played)?;
            Ok(Some(Finished { instance: number, results }))
        }
        Err(Failure::BadInput(errors)) => {
            Err(Failure::BadInput(errors.into_iter().map(named).collect()))
        }
        Err(Failure::Other(error)) => {
            Err(Failure::Other(error.context(format!("instance {}", number + 1))))
        }
        Err(failure) => Err(failure),
    }
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
