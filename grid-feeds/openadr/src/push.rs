//! Notifications over a websocket: they say that something changed, and asking says what.
//!
//! Polling goes on beside them, so that one that is lost costs a poll's pause and no more. A server
//! keeps one connection for each client and may notice late that it broke; it then refuses another
//! with 409 for a while.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use grid_feeds::feed::FeedError;
use grid_feeds::http::received;
use grid_feeds::schedule::{PollOutcome, Rhythm, Schedule};
use planner::time::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use reqwest::Method;
use reqwest_websocket::{Message, Upgrade, WebSocket};
use serde::Deserialize;
use tokio::sync::watch;

use crate::error::VenError;
use crate::ven::Ven;

/// So many notifications are remembered, to know those that come twice.
const REMEMBERED: usize = 256;

/// The server has so long to begin.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// A connection that lasted so long was a good one.
const GOOD: Duration = Duration::from_mins(1);

/// To wait for what the supplier changes.
#[derive(Clone, Debug)]
pub struct Changes(watch::Receiver<u64>);

impl Changes {
    /// Waits until something changed since the last time.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// What the server offers.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Notifiers {
    #[serde(default)]
    websocket: bool,
}

/// Of a notification what counts here.
#[derive(Deserialize)]
struct Notification {
    id: Option<String>,
}

/// Of a subscription what counts here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    #[serde(rename = "programID")]
    program_id: Option<String>,
    #[serde(default)]
    object_operations: Vec<ObjectOperation>,
}

#[derive(Deserialize)]
struct ObjectOperation {
    #[serde(default)]
    objects: Vec<String>,
    mechanism: Option<String>,
}

/// How listening ended.
enum Ended {
    /// The server does not notify.
    NotOffered,
    /// The connection was closed.
    Closed,
}

impl Ven {
    /// To wait for changes, those from now on.
    pub fn changes(&self) -> Changes {
        Changes(self.change_sender().subscribe())
    }

    /// Listens to notifications where the server offers them, again and again. Returns where the
    /// settings do not want it; else it ends only by being dropped.
    pub async fn listen(&self, now: impl Fn() -> Timestamp, seed: [u8; 32]) {
        if !self.settings().push {
            return;
        }
        let mut random = ChaCha8Rng::from_seed(seed);
        let begun = Instant::now();
        // The schedule goes by the watch, whatever becomes of the clock.
        let watch = || {
            let seconds = i64::try_from(begun.elapsed().as_secs()).unwrap_or(i64::MAX);
            Timestamp::from_unix_seconds(seconds)
        };
        let rhythm = Rhythm {
            poll_every_s: 3600,
            backoff_first_s: 1,
            backoff_longest_s: 300,
            refused_s: 3600,
            ..Rhythm::default()
        };
        let schedule = Schedule::new(rhythm, watch(), None, &mut random);
        let Ok(mut schedule) = schedule else { return };
        let mut known = SeenNotifications::default();
        loop {
            let connected = Instant::now();
            let outcome = match self.listen_once(now(), &mut known).await {
                Ok(Ended::NotOffered) => PollOutcome::Complete,
                Ok(Ended::Closed) => {
                    tracing::info!("the supplier closed the connection for notifications");
                    PollOutcome::Failed(grid_feeds::feed::RetryClass::Backoff)
                }
                Err(error) => {
                    tracing::info!(%error, "no notifications from the supplier");
                    PollOutcome::Failed(error.retry())
                }
            };
            if connected.elapsed() > GOOD {
                schedule.finished(watch(), PollOutcome::Complete, &mut random);
            }
            let next = schedule.finished(watch(), outcome, &mut random);
            let wait = u64::try_from((next - watch()).get()).unwrap_or(0);
            tokio::time::sleep(Duration::from_secs(wait)).await;
        }
    }

