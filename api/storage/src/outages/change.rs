//! What operators change of outages that they told of.

use planner::identity::OutageId;
use planner::node_set::NodeSet;
use planner::time::Timestamp;
use uuid::Uuid;

use super::Outage;
use crate::error::{StorageError, through_storage_error};
use crate::identity::EpochId;

/// What becomes of a field that may have no value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldChange<T> {
    /// It stays as it is.
    #[default]
    Kept,
    /// It has no value any more.
    LeftOut,
    /// It has this value.
    To(T),
}

impl<T> FieldChange<T> {
    /// The value that it has from now on, `unless_given` where it is left out; `None` where it stays.
    pub fn value_or(self, unless_given: T) -> Option<T> {
        match self {
            Self::Kept => None,
            Self::LeftOut => Some(unless_given),
            Self::To(value) => Some(value),
        }
    }
}

/// What changes of an outage; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutageChange {
    /// Other nodes, as ranks in the draw order of an epoch.
    pub ranks: Option<(EpochId, NodeSet)>,
    /// Another start, of one that has yet to begin.
    pub start: Option<Timestamp>,
    /// Another end, or none where it is not known any more.
    pub end: FieldChange<Timestamp>,
    /// Another reason.
    pub reason: Option<String>,
}

/// Why an outage was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeOutageError {
    /// No such outage.
    #[error("there is no such outage")]
    NotFound,
    /// The resource manager tells of it.
    #[error("the resource manager tells of the outage")]
    Managed,
    /// It has ended.
    #[error("the outage ended at {end}")]
    Ended {
        /// When it ended.
        end: Timestamp,
    },
    /// It has begun, and would get another start.
    #[error("the outage began at {start}")]
    Begun {
        /// When it began.
        start: Timestamp,
    },
    /// It would end before it starts.
    #[error("the outage would end at {end}, which is not after its start at {start}")]
    EndsBeforeStart {
        /// When it would start.
        start: Timestamp,
        /// When it would end.
        end: Timestamp,
    },
    /// It would be over already.
    #[error("the outage would be over already")]
    Over,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

through_storage_error!(ChangeOutageError);

impl Outage {
    /// The outage with a change made at `now`.
    ///
    /// # Errors
    /// All but those of storage.
    pub(super) fn changed(
        &self,
        change: &OutageChange,
        now: Timestamp,
    ) -> Result<Self, ChangeOutageError> {
        if self.managed_key.is_some() {
            return Err(ChangeOutageError::Managed);
        }
        if let Some(end) = self.end.filter(|end| *end <= now) {
            return Err(ChangeOutageError::Ended { end });
        }
        let start = change.start.unwrap_or(self.start);
        if start != self.start && self.start <= now {
            return Err(ChangeOutageError::Begun { start: self.start });
        }
        let end = match change.end {
            FieldChange::Kept => self.end,
            FieldChange::LeftOut => None,
            FieldChange::To(end) => Some(end),
        };
        if let Some(end) = end.filter(|end| *end <= start) {
            return Err(ChangeOutageError::EndsBeforeStart { start, end });
        }
        if end.is_some_and(|end| end <= now) {
            return Err(ChangeOutageError::Over);
        }
        let (epoch, ranks) = change.ranks.clone().unwrap_or((self.epoch, self.ranks.clone()));
        let reason = change.reason.clone().unwrap_or_else(|| self.reason.clone());
        Ok(Self { reason, epoch, start, end, ranks, ..self.clone() })
    }

    /// What is kept of nodes that were out of service until `now`, as an outage of its own that is over; `None` where
    /// all nodes stay out, or none has been out yet.
    pub(super) fn given_back(&self, changed: &Self, now: Timestamp) -> Option<Self> {
        let ranks = self.ranks.difference(&changed.ranks);
        let was_out = self.start < now && !ranks.is_empty();
        was_out.then(|| Self {
            id: OutageId::new(Uuid::now_v7()),
            end: Some(now),
            ranks,
            ..self.clone()
        })
    }

    /// Whether it takes nodes, or time, that it did not take as it was stored.
    pub(super) fn takes_more_than(&self, stored: &Self) -> bool {
        let ends = |it: &Self| it.end.unwrap_or(Timestamp::MAX);
        self.start < stored.start
            || ends(self) > ends(stored)
            || !self.ranks.difference(&stored.ranks).is_empty()
    }
}
