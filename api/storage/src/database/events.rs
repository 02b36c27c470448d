//! Events.

use planner::time::Timestamp;

use super::{Database, Engine};
use crate::error::StorageError;
use crate::events::{Event, EventsKept};
use crate::identity::EventId;

/// What happened. Whatever this handle writes records its events in the same transaction.
impl Database {
    /// Events after one, all where none is named, in the order in which they were committed: none
    /// will ever come in between. At most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn events_after(
        &self,
        after: Option<EventId>,
        limit: u16,
    ) -> Result<Vec<Event>, StorageError> {
        on_engine!(self.events_after(after, limit))
    }

    /// The oldest and the newest event that are kept.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn events_kept(&self) -> Result<EventsKept, StorageError> {
        on_engine!(self.events_kept())
    }

    /// Forgets events from before an instant, and all but the `most` newest; how many. The newest
    /// stays.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn forget_events(&self, before: Timestamp, most: u32) -> Result<u64, StorageError> {
        on_engine!(self.forget_events(before, most))
    }
}
