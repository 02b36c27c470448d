//! Webhooks of events.

use uuid::Uuid;

use super::{Database, Engine};
use crate::error::StorageError;
use crate::identity::EventId;
use crate::webhooks::WebhookState;

/// How far webhooks are told events.
impl Database {
    /// Sees to it that a webhook is known: one that is new begins after the newest event.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn open_webhook(&self, id: &str, instance: Uuid) -> Result<(), StorageError> {
        on_engine!(self.open_webhook(id, instance))
    }

    /// How all webhooks stand that were ever in the settings, by id.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn webhooks(&self) -> Result<Vec<WebhookState>, StorageError> {
        on_engine!(self.webhooks())
    }

    /// Notes how a webhook stands; `false`, and nothing is noted, where its position is not `from`
    /// any more.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_webhook(
        &self,
        state: &WebhookState,
        from: EventId,
    ) -> Result<bool, StorageError> {
        on_engine!(self.put_webhook(state, from))
    }
}
