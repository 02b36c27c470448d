//! One who watches: first what the database has, then what the ring hands out.

use std::collections::VecDeque;
use std::sync::Arc;

use storage::{Event, EventId};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::{EventService, PAGE};
use crate::service::shared::Fault;

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
    events: Arc<EventService>,
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

impl Watch {
    pub(super) const fn new(
        events: Arc<EventService>,
        beginning: Beginning,
        ring: broadcast::Receiver<Arc<Event>>,
        last: EventId,
        behind: bool,
    ) -> Self {
        Self { events, beginning, ring, last, page: VecDeque::new(), behind }
    }

    /// The next event.
    ///
    /// # Errors
    /// The database's, where this watcher has to catch up.
    pub async fn next(&mut self) -> Result<Arc<Event>, Fault> {
        loop {
            if let Some(event) = self.page.pop_front() {
                self.last = event.id;
                return Ok(Arc::new(event));
            }
            if self.behind {
                let page = self.events.shared.database.events_after(Some(self.last), PAGE).await?;
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
                // The sender lives as long as the events, which this watcher holds.
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
