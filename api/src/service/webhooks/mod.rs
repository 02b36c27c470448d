//! Events sent to the webhooks of the settings, each in the order of the table, one by one.
//!
//! A task for each webhook, of one replica by a lease, reads events as any watcher does, sends those
//! that the webhook wants, and notes how far it is. An event holds back those after it until the
//! receiver took it or it is given up. Whoever takes over goes on after what was noted: what was sent
//! and not noted is sent again, under the same id.

use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{FeedError, RetryClass};
use planner::time::{Seconds, Timestamp};
use serde_json::{Map, Value, json};
use storage::{Event, EventId, WebhookState};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::events::{EventService, Watch};
use super::shared::{Fault, Shared};
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

/// How often it is noted that events were passed over.
const NOTE: Duration = Duration::from_secs(10);

/// A pause after the database was out of reach.
const PAUSE: Duration = Duration::from_secs(2);

/// Sends events to the webhooks of the settings.
pub struct WebhookService {
    shared: Arc<Shared>,
    events: Arc<EventService>,
}

/// A webhook of the settings and how it stands.
#[derive(Clone, Debug)]
pub struct WebhookStatus<'a> {
    /// What the settings say.
    pub settings: &'a EventWebhook,
    /// How it stands.
    pub state: Option<WebhookState>,
}

impl<'a> WebhookStatus<'a> {
    /// How a webhook of the settings stands among all that are known.
    pub fn of(settings: &'a EventWebhook, states: &[WebhookState]) -> Self {
        let state = states.iter().find(|state| state.id == settings.id).cloned();
        Self { settings, state }
    }

    /// `ok`, `failing`, or `stopped` where the receiver wants no more.
    pub fn status(&self) -> &'static str {
        match &self.state {
            Some(state) if state.gone => "stopped",
            Some(state) if state.last_failure.is_some() => "failing",
            _ => "ok",
        }
    }
}

/// What is sent.
struct EventMessage {
    /// The message's id, which stays the same however often it is sent, so that receivers can tell repetitions.
    id: String,
    body: String,
    /// The event that is dealt with by it.
    position: EventId,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeliveryOutcome {
    Delivered,
    Again,
    GivenUp,
    Gone,
}

/// The lease of a webhook.
pub fn webhook_lease(id: &str) -> String {
    format!("webhook:{id}")
}

impl WebhookService {
    /// Sends what `events` hands out.
    pub const fn new(shared: Arc<Shared>, events: Arc<EventService>) -> Self {
        Self { shared, events }
    }

    /// Makes new webhooks of the settings known: they are told what happens from now on.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn open_webhooks(&self) -> Result<(), Fault> {
        for webhook in &self.shared.settings.webhooks {
            self.shared.database.open_webhook(&webhook.id, Uuid::now_v7()).await?;
        }
        Ok(())
    }

