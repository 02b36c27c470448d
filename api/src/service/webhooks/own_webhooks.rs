//! Events sent to webhooks of users' own: of what is theirs, and to addresses of the public internet unless the settings
//! say otherwise.
//!
//! One replica sends, by a lease. Each user's events are sent one by one in their order; users do not wait for each
//! other longer than a turn takes, in which each has a budget of time. Where nothing happened since the last turn and
//! nothing is due to be sent again, a turn ends at once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{FeedError, Secret};
use grid_feeds::http::Timeouts;
use grid_feeds::webhook::Webhook;
use planner::time::Timestamp;
use storage::{EventId, OwnWebhook, WebhookState};
use tokio::task::JoinSet;
use tokio::time::Instant;
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

/// After so long no other event of a user is begun in a turn: others wait for its end.
const BUDGET: Duration = Duration::from_secs(10);

/// All users are looked at so often even if nothing happened: some may be let in again, and another replica may have
/// stopped halfway.
const LOOK_AT_ALL: Duration = Duration::from_mins(1);

/// What is left of a user's events after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnRest {
    /// Nothing, until something happens.
    Nothing,
    /// Events for the next turn.
    More,
    /// Events of which the first failed and is tried again at an instant.
    Later(Timestamp),
}

/// What the last turn in which users were looked at came to.
#[derive(Clone, Copy, Debug)]
struct OwnTurn {
    /// The newest event when it began.
    newest: Option<EventId>,
    /// Whether nothing is left but what is tried again later.
    is_whole: bool,
    /// When the first of what failed is tried again.
    next_attempt: Option<Timestamp>,
    /// When it began.
    began: Instant,
}

impl OwnTurn {
    fn begin(newest: Option<EventId>) -> Self {
        Self { newest, is_whole: true, next_attempt: None, began: Instant::now() }
    }

    /// Notes what is left of a user's events.
    fn note(&mut self, rest: OwnRest) {
        match rest {
            OwnRest::Nothing => {}
            OwnRest::Later(at) => {
                self.next_attempt = Some(self.next_attempt.map_or(at, |next| next.min(at)));
            }
            OwnRest::More => self.is_whole = false,
        }
    }

    /// Whether there is nothing to do since, where this is the newest event now.
    fn suffices(&self, newest: Option<EventId>, now: Timestamp) -> bool {
        self.is_whole
            && self.newest == newest
            && self.next_attempt.is_none_or(|at| now < at)
            && self.began.elapsed() < LOOK_AT_ALL
    }
}

impl WebhookService {
    /// Tells users' webhooks whenever this replica is the one to, until told to stop.
    pub async fn tell_own_webhooks(self: Arc<Self>, stop: CancellationToken) {
        let mut last = None;
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.shared.leases.wait_for(OWN_LEASE) => {}
            }
            let turn =
                Box::pin(self.shared.unless_cut_off(Arc::clone(&self).own_turn(last.take())));
            match self.shared.leases.while_held(OWN_LEASE, turn).await.flatten() {
                Some(Ok(turn)) => last = Some(turn),
                Some(Err(error)) => {
                    let error = format!("{:#}", anyhow::Error::from(error));
                    tracing::warn!(error, "could not go on telling users' webhooks");
                }
                None => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(OWN_LOOK) => {}
            }
        }
    }

    /// Tells users what is due, unless there is nothing to do since the last turn.
    async fn own_turn(self: Arc<Self>, last: Option<OwnTurn>) -> Result<OwnTurn, Fault> {
        let newest = self.shared.database.events_kept().await?.newest;
        if let Some(last) = last.filter(|last| last.suffices(newest, self.shared.now())) {
            return Ok(last);
        }
        let mut turn = OwnTurn::begin(newest);
        let all = self.shared.database.own_webhooks().await?;
        if all.is_empty() {
            return Ok(turn);
        }
        let states = self.shared.database.webhooks().await?;
        let states: HashMap<String, WebhookState> =
            states.into_iter().map(|state| (state.id.clone(), state)).collect();
        let (known, now) = (self.shared.state().await?, self.shared.now());
        let mut sending = JoinSet::new();
        for own in all {
            let Some(state) = states.get(&own.webhook) else { continue };
            if state.gone || !known.callers().knows(&own.owner) {
                continue;
            }
            if let Some(at) = state.next_attempt.filter(|at| now < *at) {
                turn.note(OwnRest::Later(at));
                continue;
            }
            if sending.len() >= TOGETHER
                && let Some(told) = sending.join_next().await
            {
                turn.note(told.unwrap_or(OwnRest::More));
            }
            sending.spawn(Arc::clone(&self).tell_own_webhook(own, state.clone()));
        }
        while let Some(told) = sending.join_next().await {
            // A task that broke off may have left some.
            turn.note(told.unwrap_or(OwnRest::More));
        }
        Ok(turn)
    }

    /// Sends the next events of a user; where that cannot go on, only they wait for the next turn.
    async fn tell_own_webhook(self: Arc<Self>, own: OwnWebhook, state: WebhookState) -> OwnRest {
        let id = own.webhook.clone();
        self.send_own_events(own, state).await.unwrap_or_else(|error| {
            let error = format!("{:#}", anyhow::Error::from(error));
            tracing::warn!(webhook = id, error, "could not go on telling a user's webhook");
            OwnRest::More
        })
    }

    /// Sends the next events of a user, up to the first that fails, or until their budget is used up.
    async fn send_own_events(
        &self,
        own: OwnWebhook,
        mut state: WebhookState,
    ) -> Result<OwnRest, Fault> {
        let database = &self.shared.database;
        let events =
            database.reservation_events_after(&own.owner, state.position, SENT_TOGETHER).await?;
        if events.is_empty() {
            return Ok(OwnRest::Nothing);
        }
        let (began, may_be_more) = (Instant::now(), events.len() >= usize::from(SENT_TOGETHER));
        let reach = self.shared.settings.own_webhooks;
        let webhook = Webhook::reaching(&own.url, Secret::new(&own.secret), reach, TIMEOUTS);
        let webhook = webhook.map_err(Fault::internal)?;
        for event in events {
            if began.elapsed() >= BUDGET || self.shared.stop.is_cancelled() {
                return Ok(OwnRest::More);
            }
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
            if !database.put_webhook(&state, from).await? {
                return Ok(OwnRest::More);
            }
            match outcome {
                DeliveryOutcome::Delivered => {}
                DeliveryOutcome::Gone => return Ok(OwnRest::Nothing),
                DeliveryOutcome::Again | DeliveryOutcome::GivenUp => {
                    return Ok(state.next_attempt.map_or(OwnRest::More, OwnRest::Later));
                }
            }
        }
        Ok(if may_be_more { OwnRest::More } else { OwnRest::Nothing })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    #[test]
    fn a_turn_is_needed_once_something_happens_is_due_or_was_left() {
        let newest = Some(EventId::from(7));
        let mut turn = OwnTurn::begin(newest);
        turn.note(OwnRest::Nothing);
        assert!(turn.suffices(newest, at(100)));
        assert!(!turn.suffices(Some(EventId::from(8)), at(100)));
        // The earliest of what is tried again counts.
        for next in [130, 110, 120] {
            turn.note(OwnRest::Later(at(next)));
        }
        assert!(turn.suffices(newest, at(109)));
        assert!(!turn.suffices(newest, at(110)));
        turn.note(OwnRest::More);
        assert!(!turn.suffices(newest, at(100)));
    }
}
