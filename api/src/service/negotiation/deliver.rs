//! Messages on their way to the supplier: sent until they arrive, later and later, then given up.
//!
//! What is sent carries its id, so that a supplier that hears it twice, because this process died
//! between sending and noting it, can tell.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::RetryClass;
use planner::time::{Seconds, Timestamp};
use storage::{Attempt, Message};
use tokio_util::sync::CancellationToken;

use super::LEASE;
use super::carrier::Undelivered;
use crate::service::{Service, ServiceError};

/// How often it is looked what is to be sent.
const LOOK: Duration = Duration::from_millis(500);

/// Messages that are sent in one go.
const BATCH: u16 = 20;

/// The first wait before a message is sent again; it doubles each time.
const FIRST_WAIT_S: i64 = 5;

/// The longest wait.
const LONGEST_WAIT_S: i64 = 3600;

/// A message that did not arrive for so long is given up.
const GIVE_UP: Seconds = Seconds::new(86_400);

impl Service {
    /// Sends what is to be sent until told to stop.
    pub async fn deliver_messages(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.feeds.leases().holds(LEASE) {
                continue;
            }
            let delivering = self.while_held(LEASE, self.deliver());
            let delivered = tokio::select! {
                () = stop.cancelled() => return,
                delivered = delivering => delivered,
            };
            if let Some(Err(error)) = delivered {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not send messages to the supplier");
            }
        }
    }

    async fn deliver(&self) -> Result<(), ServiceError> {
        for message in self.database.messages_due(self.now(), BATCH).await? {
            let attempt = match self.carry(&message).await {
                Ok(()) => Attempt::Delivered,
                Err(error) => after(&message, error, self.now()),
            };
            if let Attempt::Failed(error) = &attempt {
                let (id, kind) = (message.id.get(), &message.said.kind);
                tracing::warn!(id, kind, error, "gave up a message to the supplier");
            }
            let outcome = match &attempt {
                Attempt::Delivered => "delivered",
                Attempt::Again(..) => "again",
                Attempt::Failed(_) => "failed",
            };
            metrics::counter!("wattbook_supplier_messages_total", "outcome" => outcome)
                .increment(1);
            self.database.note_attempt(message.id, &attempt, self.now()).await?;
        }
        Ok(())
    }
}

/// What follows from a failure.
fn after(message: &Message, error: Undelivered, now: Timestamp) -> Attempt {
    let age = now - message.said.said;
    if error.retry == RetryClass::Permanent || age >= GIVE_UP {
        return Attempt::Failed(error.words);
    }
    let doubled = FIRST_WAIT_S << message.attempts.min(10);
    let wait = match error.asked_to_wait() {
        Some(wait) => wait.get().max(FIRST_WAIT_S),
        None => doubled.min(LONGEST_WAIT_S),
    };
    Attempt::Again(now + Seconds::new(wait), error.words)
}
