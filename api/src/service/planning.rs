//! Planning off the async threads: bounded, cancellable, with a time limit.
//!
//! A plan is cancelled when its caller goes away or its time is up. At most `threads` plans run
//! and `queue` wait; more are refused at once, so that load never piles up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use planner::search::Cancelled;
use tokio::sync::Semaphore;

use super::ServiceError;
use crate::config::Settings;

/// Runs plans on blocking threads.
#[derive(Debug)]
pub struct PlanningPool {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
    time_limit: Duration,
}

/// Tells a running plan to stop when it goes out of scope.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One place in the queue.
pub struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PlanningPool {
    /// A pool of the size the settings say.
    pub fn new(settings: &Settings) -> Self {
        Self {
            running: Arc::new(Semaphore::new(settings.planning_threads)),
            waiting: AtomicUsize::new(0),
            queue: settings.planning_queue,
            time_limit: settings.planning_time_limit,
        }
    }

    /// Runs `plan`, which asks the function it is given whether to stop.
    ///
    /// # Errors
    /// `Overloaded` when the queue is full, `TimeLimit` when the plan took too long.
    pub async fn run<T: Send + 'static>(
        &self,
        plan: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Cancelled> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permit = {
            let _place = self.queue_up()?;
            let acquired = Arc::clone(&self.running).acquire_owned().await;
            acquired.map_err(|error| ServiceError::Internal(error.into()))?
        };
        let flag = Arc::new(AtomicBool::new(false));
        let _cancel = CancelOnDrop(Arc::clone(&flag));
        // The permit goes with the work: a cancelled plan still holds its thread until it stops.
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            plan(&|| flag.load(Ordering::Relaxed))
        });
        match tokio::time::timeout(self.time_limit, work).await {
            Ok(Ok(Ok(planned))) => Ok(planned),
            Ok(Ok(Err(Cancelled))) | Err(_) => Err(ServiceError::TimeLimit),
            Ok(Err(panicked)) => Err(ServiceError::Internal(panicked.into())),
        }
    }

    /// Takes a place in the queue, given back when it goes out of scope.
    ///
    /// # Errors
    /// `Overloaded` when the queue is full.
    pub fn queue_up(&self) -> Result<Place<'_>, ServiceError> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.waiting);
        if before >= self.queue { Err(ServiceError::Overloaded) } else { Ok(place) }
    }
}
