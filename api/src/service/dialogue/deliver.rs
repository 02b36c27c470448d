//! Messages on their way to the supplier: sent until they arrive, later and later, and given up when
//! they are of no more use or are wrong themselves.
//!
//! What is sent carries its id, so that a supplier that hears it twice, because this process died
//! between sending and noting it, can tell.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::RetryClass;
use planner::time::{Seconds, Timestamp};
use storage::{Attempt, Message, StorageError};
use tokio_util::sync::CancellationToken;

use super::DialogueService;
use super::LEASE;
use super::carrier::Undelivered;
use super::document::{SpansDocument, read_message};
use crate::service::shared::Fault;

/// How often it is looked what is to be sent.
pub const LOOK: Duration = Duration::from_millis(500);

/// Messages that are sent in one go.
const BATCH: u16 = 20;

/// The first wait before a message is sent again; it doubles each time.
const FIRST_WAIT_S: i64 = 5;

/// The longest wait. People mend what is wrong at the other end, and do not tell us.
const LONGEST_WAIT_S: i64 = 600;

/// A message is of use for so long at the least: what says nothing of any time to come.
const OF_USE: Seconds = Seconds::new(86_400);

/// What was consumed is of use for so long, for the books.
const USAGE_OF_USE: Seconds = Seconds::new(14 * 86_400);

impl DialogueService {
    /// Sends what is to be sent until told to stop.
    pub async fn deliver_messages(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.shared.leases.holds(LEASE) {
                continue;
            }
            let delivering = Box::pin(self.shared.leases.while_held(LEASE, self.deliver()));
            if let Some(Some(Err(error))) = self.shared.unless_cut_off(delivering).await {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not send messages to the supplier");
            }
        }
    }

    /// Sends what is due, until told to stop: what was sent is noted before.
    async fn deliver(&self) -> Result<(), Fault> {
        for message in self.shared.database.messages_due(self.shared.now(), BATCH).await? {
            if self.shared.stop.is_cancelled() {
                return Ok(());
            }
            let attempt = match self.carry(&message).await {
                Ok(()) => Attempt::Delivered,
                Err(error) => after(&message, error, self.shared.now()),
            };
            let (id, kind) = (message.id.get(), &message.said.kind);
            match &attempt {
                Attempt::Failed(error) => {
                    tracing::warn!(id, kind, error, "gave up a message to the supplier");
                }
                // Once: the message tells how often it was tried, and why it does not arrive.
                Attempt::Again(_, error) if message.attempts == 0 => {
                    tracing::warn!(id, kind, error, "a message to the supplier is delayed");
                }
                _ => {}
            }
            let outcome = match &attempt {
                Attempt::Delivered => "delivered",
                Attempt::Again(..) => "again",
                Attempt::Failed(_) => "failed",
            };
            metrics::counter!("wattbook_supplier_messages_total", "outcome" => outcome)
                .increment(1);
            self.shared.database.note_attempt(message.id, &attempt, self.shared.now()).await?;
        }
        Ok(())
    }
}

/// What follows from a failure.
fn after(message: &Message, error: Undelivered, now: Timestamp) -> Attempt {
    if error.retry == RetryClass::Permanent {
        return Attempt::Failed(error.words);
    }
    let doubled = FIRST_WAIT_S << message.attempts.min(10);
    let wait = match error.asked_to_wait() {
        Some(wait) => wait.get().max(FIRST_WAIT_S),
        None => doubled.min(LONGEST_WAIT_S),
    };
    let next = now + Seconds::new(wait);
    let of_use = match of_use_until(message) {
        Ok(of_use) => of_use,
        Err(error) => return Attempt::Failed(error.to_string()),
    };
    if next >= of_use {
        let words =
            format!("of no use from {of_use} on, and not delivered before: {}", error.words);
        return Attempt::Failed(words);
    }
    Attempt::Again(next, error.words)
}

