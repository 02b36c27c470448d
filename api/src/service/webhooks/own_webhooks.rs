//! Events sent to webhooks of users' own: of what is theirs, and to addresses of the public internet unless the settings
//! say otherwise.
//!
//! One replica sends, by a lease. Each user's events are sent one by one in their order; users do not wait for each other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::Timeouts;
use grid_feeds::webhook::Webhook;
use storage::{OwnWebhook, WebhookState};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::WebhookService;
use super::address::check_webhook;
use super::attempt::{DeliveryOutcome, note};
use super::message::EventMessage;
use crate::service::shared::Fault;

/// The lease of who sends to users' webhooks.
pub const OWN_LEASE: &str = "own-webhooks";

/// How often it is looked for what is to be sent.
pub const OWN_LOOK: Duration = Duration::from_secs(1);

/// A receiver that takes longer is failing: others wait for the end of a turn.
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(5), total: Duration::from_secs(10) };

/// Events of a user that are sent in a turn.
const SENT_TOGETHER: u16 = 20;

/// Users to whom is sent at the same time.
const TOGETHER: usize = 16;

impl WebhookService {
    /// Tells users' webhooks whenever this replica is the one to, until told to stop.
    pub async fn tell_own_webhooks(self: Arc<Self>, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(OWN_LEASE) => {}
            }
            let turn = self.shared.unless_cut_off(Arc::clone(&self).own_turn());
            let done = self.shared.leases.while_held(OWN_LEASE, turn).await;
            if let Some(Some(Err(error))) = done {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not go on telling users' webhooks");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(OWN_LOOK) => {}
            }
        }
    }

    async fn own_turn(self: Arc<Self>) -> Result<(), Fault> {
        let all = self.shared.database.own_webhooks().await?;
        if all.is_empty() {
            return Ok(());
        }
        let states = self.shared.database.webhooks().await?;
        let states: HashMap<String, WebhookState> =
            states.into_iter().map(|state| (state.id.clone(), state)).collect();
        let (known, now) = (self.shared.state().await?, self.shared.now());
        let mut sending = JoinSet::new();
        for own in all {
            let Some(state) = states.get(&own.webhook) else { continue };
            let is_due = !state.gone && state.next_attempt.is_none_or(|at| at <= now);
            if !is_due || !known.callers().knows(&own.owner) {
                continue;
            }
            if sending.len() >= TOGETHER {
                sending.join_next().await;
            }
            sending.spawn(Arc::clone(&self).tell_own_webhook(own, state.clone()));
        }
        while sending.join_next().await.is_some() {}
        Ok(())
    }

    /// Sends the next events of a user; where that cannot go on, only they wait for the next turn.
    async fn tell_own_webhook(self: Arc<Self>, own: OwnWebhook, state: WebhookState) {
        let id = own.webhook.clone();
        if let Err(error) = self.send_own_events(own, state).await {
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(webhook = id, error, "could not go on telling a user's webhook");
        }
    }

    /// Sends the next events of a user, up to the first that fails.
    async fn send_own_events(&self, own: OwnWebhook, mut state: WebhookState) -> Result<(), Fault> {
        let database = &self.shared.database;
        let events =
            database.reservation_events_after(&own.owner, state.position, SENT_TOGETHER).await?;
        if events.is_empty() {
            return Ok(());
        }
        let reach = self.shared.settings.own_webhooks;
        let webhook = Webhook::reaching(&own.url, Secret::new(&own.secret), reach, TIMEOUTS);
        let webhook = webhook.map_err(Fault::internal)?;
        for event in events {
            let from = state.position;
            let message = EventMessage::event(&state, &event)?;
            let sent = match check_webhook(&own.url, reach) {
                Ok(()) => webhook.send_unread(&message.id, &message.body, self.shared.now()).await,
                // The settings are stricter than when it was named.
                Err(rule) => Err(FeedError::Configuration { message: rule.to_owned() }),
            };
            let outcome = note(&mut state, sent, message.position, self.shared.now());
            count(outcome);
            // Another address may have been named meanwhile, which begins anew.
            let goes_on = database.put_webhook(&state, from).await?;
            let is_done = matches!(outcome, DeliveryOutcome::Again | DeliveryOutcome::Gone);
            if !goes_on || is_done || self.shared.stop.is_cancelled() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Counts what became of a message; whose it was is nobody else's business.
fn count(outcome: DeliveryOutcome) {
    let word = match outcome {
        DeliveryOutcome::Delivered => "delivered",
        DeliveryOutcome::Again => "again",
        DeliveryOutcome::GivenUp => "given_up",
        DeliveryOutcome::Gone => "gone",
    };
    metrics::counter!("wattbook_own_webhook_messages_total", &[("outcome", word)]).increment(1);
}
