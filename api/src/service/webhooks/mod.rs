//! Events sent to the webhooks of the settings, each in the order of the table, one by one.
//!
//! A task for each webhook, of one replica by a lease, reads events as any watcher does, sends those
//! that the webhook wants, and notes how far it is. An event holds back those after it until the
//! receiver took it or it is given up. Whoever takes over goes on after what was noted: what was sent
//! and not noted is sent again, under the same id.

mod address;
mod attempt;
mod message;
mod own_webhooks;

use std::sync::Arc;
use std::time::Duration;

use storage::{Event, EventId, WebhookState};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::events::{EventService, Watch};
use super::shared::{Fault, Shared};
use crate::config::webhooks::EventWebhook;
pub use address::check_webhook;
use attempt::{DeliveryOutcome, count, note};
use message::EventMessage;
pub use own_webhooks::{OWN_LEASE, OWN_LOOK};

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
        status_word(self.state.as_ref())
    }
}

/// How a webhook stands, in a word: `ok`, `failing`, or `stopped` where the receiver wants no more.
pub fn status_word(state: Option<&WebhookState>) -> &'static str {
    match state {
        Some(state) if state.gone => "stopped",
        Some(state) if state.last_failure.is_some() => "failing",
        _ => "ok",
    }
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
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(&lease) => {}
            }
            let telling = self.tell_while_all_goes_well(webhook);
            let told = tokio::select! {
                () = self.shared.leases.lost(&lease) => continue,
                told = self.shared.unless_cut_off(telling) => told,
            };
            let Some(Err(error)) = told else { continue };
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(webhook = webhook.id, error, "could not go on telling events");
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Tells events from where the webhook stands on, until the service is told to stop: what was sent
    /// is noted before. Ends too where it has to be read anew how the webhook stands.
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
                if webhook.wants(&event.kind) && !event.is_of_shared() {
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

    /// The next event, `Some(None)` where there is none for a while, `None` where the service is told to
    /// stop, or events after the last one were forgotten before they were read.
    async fn next_of(
        &self,
        watch: &mut Watch,
        last: EventId,
    ) -> Result<Option<Option<Arc<Event>>>, Fault> {
        let event = tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => return Ok(None),
            event = watch.next() => event?,
            () = tokio::time::sleep(NOTE) => return Ok(Some(None)),
        };
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

    /// Sends until the receiver took it or it is given up; `false` where the service is told to stop, or
    /// another process moved the webhook on from `noted` meanwhile. Where the receiver wants no more,
    /// only the first ends it.
    async fn deal_with(
        &self,
        webhook: &EventWebhook,
        state: &mut WebhookState,
        mut noted: EventId,
        message: &EventMessage,
    ) -> Result<bool, Fault> {
        let stop = &self.shared.stop;
        while !stop.is_cancelled() {
            if let Some(at) = state.next_attempt.filter(|at| *at > self.shared.now()) {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = self.shared.sleep_until(at) => {}
                }
                continue;
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
                DeliveryOutcome::Gone => stop.cancelled().await,
            }
        }
        Ok(false)
    }
}