    /// The webhooks of the settings and how they stand, and the newest event.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn webhooks(&self) -> Result<(Vec<WebhookStatus<'_>>, Option<EventId>), Fault> {
        let states = self.shared.database.webhooks().await?;
        let newest = self.shared.database.events_kept().await?.newest;
        let all = self.shared.settings.webhooks.iter().map(|it| WebhookStatus::of(it, &states));
        Ok((all.collect(), newest))
    }

    /// Tells a webhook of the settings whenever this replica is the one to, until told to stop.
    pub async fn tell_webhook(self: Arc<Self>, index: usize, stop: CancellationToken) {
        let Some(webhook) = self.shared.settings.webhooks.get(index) else { return };
        let lease = webhook_lease(&webhook.id);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            let told = tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.lost(&lease) => continue,
                told = self.tell_while_all_goes_well(webhook) => told,
            };
            let Err(error) = told else { continue };
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(webhook = webhook.id, error, "could not go on telling events");
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Tells events from where the webhook stands on; ends where it has to be read anew how it
    /// stands.
    async fn tell_while_all_goes_well(&self, webhook: &EventWebhook) -> Result<(), Fault> {
        let all = self.shared.database.webhooks().await?;
        let Some(mut state) = all.into_iter().find(|state| state.id == webhook.id) else {
            return self.open_webhooks().await;
        };
        // Whoever begins tries at once: somebody may have mended what was wrong.
        state.next_attempt = None;
        if let Some(before) = self.lost_after(state.position).await? {
            let lost = EventMessage::lost(&state, before, self.shared.now());
            let from = state.position;
            return self.deal_with(webhook, &mut state, from, &lost).await.map(|_| ());
        }
        let mut noted = state.position;
        let mut watch = self.events.watch(Some(noted)).await?;
        let mut last_note = Instant::now();
        while let Some(event) = self.next_of(&mut watch, state.position).await? {
            if let Some(event) = &event {
                if webhook.wants(&event.kind) {
                    let message = EventMessage::event(&state, event)?;
                    if !self.deal_with(webhook, &mut state, noted, &message).await? {
                        return Ok(());
                    }
                    noted = state.position;
                    continue;
                }
                state.position = event.id;
            }
            if noted < state.position && last_note.elapsed() >= NOTE {
                if !self.shared.database.put_webhook(&state, noted).await? {
                    return Ok(());
                }
                (noted, last_note) = (state.position, Instant::now());
            }
        }
        Ok(())
    }

    /// The next event, `Some(None)` where there is none for a while, `None` where events after the
    /// last one were forgotten before they were read.
    async fn next_of(
        &self,
        watch: &mut Watch,
        last: EventId,
    ) -> Result<Option<Option<Arc<Event>>>, Fault> {
        let Ok(event) = tokio::time::timeout(NOTE, watch.next()).await else {
            return Ok(Some(None));
        };
        let event = event?;
        let follows = event.id.get() == last.get() + 1;
        if !follows && self.lost_after(last).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(Some(event)))
    }

    /// Where events after one are not kept any more, the last of those that are gone.
    async fn lost_after(&self, position: EventId) -> Result<Option<EventId>, Fault> {
        let oldest = self.shared.database.events_kept().await?.oldest;
        let gone = oldest.map(|oldest| EventId::from(oldest.get() - 1));
        Ok(gone.filter(|gone| position < *gone))
    }

    /// Sends until the receiver took it or it is given up; `false` where another process moved the
    /// webhook on from `noted` meanwhile. Never ends where the receiver wants no more.
    async fn deal_with(
        &self,
        webhook: &EventWebhook,
        state: &mut WebhookState,
        mut noted: EventId,
        message: &EventMessage,
    ) -> Result<bool, Fault> {
        loop {
            while let Some(at) = state.next_attempt.filter(|at| *at > self.shared.now()) {
                self.shared.sleep_until(at).await;
            }
            let sent = webhook.webhook.send(&message.id, &message.body, self.shared.now()).await;
            let outcome = note(state, sent, message.position, self.shared.now());
            count(webhook, state, outcome, &message.id);
            if !self.shared.database.put_webhook(state, noted).await? {
                return Ok(false);
            }
            noted = state.position;
            match outcome {
                DeliveryOutcome::Again => {}
                DeliveryOutcome::Delivered | DeliveryOutcome::GivenUp => return Ok(true),
                DeliveryOutcome::Gone => std::future::pending().await,
            }
        }
    }
}

/// Notes what became of an attempt to send what `position` is dealt with by.
fn note(
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

fn count(webhook: &EventWebhook, state: &WebhookState, outcome: DeliveryOutcome, message: &str) {
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

impl EventMessage {
    /// An event, as a stream tells it to an operator.
    fn event(state: &WebhookState, event: &Event) -> Result<Self, Fault> {
        let mut data: Map<String, Value> =
            serde_json::from_str(&event.data).map_err(Fault::internal)?;
        data.insert("at".to_owned(), json!(event.at));
        if let Some(owner) = &event.owner {
            data.insert("owner".to_owned(), json!(owner));
        }
        let id = format!("evt_{}_{}", state.instance.simple(), event.id);
        Ok(Self::new(id, &event.kind, event.id, event.at, &data))
    }

    /// That events up to one were not told and are not kept any more.
    fn lost(state: &WebhookState, up_to: EventId, now: Timestamp) -> Self {
        let data = Map::from_iter([("at".to_owned(), json!(now))]);
        let id = format!("rst_{}_{}", state.instance.simple(), state.position);
        Self::new(id, "stream.reset", up_to, now, &data)
    }

    fn new(
        id: String,
        kind: &str,
        position: EventId,
        at: Timestamp,
        data: &Map<String, Value>,
    ) -> Self {
        let body = json!({ "id": position.get(), "type": kind, "timestamp": at, "data": data });
        Self { id, body: body.to_string(), position }
    }
}

#[cfg(test)]
mod tests {
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
