//! The dialogue with the supplier, and what a changed cap and outages do to the book.
//!
//! One replica does all of it, by a lease; the others only write down what users and the supplier
//! say. Every second, or when something is said: reservations whose nodes fail get others (`mend`,
//! `repair`), the book is judged by the cap, and owners are told (`judge`, `notice`), requests
//! that wait are planned anew (`waiting`), what is missing is asked for (`ask`), and planned
//! consumption is told (`tell`); messages are sent beside that (`deliver`). Each step reads what is, compares it with
//! what should be, and writes the difference, so that a process that dies in the middle leaves
//! nothing that the next one does not finish.

mod answer;
mod ask;
mod carrier;
mod consumption;
mod deliver;
pub mod document;
mod error;
#[cfg(feature = "openadr")]
mod hear;
mod judge;
mod lists;
mod mend;
mod notice;
#[cfg(feature = "openadr")]
mod openadr;
mod repair;
mod tell;
mod waiting;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use planner::identity::ReservationId;
use planner::time::Timestamp;
use tokio_util::sync::CancellationToken;

use super::booking::BookingService;
use super::shared::Shared;
use error::TurnError;

pub use answer::{Answered, GrantedPower, SupplierAnswer};
pub use consumption::{ConsumptionReport, Reported};
pub use deliver::LOOK as DELIVER_EVERY;
pub use error::DialogueError;
pub use lists::{MessagesPage, NegotiationsPage};

/// The lease of the dialogue.
pub const LEASE: &str = "negotiation";

/// It lasts at the most so long: who lost power or nodes should not wait for what a killed process
/// had. Whatever the dialogue does may be begun again at any time, so that losing the lease in vain
/// on a busy machine does no harm.
pub const LEASE_LASTS: Duration = Duration::from_secs(3);

/// How often it is looked what has to be done.
pub const LOOK: Duration = Duration::from_secs(1);

/// Speaks with the supplier, and keeps the book in order where its cap or nodes fail.
pub struct DialogueService {
    shared: Arc<Shared>,
    booking: Arc<BookingService>,
    memo: Mutex<Memo>,
}

/// What this replica did last, so that nothing is done twice in vain.
#[derive(Clone, Debug, Default)]
struct Memo {
    /// The count of changes that was judged last.
    judged: Option<i64>,
    /// The count of changes for which waiting requests were served, and what is missing asked for.
    settled: Option<i64>,
    /// Whether a question may be open.
    asking: bool,
    /// When the next request that waits runs out.
    next_deadline: Option<Timestamp>,
    /// Those that are degraded, and whether for want of power; `None` before they were read.
    degraded: Option<HashMap<ReservationId, bool>>,
    /// When the next outage ends of those that a degraded reservation lost nodes to.
    next_end: Option<Timestamp>,
    /// When planned consumption was told last, and at which count of changes.
    told: Option<(Timestamp, i64)>,
    /// Since when the book differs from what was told.
    differs_since: Option<Timestamp>,
}

impl Memo {
    /// Those that lack power.
    fn without_power(&self) -> impl Iterator<Item = ReservationId> {
        let degraded = self.degraded.iter().flatten();
        degraded.filter(|(_, lacks_power)| **lacks_power).map(|(id, _)| *id)
    }
}

impl DialogueService {
    /// On bookings that need extra power, other nodes, or another start.
    pub fn new(shared: Arc<Shared>, booking: Arc<BookingService>) -> Self {
        Self { shared, booking, memo: Mutex::default() }
    }

    fn memo(&self) -> Memo {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remember(&self, change: impl FnOnce(&mut Memo)) {
        change(&mut self.memo.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Speaks with the supplier until told to stop.
    pub async fn negotiate(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.dialogue_bell.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.shared.leases.holds(LEASE) {
                self.remember(|memo| *memo = Memo::default());
                self.shared.held_readings.forget(LEASE);
                continue;
            }
            let taken = tokio::select! {
                () = stop.cancelled() => return,
                taken = self.shared.leases.while_held(LEASE, self.take_turn()) => taken,
            };
            if let Some(Err(error)) = taken {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on with the dialogue with the supplier");
            }
        }
    }

    /// One step that fails keeps no other from being taken: each reads anew what is.
    async fn take_turn(&self) -> Result<(), TurnError> {
        let judged = self.judge().await;
        let settled = match self.settle_waiting().await {
            Ok(Some(waiting)) => {
                let asked = self.ask_for_power(&waiting.requests).await;
                // What could not be asked is asked by the next turn, also where nothing changes.
                let settled = waiting.changes.filter(|_| asked.is_ok());
                self.remember(|memo| memo.settled = settled);
                asked
            }
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        let told = self.tell().await;
        judged.and(settled)?;
        Ok(told?)
    }
}