    async fn listen_once(
        &self,
        now: Timestamp,
        known: &mut SeenNotifications,
    ) -> Result<Ended, VenError> {
        let nothing = None::<&()>;
        let contact = self.contact();
        match contact.json::<Notifiers>(Method::GET, "notifiers", &[], nothing, now).await {
            Ok(Notifiers { websocket: true }) => {}
            Ok(_) | Err(VenError::Contact(FeedError::Refused { status: 404, .. })) => {
                return Ok(Ended::NotOffered);
            }
            Err(error) => return Err(error),
        }
        self.subscribe(now).await?;
        let mut socket = self.open(now).await?;
        // Something may have changed before.
        self.changed();
        while let Some(message) = socket.next().await {
            match message.map_err(VenError::transient)? {
                Message::Text(text) if known.is_news(&text) => self.changed(),
                Message::Close { .. } => break,
                _ => {}
            }
        }
        Ok(Ended::Closed)
    }

    fn changed(&self) {
        self.change_sender().send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Asks for notifications of events, unless we have.
    async fn subscribe(&self, now: Timestamp) -> Result<(), VenError> {
        let contact = self.contact();
        // Some servers notify only those that they know.
        self.register(now).await?;
        let program = self.program(now).await?;
        let (id, name) = (program.id.as_str(), self.settings().ven_name.as_str());
        let query = [("programID", id), ("clientName", name)];
        let nothing = None::<&()>;
        let all: Vec<serde_json::Value> =
            contact.json(Method::GET, "subscriptions", &query, nothing, now).await?;
        let read = |it: &serde_json::Value| Subscription::deserialize(it).ok();
        let ours: Vec<Subscription> = all.iter().filter_map(read).collect();
        let is_it = |subscription: &Subscription| {
            subscription.program_id.as_deref() == Some(id)
                && subscription.object_operations.iter().any(|it| {
                    it.mechanism.as_deref() == Some("WEBSOCKET")
                        && it.objects.iter().any(|object| object == "EVENT")
                })
        };
        if ours.iter().any(is_it) {
            return Ok(());
        }
        let wanted = serde_json::json!({
            "clientName": name, "programID": id,
            "objectOperations": [{"objects": ["EVENT"],
                "operations": ["CREATE", "UPDATE", "DELETE"], "mechanism": "WEBSOCKET"}],
        });
        let answer = contact
            .json::<serde_json::Value>(Method::POST, "subscriptions", &[], Some(&wanted), now)
            .await;
        answer.map(drop)
    }

    async fn open(&self, now: Timestamp) -> Result<WebSocket, VenError> {
        let contact = self.contact();
        let token = contact.token(now).await?;
        let request = contact.request(Method::GET, "notifiers/ws")?;
        // The client's limit would end the connection, however well it works.
        let request = request.bearer_auth(token.expose()).timeout(Duration::MAX);
        let answer = tokio::time::timeout(HANDSHAKE, request.upgrade().send()).await;
        let answer = answer.map_err(VenError::transient)?.map_err(VenError::transient)?;
        if answer.status() == reqwest::StatusCode::SWITCHING_PROTOCOLS {
            return answer.into_websocket().await.map_err(VenError::transient);
        }
        let answer = received(answer.into_inner(), Some(&token), now).await?;
        if answer.status == reqwest::StatusCode::UNAUTHORIZED.as_u16() {
            contact.forget(&token).await;
            return Err(VenError::StaleToken);
        }
        crate::client::checked(answer)?;
        Err(VenError::payload("notifiers/ws", "is no websocket"))
    }
}

/// The notifications that came lately.
#[derive(Default)]
struct SeenNotifications(VecDeque<String>);

impl SeenNotifications {
    /// Whether a notification did not come before. One without a name is news.
    fn is_news(&mut self, text: &str) -> bool {
        let Ok(Notification { id: Some(id) }) = serde_json::from_str(text) else { return true };
        if self.0.contains(&id) {
            return false;
        }
        if self.0.len() >= REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(id);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_counts_once() {
        let mut known = SeenNotifications::default();
        let text = |id: usize| format!(r#"{{"id": "n{id}", "operation": "UPDATE"}}"#);
        assert!(known.is_news(&text(0)));
        assert!(!known.is_news(&text(0)));
        assert!(known.is_news("no JSON at all") && known.is_news("{}"));
        for id in 1..=REMEMBERED {
            assert!(known.is_news(&text(id)));
        }
        assert_eq!(known.0.len(), REMEMBERED);
        assert!(known.is_news(&text(0)), "forgotten");
    }
}
