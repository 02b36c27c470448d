//! The way messages take to the supplier: one of those that the settings name.

use grid_feeds::feed::{FeedError, RetryClass, scrub};
use planner::time::Seconds;
use serde_json::{Value, json};
use storage::{Message, StorageError};

use super::DialogueService;
use super::document::read_message;

/// Why a message did not arrive.
#[derive(Debug)]
pub(super) struct Undelivered {
    /// In words, without secrets.
    pub(super) words: String,
    /// When to try again.
    pub(super) retry: RetryClass,
}

impl From<FeedError> for Undelivered {
    /// What the receiver says of the message itself is final. Who may send and where to is for people
    /// at both ends to mend, as is what the settings name.
    fn from(error: FeedError) -> Self {
        let retry = match &error {
            FeedError::Refused { status: 400 | 410 | 413 | 415 | 422, .. } => RetryClass::Permanent,
            FeedError::Refused { .. } | FeedError::Configuration { .. } => RetryClass::Backoff,
            error => error.retry(),
        };
        Self { words: error.to_string(), retry }
    }
}

impl From<StorageError> for Undelivered {
    /// A row that cannot be read is for people to mend; what passes is tried again.
    fn from(error: StorageError) -> Self {
        let retry = if error.is_passing() { RetryClass::Backoff } else { RetryClass::Permanent };
        Self { words: error.to_string(), retry }
    }
}

impl Undelivered {
    /// The settings changed since the message was written.
    pub(super) fn no_way(carrier: &str) -> Self {
        let words = format!("the settings name no {carrier} any more");
        Self { words, retry: RetryClass::Permanent }
    }

    /// How long the supplier asked to wait.
    pub(super) const fn asked_to_wait(&self) -> Option<Seconds> {
        match self.retry {
            RetryClass::After(wait) => Some(wait),
            _ => None,
        }
    }
}

impl DialogueService {
    /// Carries a message to the supplier.
    pub(super) async fn carry(&self, message: &Message) -> Result<(), Undelivered> {
        let carried = self.carry_by_its_carrier(message).await;
        // Suppliers repeat what they were sent.
        carried.map_err(|error| Undelivered { words: scrub(&error.words), ..error })
    }

    async fn carry_by_its_carrier(&self, message: &Message) -> Result<(), Undelivered> {
        match message.said.carrier.as_str() {
            "webhook" => self.carry_by_webhook(message).await,
            #[cfg(feature = "openadr")]
            "openadr" => match &self.shared.settings.openadr {
                Some(ven) => self.carry_by_openadr(ven, message).await,
                None => Err(Undelivered::no_way("openadr")),
            },
            other => Err(Undelivered::no_way(other)),
        }
    }

    async fn carry_by_webhook(&self, message: &Message) -> Result<(), Undelivered> {
        let Some(webhook) = &self.shared.settings.negotiation.webhook else {
            return Err(Undelivered::no_way("webhook"));
        };
        let said = &message.said;
        let document: Value = read_message(message)?;
        let body = json!({
            "id": message.id.get(),
            "negotiation_id": message.negotiation_id.to_string(),
            "kind": said.kind,
            "said_at": said.said,
            "document": document,
        });
        // The same however often it is sent: who hears it twice can tell.
        let id = format!("msg_{}_{}", message.negotiation_id, message.id.get());
        Ok(webhook.send(&id, &body.to_string(), self.shared.now()).await?)
    }
}
