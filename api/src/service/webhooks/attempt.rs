//! Attempts to send an event, and what follows from how they end.

use grid_feeds::feed::{FeedError, RetryClass};
use planner::time::{Seconds, Timestamp};
use storage::{EventId, WebhookState};

use crate::config::webhooks::EventWebhook;

/// The first wait before an event is sent again; it doubles each time.
const FIRST_WAIT_S: i64 = 5;

/// The longest wait.
const LONGEST_WAIT_S: i64 = 3600;

/// An event that the receiver refuses for so long is given up.
const REFUSED_FOR: Seconds = Seconds::new(3600);

/// An event that the receiver does not take for so long is given up.
const TRIED_FOR: Seconds = Seconds::new(86_400);

/// The status by which a receiver says that it wants no more.
const GONE: u16 = 410;

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryOutcome {
    Delivered,
    Again,
    GivenUp,
    Gone,
}

/// Notes what became of an attempt to send what `position` is dealt with by.
pub(super) fn note(
    state: &mut WebhookState,
    sent: Result<(), FeedError>,
    position: EventId,
    now: Timestamp,
) -> DeliveryOutcome {
    state.next_attempt = None;
    let Err(error) = sent else {
        (state.position, state.tried_since, state.failures) = (position, None, 0);
        (state.last_success, state.last_failure, state.gone) = (Some(now), None, false);
        state.delivered += 1;
        return DeliveryOutcome::Delivered;
    };
    state.last_failure = Some((now, error.to_string()));
    if matches!(error, FeedError::Refused { status: GONE, .. }) {
        state.gone = true;
        return DeliveryOutcome::Gone;
    }
    let doubled = FIRST_WAIT_S << state.failures.clamp(0, 10);
    let wait = match error.retry() {
        RetryClass::After(wait) => wait.get().max(FIRST_WAIT_S),
        _ => doubled.min(LONGEST_WAIT_S),
    };
    state.failures += 1;
    state.next_attempt = Some(now + Seconds::new(wait));
    state.gone = false;
    let most = if error.retry() == RetryClass::Permanent { REFUSED_FOR } else { TRIED_FOR };
    if now - *state.tried_since.get_or_insert(now) < most {
        return DeliveryOutcome::Again;
    }
    // The next one waits as this one would have.
    (state.position, state.tried_since) = (position, None);
    state.given_up += 1;
    DeliveryOutcome::GivenUp
}

pub(super) fn count(
    webhook: &EventWebhook,
    state: &WebhookState,
    outcome: DeliveryOutcome,
    message: &str,
) {
    let id = &webhook.id;
    let error = state.last_failure.as_ref().map(|(_, words)| words.as_str()).unwrap_or_default();
    let word = match outcome {
        DeliveryOutcome::Delivered => "delivered",
        DeliveryOutcome::Again => "again",
        DeliveryOutcome::GivenUp => {
            tracing::warn!(webhook = id, message, error, "gave up telling an event");
            "given_up"
        }
        DeliveryOutcome::Gone => {
            tracing::warn!(webhook = id, error, "the receiver wants no more events");
            "gone"
        }
    };
    let labels = [("webhook", id.clone()), ("outcome", word.to_owned())];
    metrics::counter!("wattbook_webhook_messages_total", &labels).increment(1);
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn state() -> WebhookState {
        WebhookState {
            id: "a".to_owned(),
            instance: Uuid::nil(),
            position: EventId::from(7),
            tried_since: None,
            failures: 0,
            next_attempt: None,
            last_success: None,
            last_failure: None,
            delivered: 0,
            given_up: 0,
            gone: false,
        }
    }

    fn failure(status: Option<u16>) -> FeedError {
        match status {
            Some(status @ (429 | 503)) => {
                FeedError::Busy { status, retry_after: Some(Seconds::new(90)) }
            }
            Some(status) => FeedError::Refused { status, message: String::new() },
            None => FeedError::Transient { message: "refused".to_owned() },
        }
    }

    /// Attempts that fail alike until the event is given up: their times.
    fn tries(status: Option<u16>) -> Vec<i64> {
        let (mut state, mut now, mut times) = (state(), Timestamp::from_unix_seconds(0), vec![]);
        loop {
            times.push(now.as_unix_seconds());
            let outcome = note(&mut state, Err(failure(status)), EventId::from(8), now);
            now = state.next_attempt.unwrap();
            if outcome == DeliveryOutcome::GivenUp {
                assert_eq!((state.position.get(), state.given_up), (8, 1));
                assert_eq!(state.tried_since, None);
                return times;
            }
            assert_eq!((outcome, state.position.get()), (DeliveryOutcome::Again, 7));
        }
    }

    #[test]
    fn an_event_is_tried_later_and_later_then_given_up() {
        let down = tries(None);
        assert_eq!(down[..6], [0, 5, 15, 35, 75, 155]);
        let last = down[down.len() - 2..].to_vec();
        assert!(last[0] < 86_400 && last[1] >= 86_400 && last[1] - last[0] == 3600, "{down:?}");
        let refused = tries(Some(401));
        assert!(refused.last().is_some_and(|last| (3600..7200).contains(last)), "{refused:?}");
        assert_eq!(tries(Some(503))[1], 90, "as it asked to wait");
    }

    #[test]
    fn a_success_forgets_failures() {
        let (mut state, now) = (state(), Timestamp::from_unix_seconds(50));
        note(&mut state, Err(failure(None)), EventId::from(8), now);
        assert_eq!((state.failures, state.tried_since), (1, Some(now)));
        assert_eq!(note(&mut state, Ok(()), EventId::from(8), now), DeliveryOutcome::Delivered);
        let told = (state.position.get(), state.failures, state.tried_since, state.next_attempt);
        assert_eq!(told, (8, 0, None, None));
        assert_eq!((state.last_success, state.last_failure), (Some(now), None));
    }

    #[test]
    fn who_wants_no_more_keeps_its_place() {
        let (mut state, now) = (state(), Timestamp::from_unix_seconds(50));
        let outcome = note(&mut state, Err(failure(Some(GONE))), EventId::from(8), now);
        assert_eq!((outcome, state.gone, state.position.get()), (DeliveryOutcome::Gone, true, 7));
        assert_eq!(state.next_attempt, None);
    }
}
