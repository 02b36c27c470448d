//! Planning off the async threads: bounded, cancellable, with a time limit, in turn.
//!
//! A plan is cancelled when its caller goes away or its time is up. At most `threads` plans run
//! and `queue` wait; more are refused at once, so that load never piles up. Threads go round among
//! callers (`turns`), and one user's plans never take all of several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use planner::search::Cancelled;

use super::turns::{Most, Party, Turn, Turns};
use super::{Service, ServiceError};
use crate::config::Settings;

/// Runs plans on blocking threads.
#[derive(Debug)]
pub struct PlanningPool {
    threads: Arc<Turns>,
    /// Bookings are made one at a time.
    booking: Arc<Turns>,
    time_limit: Duration,
}

/// Tells a running plan to stop when it goes out of scope.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl PlanningPool {
    /// A pool of the size the settings say.
    pub fn new(settings: &Settings) -> Self {
        let threads = settings.planning_threads;
        let most = Most {
            at_a_time: threads,
            at_a_time_per_user: (threads - 1).max(1),
            waiting: settings.planning_queue,
            per_user: settings.limits.plans_per_user,
        };
        Self {
            threads: Turns::new(most),
            booking: Turns::new(Most { at_a_time: 1, at_a_time_per_user: 1, ..most }),
            time_limit: settings.planning_time_limit,
        }
    }

    /// Runs `plan`, which asks the function it is given whether to stop.
    ///
    /// # Errors
    /// `Overloaded` when the queue is full, `TooManyPlans` when the user's share of it is,
    /// `TimeLimit` when the plan took too long.
    pub async fn run<T: Send + 'static>(
        &self,
        party: Party,
        plan: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Cancelled> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let turn = self.threads.take(party).await?;
        let flag = Arc::new(AtomicBool::new(false));
        let _cancel = CancelOnDrop(Arc::clone(&flag));
        // The turn goes with the work: a cancelled plan still holds its thread until it stops.
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            plan(&|| flag.load(Ordering::Relaxed))
        });
        match tokio::time::timeout(self.time_limit, work).await {
            Ok(Ok(Ok(planned))) => Ok(planned),
            Ok(Ok(Err(Cancelled))) | Err(_) => Err(ServiceError::TimeLimit),
            Ok(Err(panicked)) => Err(ServiceError::Internal(panicked.into())),
        }
    }

    /// Waits until nobody else books, as long as the turn is kept.
    ///
    /// # Errors
    /// `Overloaded`, `TooManyPlans`; neither for the site itself.
    pub async fn booking(&self, party: Party) -> Result<Turn, ServiceError> {
        Ok(self.booking.take(party).await?)
    }
}

impl Service {
    /// Waits until nobody else books: the site is about to.
    ///
    /// # Errors
    /// None: the site is not limited.
    pub(super) async fn site_books(&self) -> Result<Turn, ServiceError> {
        self.pool.booking(Party::Site).await
    }
}
