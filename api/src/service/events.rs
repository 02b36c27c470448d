//! Events as they are committed, by whichever process: one look at the database for all who watch.
//!
//! While anybody watches, a task reads what is newer and hands it to all watchers through a ring. Who
//! is too slow for the ring, or comes back after a while, reads from the database itself, page by
//! page, until they have caught up: nothing is lost, and nobody's slowness takes memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use planner::time::Seconds;
use storage::{Event, EventId};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{Mutex, Notify, broadcast};
use tokio_util::sync::CancellationToken;

use super::{Service, ServiceError};

/// How often the database is asked while somebody watches.
const LOOK: Duration = Duration::from_millis(250);

/// Pauses while the database is out of reach.
const PAUSE: Duration = Duration::from_secs(2);

/// Events that the ring holds.
const RING: usize = 1024;

/// Events that are read at once.
const PAGE: u16 = 200;

/// How long events are kept, and how many at the most.
const KEPT: Seconds = Seconds::new(7 * 86_400);
const MOST_KEPT: u32 = 1_000_000;

/// What watchers share.
pub struct Events {
    /// The newest event that was put into the ring; `None` while nobody watches.
    position: Mutex<Option<EventId>>,
    ring: broadcast::Sender<Arc<Event>>,
    /// Somebody began to watch.
    wake: Notify,
}

/// How a watcher begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// After the event that was named: nothing is left out.
    Resumed,
    /// From now on.
    Opened,
    /// From now on, because what came after the named event is no longer kept.
    Reset,
}

/// One who watches.
pub struct Watch {
    service: Arc<Service>,
    /// How it began.
    pub beginning: Beginning,
    ring: broadcast::Receiver<Arc<Event>>,
    /// The last event that was handed out, or the one to begin after.
    pub last: EventId,
    /// Read from the database.
    page: VecDeque<Event>,
    /// Whether the database may have more that the ring has lost.
    behind: bool,
}

impl Default for Events {
    fn default() -> Self {
        let (ring, _) = broadcast::channel(RING);
        Self { position: Mutex::new(None), ring, wake: Notify::new() }
    }
}

impl Service {
    /// Hands events to all who watch, until told to stop.
    pub async fn tell_events(self: Arc<Self>, stop: CancellationToken) {
        loop {
            let pause = match self.look_for_events().await {
                Ok(true) => LOOK,
                Ok(false) => {
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = self.events.wake.notified() => continue,
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
    async fn look_for_events(&self) -> Result<bool, ServiceError> {
        let mut position = self.events.position.lock().await;
        if self.events.ring.receiver_count() == 0 {
            *position = None;
        }
        let Some(mut after) = *position else { return Ok(false) };
        loop {
            let found = self.database.events_after(Some(after), PAGE).await?;
            let more = found.len() == usize::from(PAGE);
            for event in found {
                after = event.id;
                // Fails where the last watcher has just gone.
                let _ = self.events.ring.send(Arc::new(event));
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
    /// Only the database's.
    pub async fn watch_events(
        self: &Arc<Self>,
        after: Option<EventId>,
    ) -> Result<Watch, ServiceError> {
        let kept = self.database.events_kept().await?;
        let first = EventId::from(0);
        let newest = kept.newest.unwrap_or(first);
        let (ring, position) = {
            let mut position = self.events.position.lock().await;
            // Who is handed what comes after `position` misses nothing after it.
            (self.events.ring.subscribe(), *position.get_or_insert(newest))
        };
        self.events.wake.notify_one();
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
        let service = Arc::clone(self);
        Ok(Watch { service, beginning, ring, last, page: VecDeque::new(), behind })
    }

    /// Forgets events that nobody will ask for again.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn forget_old_events(&self) -> Result<(), ServiceError> {
        self.database.forget_events(self.now() - KEPT, MOST_KEPT).await?;
        Ok(())
    }
}

impl Watch {
    /// The next event.
    ///
    /// # Errors
    /// Only the database's, where this watcher has to catch up.
    pub async fn next(&mut self) -> Result<Arc<Event>, ServiceError> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.last = event.id;
                return Ok(Arc::new(event));
            }
            if self.behind {
                let page = self.service.database.events_after(Some(self.last), PAGE).await?;
                self.behind = page.len() == usize::from(PAGE);
                self.page = page.into();
                continue;
            }
            match self.ring.recv().await {
                Ok(event) if event.id > self.last => {
                    self.last = event.id;
                    return Ok(event);
                }
                Ok(_) => {}
                // The sender lives as long as the service, which this watcher holds.
                Err(RecvError::Lagged(_) | RecvError::Closed) => self.behind = true,
            }
        }
    }

    /// The next event, if it is there already.
    pub fn next_if_there(&mut self) -> Option<Arc<Event>> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.last = event.id;
                return Some(Arc::new(event));
            }
            if self.behind {
                return None;
            }
            match self.ring.try_recv() {
                Ok(event) if event.id > self.last => {
                    self.last = event.id;
                    return Some(event);
                }
                Ok(_) => {}
                Err(TryRecvError::Lagged(_)) => self.behind = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }
}
