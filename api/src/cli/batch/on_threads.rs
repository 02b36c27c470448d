//! Instances on threads, whatever is simulated.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::cli::Failure;

/// Plays instances by their numbers, in this order, on `threads` threads; `finished` is called on the
/// caller's thread with each as it ends. Ends early, without an error, once `stopped` is set; then `one` gives nothing.
pub fn on_threads<T: Send>(
    numbers: &[usize],
    threads: usize,
    stopped: &AtomicBool,
    one: impl Fn(usize) -> Result<Option<T>, Failure> + Sync,
    mut finished: impl FnMut(T) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, inbox) = mpsc::sync_channel(threads);
    thread::scope(|scope| {
        for _ in 0..threads.min(numbers.len()) {
            let (sender, next, one) = (sender.clone(), &next, &one);
            scope.spawn(move || {
                while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed))
                    && !stopped.load(Ordering::Relaxed)
                {
                    if sender.send(one(number)).is_err() {
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

/// A failure that says of which instance it is.
pub fn of_instance(number: usize, failure: Failure) -> Failure {
    let instance = format!("instance {}", number + 1);
    match failure {
        Failure::BadInput(errors) => {
            let named = errors.into_iter().map(|error| format!("{instance}: {error}"));
            Failure::BadInput(named.collect())
        }
        Failure::Other(error) => Failure::Other(error.context(instance)),
        failure => failure,
    }
}
