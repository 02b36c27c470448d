//! Plays the runs of all cells on threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use simulator::sesames::{Cell, PlayedRun, SesamesError};

use super::judge::Judge;
use super::progress::{PoolError, Progress};

/// How often the caller is told, at least.
const TICK: Duration = Duration::from_millis(200);

/// Plays `tasks`, each a cell and a run, on `threads` threads, in their order. `finished` is called on
/// the caller's thread with each run as it ends, `tick` every now and then. Ends early, without an
/// error, when `progress.stopped` is set.
///
/// # Errors
/// The first that a run or `finished` has.
pub fn play(
    cells: &[Cell],
    tasks: &[(usize, u32)],
    threads: usize,
    progress: &Progress,
    mut finished: impl FnMut(usize, PlayedRun) -> anyhow::Result<()>,
    mut tick: impl FnMut(),
) -> Result<(), PoolError> {
    let next = AtomicUsize::new(0);
    // One at a time: a checker needs room for each node.
    let turn = Mutex::new(());
    let (results, inbox) = mpsc::sync_channel(threads);
    thread::scope(|scope| {
        for _ in 0..threads.min(tasks.len()).max(1) {
            let (results, next, turn) = (results.clone(), &next, &turn);
            scope.spawn(move || {
                while let Some(&(cell, run)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judge = Judge { cell: &cells[cell], progress, turn };
                    let played = judge.play(run).map(|played| (cell, played));
                    let failed = played.is_err();
                    if results.send(played).is_err() || failed {
                        break;
                    }
                }
            });
        }
        drop(results);
        let mut outcome = Ok(());
        loop {
            match inbox.recv_timeout(TICK) {
                Ok(Ok((cell, played))) if outcome.is_ok() => {
                    outcome = finished(cell, played).map_err(PoolError::Other);
                }
                Ok(Err(PoolError::Run(SesamesError::Cancelled)) | Ok(_))
                | Err(mpsc::RecvTimeoutError::Timeout) => {}
                Ok(Err(error)) => outcome = outcome.and(Err(error)),
                Err(mpsc::RecvTimeoutError::Disconnected) => break outcome,
            }
            if outcome.is_err() {
                progress.stopped.store(true, Ordering::Relaxed);
            }
            tick();
        }
    })
}
