//! The dialogue with the supplier, grants, and what was consumed.

use planner::time::{Span, Timestamp};

use super::{Database, Engine};
use crate::consumption::Consumed;
use crate::error::StorageError;
use crate::grants::Grant;
use crate::identity::{GrantId, MessageId, NegotiationId, OfferId, ReservationId};
use crate::negotiations::{
    Attempt, Message, Negotiation, NegotiationFilter, NegotiationKind, NegotiationOutcome,
    NewMessage,
};
use crate::reservations::error::ProposeError;
use crate::reservations::reservation::Unchanged;

/// Conversations. One of a kind is open at a time; opening another fails.
impl Database {
    /// Opens a conversation with its first messages.
    ///
    /// # Errors
    /// Storage failed, or one of the kind is open.
    pub async fn open_negotiation(
        &self,
        new: &Negotiation,
        messages: &[NewMessage],
    ) -> Result<(), StorageError> {
        on_engine!(self.open_negotiation(new, messages))
    }

    /// Says something in a conversation; what it is about, or how it ended, may change with it. A
    /// message to be sent takes the place of one of its kind that still waits.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn say(
        &self,
        id: NegotiationId,
        messages: &[NewMessage],
        subject: Option<(&str, Option<Timestamp>)>,
        outcome: Option<(NegotiationOutcome, Timestamp)>,
    ) -> Result<(), StorageError> {
        on_engine!(self.say(id, messages, subject, outcome))
    }

    /// The open conversation of a kind.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn open_negotiation_of(
        &self,
        kind: NegotiationKind,
    ) -> Result<Option<Negotiation>, StorageError> {
        on_engine!(self.open_negotiation_of(kind))
    }

    /// One conversation.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn negotiation(
        &self,
        id: NegotiationId,
    ) -> Result<Option<Negotiation>, StorageError> {
        on_engine!(self.negotiation(id))
    }

    /// A page of conversations, newest first, before the cursor, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn negotiations(
        &self,
        filter: NegotiationFilter,
        after: Option<NegotiationId>,
        limit: u16,
    ) -> Result<Vec<Negotiation>, StorageError> {
        on_engine!(self.negotiations(filter, after, limit))
    }

    /// Messages of a conversation after one, oldest first, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn messages(
        &self,
        id: NegotiationId,
        after: MessageId,
        limit: u16,
    ) -> Result<Vec<Message>, StorageError> {
        on_engine!(self.messages(id, after, limit))
    }

    /// The newest messages of a conversation, oldest first, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn newest_messages(
        &self,
        id: NegotiationId,
        limit: u16,
    ) -> Result<Vec<Message>, StorageError> {
        on_engine!(self.newest_messages(id, limit))
    }

    /// The last message of a kind that was said by an instant.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn last_said(
        &self,
        kind: &str,
        before: Timestamp,
    ) -> Result<Option<Message>, StorageError> {
        on_engine!(self.last_said(kind, before))
    }

    /// Messages that are to be sent by `now`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn messages_due(
        &self,
        now: Timestamp,
        limit: u16,
    ) -> Result<Vec<Message>, StorageError> {
        on_engine!(self.messages_due(now, limit))
    }

    /// Notes what became of an attempt to send a message.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn note_attempt(
        &self,
        id: MessageId,
        attempt: &Attempt,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        on_engine!(self.note_attempt(id, attempt, now))
    }

    /// Forgets messages of a kind said before an instant.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn forget_messages(&self, kind: &str, before: Timestamp) -> Result<(), StorageError> {
        on_engine!(self.forget_messages(kind, before))
    }
}

/// Grants and consumption.
impl Database {
    /// Stores grants and revokes others, in one transaction; `false` where nothing changed. A grant
    /// with the name of one that is known takes its place.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_grants(
        &self,
        grants: &[Grant],
        gone: &[GrantId],
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.put_grants(grants, gone, now))
    }

    /// Lets everybody use what was set aside; `false` where nothing was.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn release_grants(&self, now: Timestamp) -> Result<bool, StorageError> {
        on_engine!(self.release_grants(now))
    }

    /// Grants that have yet to end at an instant, revoked ones too, by start.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn grants(&self, from: Timestamp) -> Result<Vec<Grant>, StorageError> {
        on_engine!(self.grants(from))
    }

    /// Stores what was consumed in a window; what overlaps it is forgotten.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn put_consumption(
        &self,
        window: Span,
        consumed: &[Consumed],
    ) -> Result<(), StorageError> {
        on_engine!(self.put_consumption(window, consumed))
    }

    /// What was consumed in a window.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn consumption(&self, window: Span) -> Result<Vec<Consumed>, StorageError> {
        on_engine!(self.consumption(window))
    }
}

/// Reservations when the cap changes.
impl Database {
    /// Marks whether what was promised no longer holds, and what its owner is to know; `false`
    /// where nothing changed.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn set_degraded(
        &self,
        id: ReservationId,
        degraded: bool,
        notice: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.set_degraded(id, degraded, notice, now))
    }

    /// Withdraws held offers and tells their owner why. A reservation of which none is left is
    /// rejected. `false` where it was chosen or ended meanwhile.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn withdraw_offers(
        &self,
        id: ReservationId,
        offers: &[OfferId],
        notice: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.withdraw_offers(id, offers, notice, now))
    }

    /// As [`Self::withdraw_offers`], for offers that lost their nodes: `false` where the reservation
    /// changed too since it was read.
    ///
    /// # Errors
    /// The book changed since; storage failed.
    pub async fn withdraw_lost_offers(
        &self,
        unchanged: Unchanged,
        offers: &[OfferId],
        notice: &str,
        now: Timestamp,
    ) -> Result<bool, ProposeError> {
        on_engine!(self.withdraw_lost_offers(unchanged, offers, notice, now))
    }

    /// Rejects a reservation that awaits the supplier and tells its owner why; `false` where it no
    /// longer does.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn reject(
        &self,
        id: ReservationId,
        notice: &str,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.reject(id, notice, now))
    }
}
