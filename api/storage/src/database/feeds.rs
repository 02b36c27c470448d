//! Feeds: revisions, how sources stand, leases, outlooks.

use planner::time::{Span, Timestamp};

use super::{Database, Engine};
use crate::agendas::{AgendaMeta, ComposedAgenda, ProvenPiece, Quantity};
use crate::error::StorageError;
use crate::feeds::{FeedNews, FeedRevision, FeedRevisionMeta, FeedState, NewFeedRevision};
use crate::identity::{FeedRevisionId, ReservationId, RevisionId};
use crate::leases::{Lease, WantedLease};
use crate::reevaluations::{Outlook, Unjudged};

/// What sources said.
impl Database {
    /// Keeps a revision.
    ///
    /// # Errors
    /// No pieces, or pieces that are not in order.
    pub async fn keep_feed_revision(
        &self,
        revision: &NewFeedRevision,
    ) -> Result<FeedRevisionId, StorageError> {
        on_engine!(self.keep_feed_revision(revision))
    }

    /// The revisions received by `as_of` that together say what the feed knew of `window`: the
    /// newest first, and of the older ones only those that fill what newer ones leave open.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn feed_revisions_over(
        &self,
        feed: &str,
        quantity: Quantity,
        window: Span,
        as_of: Timestamp,
    ) -> Result<Vec<FeedRevision>, StorageError> {
        on_engine!(self.feed_revisions_over(feed, quantity, window, as_of))
    }

    /// A page of a feed's revisions, the newest first, below the id `before`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn feed_revisions_page(
        &self,
        feed: &str,
        before: Option<i64>,
        limit: u16,
    ) -> Result<Vec<FeedRevisionMeta>, StorageError> {
        on_engine!(self.feed_revisions_page(feed, before, limit))
    }

    /// The newest revision of each feed.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn latest_feed_revisions(&self) -> Result<Vec<FeedRevisionMeta>, StorageError> {
        on_engine!(self.latest_feed_revisions())
    }

    /// What any feed of a quantity said since a revision.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn feed_news(
        &self,
        quantity: Quantity,
        after: Option<FeedRevisionId>,
    ) -> Result<FeedNews, StorageError> {
        on_engine!(self.feed_news(quantity, after))
    }
}

/// How sources stand.
impl Database {
    /// All that were ever asked.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn feeds(&self) -> Result<Vec<(String, FeedState)>, StorageError> {
        on_engine!(self.feeds())
    }

    /// Writes how a feed stands; a refresh that was asked for since its last poll is kept.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_feed(&self, id: &str, state: &FeedState) -> Result<(), StorageError> {
        on_engine!(self.put_feed(id, state))
    }

    /// Asks whoever polls a feed to do so.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn refresh_feed(&self, id: &str, now: Timestamp) -> Result<(), StorageError> {
        on_engine!(self.refresh_feed(id, now))
    }

    /// All leases.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn leases(&self) -> Result<Vec<Lease>, StorageError> {
        on_engine!(self.leases())
    }

    /// Takes or renews leases for `holder`: those it has, those that nobody has, and those that
    /// still are as they were seen. The names of those it has now.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn take_leases(
        &self,
        holder: &str,
        wanted: &[WantedLease],
    ) -> Result<Vec<String>, StorageError> {
        on_engine!(self.take_leases(holder, wanted))
    }

    /// Gives up a lease of `holder`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn drop_lease(&self, holder: &str, name: &str) -> Result<(), StorageError> {
        on_engine!(self.drop_lease(holder, name))
    }

    /// Gives up all leases of `holder`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn drop_leases(&self, holder: &str) -> Result<(), StorageError> {
        on_engine!(self.drop_leases(holder))
    }
}

/// Composed agendas and what follows from them.
impl Database {
    /// Puts a composed agenda in force over its span, what it rests on with it. It may leave gaps.
    ///
    /// # Errors
    /// Pieces that are not in order.
    pub async fn put_composed(
        &self,
        quantity: Quantity,
        meta: &AgendaMeta,
        composed: &ComposedAgenda<'_>,
        now: Timestamp,
    ) -> Result<RevisionId, StorageError> {
        on_engine!(self.put_composed(quantity, meta, composed, now))
    }

    /// The pieces in force that touch `window`, untrimmed, each with its revision, and these.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn proven_agenda(
        &self,
        quantity: Quantity,
        window: Span,
        as_of: Option<Timestamp>,
    ) -> Result<Vec<ProvenPiece>, StorageError> {
        on_engine!(self.proven_agenda(quantity, window, as_of))
    }

    /// Writes what is expected now of reservations.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_outlooks(&self, outlooks: &[Outlook]) -> Result<(), StorageError> {
        on_engine!(self.put_outlooks(outlooks))
    }

    /// What was last expected of these reservations.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn outlooks(&self, ids: &[ReservationId]) -> Result<Vec<Outlook>, StorageError> {
        on_engine!(self.outlooks(ids))
    }

    /// The agendas by which reservations have yet to be judged; `None` where there are none.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn unjudged(&self, now: Timestamp) -> Result<Option<Unjudged>, StorageError> {
        on_engine!(self.unjudged(now))
    }

    /// Notes that reservations were judged by all revisions of agendas up to one.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_judged(&self, revision: RevisionId) -> Result<(), StorageError> {
        on_engine!(self.put_judged(revision))
    }
}
