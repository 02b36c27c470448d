//! Planning off the async threads: bounded, cancellable, with a time limit, in turn.
//!
//! A plan is cancelled when its caller goes away or its time is up. At most `threads` plans run
//! and `queue` wait; more are refused at once, so that load never piles up. Threads go round among
//! callers (`turns`), and one user's plans never take all of several.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use planner::search::Cancelled;
use storage::TRACES;
use tracing::{Instrument, trace_span};

use super::Fault;
use super::turns::{Most, NoTurn, Party, Turn, TurnCounts, Turns};
use crate::config::Settings;

/// Runs plans on blocking threads.
#[derive(Debug)]
pub struct PlanningPool {
    threads: Arc<Turns>,
    /// Bookings are made one at a time.
    booking: Arc<Turns>,
    time_limit: Duration,
}

/// Why a plan was not made, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    /// The queue is full.
    #[error("too many plans are waiting; try again in a second")]
    Overloaded,
    /// One user has as many plans running and waiting as one may have.
    #[error("as many of your plans run and wait as one user's may; ask again when one is answered")]
    TooManyPlans,
    /// The plan was abandoned.
    #[error("planning took longer than the site allows; narrow the window")]
    TimeLimit,
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Counts that somebody got no turn, and says why.
fn refused(error: NoTurn) -> PlanningError {
    let (reason, error) = match error {
        NoTurn::Full => ("overloaded", PlanningError::Overloaded),
        NoTurn::FullForUser => ("too_many_plans", PlanningError::TooManyPlans),
    };
    count_refusal(reason);
    error
}

fn count_refusal(reason: &'static str) {
    metrics::counter!("wattbook_plans_refused_total", "reason" => reason).increment(1);
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
    ) -> Result<T, PlanningError> {
        let waiting = trace_span!(target: TRACES, "wait for a thread");
        let turn = self.threads.take(party).instrument(waiting).await.map_err(refused)?;
        let planning = trace_span!(target: TRACES, "plan");
        let flag = Arc::new(AtomicBool::new(false));
        let _cancel = CancelOnDrop(Arc::clone(&flag));
        // The turn goes with the work: a cancelled plan still holds its thread until it stops.
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            plan(&|| flag.load(Ordering::Relaxed))
        });
        match tokio::time::timeout(self.time_limit, work).instrument(planning).await {
            Ok(Ok(Ok(planned))) => Ok(planned),
            Ok(Ok(Err(Cancelled))) | Err(_) => {
                count_refusal("time_limit");
                Err(PlanningError::TimeLimit)
            }
            Ok(Err(panicked)) => Err(Fault::internal(panicked).into()),
        }
    }

    /// Waits until nobody else books: a caller is about to. The turn lasts as long as it is kept.
    ///
    /// # Errors
    /// `Overloaded`, `TooManyPlans`.
    pub async fn booking_turn(&self, party: Party) -> Result<Turn, PlanningError> {
        let waiting = trace_span!(target: TRACES, "wait for the turn to book");
        self.booking.take(party).instrument(waiting).await.map_err(refused)
    }

    /// How many plans run and wait.
    pub fn plans(&self) -> TurnCounts {
        self.threads.counts()
    }

    /// How many bookings have their turn and wait for it.
    pub fn bookings(&self) -> TurnCounts {
        self.booking.counts()
    }

    /// Waits until nobody else books: the site itself is about to, which is never refused.
    pub async fn site_turn(&self) -> Turn {
        self.booking.take_for_site().await
    }
}
