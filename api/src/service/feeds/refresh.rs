//! Requests that a source be asked anew, by whichever process they were taken.

use std::sync::Arc;
use std::time::Duration;

use planner::time::{Seconds, Timestamp};
use storage::FeedState;
use tokio_util::sync::CancellationToken;

use super::{FeedService, Refreshed};
use crate::service::shared::Fault;

/// How often it is looked whether another process was asked for a refresh.
pub const LOOK: Duration = Duration::from_millis(750);

/// No supplier is believed that asks to wait for longer than a day.
const LONGEST_CLOSED: Seconds = Seconds::new(86_400);

impl FeedService {
    /// Wakes the tasks of sources for which somebody asked for a refresh, until told to stop.
    pub async fn watch_refreshes(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            match self.shared.database.feeds().await {
                Ok(states) => {
                    let asked = states.iter().filter(|(_, state)| state.refresh.is_some());
                    asked.for_each(|(id, _)| self.wake(id));
                }
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), "cannot read how feeds stand");
                }
            }
        }
    }

    /// Asks whoever polls a source to do so as soon as its supplier permits; `None` for an unknown
    /// source.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn refresh_feed(&self, id: &str) -> Result<Option<Refreshed>, Fault> {
        if self.shared.settings.feeds.source(id).is_none() {
            return Ok(None);
        }
        let now = self.shared.now();
        let state = self.feed_state(id).await?;
        self.shared.database.refresh_feed(id, now).await?;
        self.wake(id);
        let closed = state.map_or(Timestamp::MIN, |state: FeedState| state.closed_until);
        let earliest_poll = closed.max(now).min(now + LONGEST_CLOSED);
        Ok(Some(Refreshed { earliest_poll }))
    }
}