/// Until the last span is over that it is about.
fn of_use_until(message: &Message) -> Result<Timestamp, StorageError> {
    let said = message.said.said;
    if message.said.kind == "usage" {
        return Ok(said + USAGE_OF_USE);
    }
    let spans: SpansDocument = read_message(message)?;
    Ok(spans.end().unwrap_or(said + OF_USE))
}

#[cfg(test)]
mod tests {
    use planner::identity::NegotiationId;
    use serde_json::{Value, json};
    use storage::{Delivery, Direction, MessageId, NewMessage};
    use uuid::Uuid;

    use super::*;

    const SAID: &str = "2026-01-01T00:00:00Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn message(kind: &str, document: &Value, attempts: u32) -> Message {
        let said = NewMessage {
            said: at(SAID),
            direction: Direction::ToSupplier,
            kind: kind.to_owned(),
            carrier: "openadr".to_owned(),
            document: document.to_string(),
            delivery: Delivery::Waiting,
        };
        Message {
            id: MessageId::from(1),
            negotiation_id: NegotiationId::new(Uuid::nil()),
            said,
            attempts,
            next_attempt: None,
            delivered: None,
            error: None,
        }
    }

    fn undelivered(retry: RetryClass) -> Undelivered {
        Undelivered { words: "no".to_owned(), retry }
    }

    /// Power from 06:00 to 07:00 may be asked for until 07:00, what was consumed be told for a
    /// fortnight, and what is of no time for a day.
    #[test]
    fn a_message_waits_for_as_long_as_it_is_of_use() {
        let span = json!({"start": "2026-01-01T06:00:00Z", "end": "2026-01-01T07:00:00Z"});
        for (kind, document, until) in [
            ("request", json!({ "power": [span] }), "2026-01-01T07:00:00Z"),
            ("forecast", json!({ "intervals": [span] }), "2026-01-01T07:00:00Z"),
            ("low_consumption", json!({ "spans": [span] }), "2026-01-01T07:00:00Z"),
            ("usage", json!({ "spans": [span] }), "2026-01-15T00:00:00Z"),
            ("withdrawal", json!({}), "2026-01-02T00:00:00Z"),
        ] {
            let message = message(kind, &document, 20);
            let minute = |minutes: i64| at(until) - Seconds::new(60 * minutes);
            let again = after(&message, undelivered(RetryClass::Backoff), minute(11));
            assert_eq!(again, Attempt::Again(minute(1), "no".to_owned()), "{kind}");
            let late = after(&message, undelivered(RetryClass::Backoff), minute(9));
            let Attempt::Failed(words) = late else { panic!("{kind}: {late:?}") };
            assert!(words.contains("of no use from") && words.ends_with(": no"), "{words}");
        }
    }

    #[test]
    fn waits_double_unless_the_supplier_asks_for_one() {
        let document = json!({ "power": [{ "end": "2026-02-01T00:00:00Z" }] });
        let wait = |attempts: u32, retry: RetryClass| match after(
            &message("request", &document, attempts),
            undelivered(retry),
            at(SAID),
        ) {
            Attempt::Again(next, _) => (next - at(SAID)).get(),
            other => panic!("{other:?}"),
        };
        assert_eq!([0, 1, 2, 30].map(|it| wait(it, RetryClass::Backoff)), [5, 10, 20, 600]);
        assert_eq!(wait(0, RetryClass::After(Seconds::new(90))), 90);
        assert_eq!(wait(3, RetryClass::NotYet), 40);
    }

    #[test]
    fn what_is_wrong_itself_is_given_up_and_what_others_must_mend_is_not() {
        use grid_feeds::feed::FeedError;
        let retry =
            |status| Undelivered::from(FeedError::Refused { status, message: String::new() }).retry;
        assert_eq!([400, 410, 422].map(retry), [RetryClass::Permanent; 3]);
        assert_eq!([401, 403, 404].map(retry), [RetryClass::Backoff; 3]);
        let given_up = after(&message("request", &json!({}), 0), undelivered(retry(400)), at(SAID));
        assert_eq!(given_up, Attempt::Failed("no".to_owned()));
    }
}
