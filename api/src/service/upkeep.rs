//! What time alone changes: reservations move on, and what was left begun is recorded.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::audit::{self, AuditService};
use super::events::EventService;
use super::shared::Shared;

/// How often reservations are moved on.
pub const MOVE_ON: Duration = Duration::from_secs(1);

/// How often it is cleared up.
pub const CLEAR_UP: Duration = Duration::from_hours(1);

/// Does what time alone asks for.
pub struct UpkeepService {
    shared: Arc<Shared>,
    events: Arc<EventService>,
    audit: Arc<AuditService>,
}

impl UpkeepService {
    /// On what all services share, with the events and audit records of which old ones are forgotten.
    pub const fn new(
        shared: Arc<Shared>,
        events: Arc<EventService>,
        audit: Arc<AuditService>,
    ) -> Self {
        Self { shared, events, audit }
    }

    /// Moves reservations on as their time comes, until told to stop: offers expire, reservations
    /// begin and end. Not while a jump of the clock is doubted.
    pub async fn move_reservations_on(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = every(MOVE_ON);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            if let Err(error) = self.shared.advance(self.shared.now()).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not move reservations on");
            }
        }
    }

    /// Records what processes that were killed left begun, until told to stop.
    pub async fn record_left(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = every(audit::LOOK);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            match self.audit.record_left().await {
                Ok(0) => {}
                Ok(count) => tracing::warn!(count, "recorded requests whose outcome nobody knows"),
                Err(error) => tracing::warn!(%error, "could not record what was left begun"),
            }
        }
    }

    /// Forgets old events, and those that are too many, until told to stop.
    pub async fn clear_up(self: Arc<Self>, stop: CancellationToken) {
        let mut turns = every(CLEAR_UP);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            if let Err(error) = self.events.forget_old().await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not clear up");
            }
        }
    }
}

/// Turns of a task; one that is late is not made up for.
fn every(period: Duration) -> Interval {
    let mut turns = tokio::time::interval(period);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}
