//! Instances on threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use super::super::run::{self, Ended};
use super::instances::{Campaign, Instance};
use super::results::{self, Finished};
use crate::cli::Failure;

/// Plays instances by their numbers, in this order, on `threads` threads; `finished` is called on the
/// caller's thread with each as it ends. Ends early, without an error, once `stopped` is set.
pub fn play(
    campaign: &Campaign,
    numbers: &[usize],
    threads: usize,
    folder: impl Fn(usize) -> Option<std::path::PathBuf> + Sync,
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
                    let played = one(campaign, number, folder(number), stopped);
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
    campaign: &Campaign,
    number: usize,
    folder: Option<std::path::PathBuf>,
    stopped: &Arc<AtomicBool>,
) -> Result<Option<Finished>, Failure> {
    let instance: Instance = campaign.instances[number];
    let arguments = campaign.arguments(instance, folder);
    let options = arguments.options()?;
    let jobs = campaign.jobs(instance, stopped)?;
    let played = run::play_jobs(&arguments, &options, campaign.given(instance), jobs);
    if stopped.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let named = |error: String| format!("instance {}: {error}", number + 1);
    match played {
        Ok(played) => {
            let results = results::timeless(&played)?;
            Ok(Some(Finished { instance: number, results }))
        }
        Err(Ended::Disordered) => Err(Failure::BadInput(vec![named("is in disorder".to_owned())])),
        Err(Ended::Failed(Failure::BadInput(errors))) => {
            Err(Failure::BadInput(errors.into_iter().map(named).collect()))
        }
        Err(Ended::Failed(Failure::Other(error))) => {
            Err(Failure::Other(error.context(format!("instance {}", number + 1))))
        }
        Err(Ended::Failed(failure)) => Err(failure),
    }
}
