//! Events as they are committed, by whichever process: one look at the database for all who watch.
//!
//! While anybody watches, a task reads what is newer and hands it to all watchers through a ring. Who
//! is too slow for the ring, or comes back after a while, reads from the database itself, page by
//! page, until they have caught up: nothing is lost, and nobody's slowness takes memory.

mod watch;

use std::sync::Arc;
use std::time::Duration;

use storage::{Event, EventId};
use tokio::sync::{Mutex, Notify, broadcast};
use tokio_util::sync::CancellationToken;

use super::shared::{Access, CallerKind, Exceeded, Fault, Share, Shared, Shares};

pub use watch::{Beginning, Watch};

/// How often the database is asked while somebody watches.
pub const LOOK: Duration = Duration::from_millis(250);

/// Pauses while the database is out of reach.
const PAUSE: Duration = Duration::from_secs(2);

/// Events that the ring holds.
const RING: usize = 1024;

/// Events that are read at once.
const PAGE: u16 = 200;

/// How many events are kept at the most.
const MOST_KEPT: u32 = 1_000_000;

/// Events as they are committed, for all who watch.
pub struct EventService {
    shared: Arc<Shared>,
    /// The streams by which callers watch.
    streams: Arc<Shares>,
    /// The newest event that was put into the ring; `None` while nobody watches.
    position: Mutex<Option<EventId>>,
    ring: broadcast::Sender<Arc<Event>>,
    /// Somebody began to watch.
    wake: Notify,
}

/// Why somebody may not watch.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Too many watch.
    #[error("too many are watching; ask from time to time instead")]
    TooManyWatchers,
    /// One user has as many streams as one may have.
    #[error(
        "you watch by as many streams as one user may ({0}); end one, or share one among your \
         programs"
    )]
    TooManyStreams(usize),
}

impl EventService {
    /// On what all services share. Nobody watches yet.
    pub fn new(shared: Arc<Shared>) -> Self {
        let limits = &shared.settings.limits;
        let streams = Shares::new(limits.streams, limits.streams_per_user);
        let (ring, _) = broadcast::channel(RING);
        Self { shared, streams, position: Mutex::new(None), ring, wake: Notify::new() }
    }

    /// The place of one more who watches by a stream.
    ///
    /// # Errors
    /// `TooManyStreams`, `TooManyWatchers`.
    pub fn stream_place(&self, access: Access<'_>) -> Result<Share, WatchError> {
        let limited = access.kind != CallerKind::LocalUser;
        let mut place = self.streams.share(access, limited);
        match place.grow(1) {
            Ok(()) => Ok(place),
            Err(Exceeded::User) => {
                let most = self.shared.settings.limits.streams_per_user;
                Err(WatchError::TooManyStreams(most))
            }
            Err(Exceeded::All) => Err(WatchError::TooManyWatchers),
        }
    }

    /// Returns once the service is told to stop: streams end then.
    pub async fn stopped(&self) {
        self.shared.stop.cancelled().await;
    }

    /// Hands events to all who watch, until told to stop.
    pub async fn hand_out(self: Arc<Self>, stop: CancellationToken) {
        loop {
            let pause = match self.look_for_events().await {
                Ok(true) => LOOK,
                Ok(false) => {
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = self.wake.notified() => continue,
                    }
                }
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), "cannot read events");
                    PAUSE
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Puts what is newer into the ring; `false` where nobody watches.
    async fn look_for_events(&self) -> Result<bool, Fault> {
        let mut position = self.position.lock().await;
        if self.ring.receiver_count() == 0 {
            *position = None;
        }
        let Some(mut after) = *position else { return Ok(false) };
        loop {
            let found = self.shared.database.events_after(Some(after), PAGE).await?;
            let more = found.len() == usize::from(PAGE);
            for event in found {
                after = event.id;
                // Fails where the last watcher has just gone.
                let _ = self.ring.send(Arc::new(event));
            }
            *position = Some(after);
            if !more {
                return Ok(true);
            }
        }
    }

    /// Watches from now on, or from after an event on.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn watch(self: &Arc<Self>, after: Option<EventId>) -> Result<Watch, Fault> {
        let kept = self.shared.database.events_kept().await?;
        let first = EventId::from(0);
        let newest = kept.newest.unwrap_or(first);
        let (ring, position) = {
            let mut position = self.position.lock().await;
            // Who is handed what comes after `position` misses nothing after it.
            (self.ring.subscribe(), *position.get_or_insert(newest))
        };
        self.wake.notify_one();
        let whole = |after: &EventId| {
            let oldest = kept.oldest.unwrap_or(first);
            *after <= newest && after.get() + 1 >= oldest.get()
        };
        let (beginning, last) = match (after, after.filter(whole)) {
            (_, Some(after)) => (Beginning::Resumed, after),
            (Some(_), None) => (Beginning::Reset, position),
            (None, None) => (Beginning::Opened, position),
        };
        let behind = last < position;
        Ok(Watch::new(Arc::clone(self), beginning, ring, last, behind))
    }

    /// Forgets events that nobody will ask for again.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn forget_old(&self) -> Result<(), Fault> {
        let kept = self.shared.settings.retention.events;
        self.shared.database.forget_events(self.shared.now() - kept, MOST_KEPT).await?;
        Ok(())
    }
}
