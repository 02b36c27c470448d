//! The dialogue with the supplier: negotiations and their messages. They are no part of the book:
//! they count no change, so that nobody reads the book again because something was said.

use planner::identity::NegotiationId;
use planner::time::Timestamp;
use serde_json::json;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::MessageId;
use crate::negotiations::row::{MessageRow, NegotiationRow};
use crate::negotiations::{
    Attempt, Delivery, Message, Negotiation, NegotiationFilter, NegotiationKind,
    NegotiationOutcome, NewMessage,
};

repository!(
    /// Negotiations with the supplier. One of a kind is open at a time; opening another fails.
    impl Database for Negotiations {
        /// Opens a negotiation with its first messages.
        ///
        /// # Errors
        /// Storage failed, or one of the kind is open.
        pub async fn open_negotiation(
            &self,
            new: &Negotiation,
            messages: &[NewMessage],
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::INSERT_NEGOTIATION)
                .bind(new.id.as_uuid())
                .bind(new.kind.word())
                .bind(&new.subject)
                .bind(new.opened.as_unix_seconds())
                .bind(new.deadline.map(Timestamp::as_unix_seconds))
                .execute(&mut *transaction)
                .await?;
            Self::insert_messages(&mut transaction, new.id, messages).await?;
            Self::tell_of(&mut transaction, new.id, "negotiation.opened", new.opened).await?;
            Ok(transaction.commit().await?)
        }

        /// Says something in a negotiation; what it is about, or how it ended, may change with it. A
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
            let mut transaction = self.begin_beside_the_book().await?;
            Self::insert_messages(&mut transaction, id, messages).await?;
            if let Some((subject, deadline)) = subject {
                sqlx::query(sql::SET_SUBJECT)
                    .bind(id.as_uuid())
                    .bind(subject)
                    .bind(deadline.map(Timestamp::as_unix_seconds))
                    .execute(&mut *transaction)
                    .await?;
            }
            if let Some((outcome, at)) = outcome {
                sqlx::query(sql::CLOSE_NEGOTIATION)
                    .bind(id.as_uuid())
                    .bind(outcome.word())
                    .bind(at.as_unix_seconds())
                    .execute(&mut *transaction)
                    .await?;
                Self::tell_of(&mut transaction, id, "negotiation.closed", at).await?;
            } else if let Some(message) = messages.last() {
                Self::tell_of(&mut transaction, id, "negotiation.said", message.said).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// The open negotiation of a kind.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn open_negotiation_of(
            &self,
            kind: NegotiationKind,
        ) -> Result<Option<Negotiation>, StorageError> {
            let row: Option<NegotiationRow> = sqlx::query_as(sql::OPEN_NEGOTIATION)
                .bind(kind.word())
                .fetch_optional(&self.reader)
                .await?;
            row.map(Negotiation::try_from).transpose()
        }

        /// One negotiation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn negotiation(
            &self,
            id: NegotiationId,
        ) -> Result<Option<Negotiation>, StorageError> {
            let row: Option<NegotiationRow> = sqlx::query_as(sql::NEGOTIATION)
                .bind(id.as_uuid())
                .fetch_optional(&self.reader)
                .await?;
            row.map(Negotiation::try_from).transpose()
        }

        /// A page of negotiations, newest first, before the cursor, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn negotiations(
            &self,
            filter: NegotiationFilter,
            after: Option<NegotiationId>,
            limit: u16,
        ) -> Result<Vec<Negotiation>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::NEGOTIATIONS_WHERE);
            if let Some(kind) = filter.kind {
                query.push(" AND kind = ").push_bind(kind.word());
            }
            if let Some(open) = filter.open {
                let state = if open { "open" } else { "closed" };
                query.push(" AND state = ").push_bind(state);
            }
            if let Some(after) = after {
                query.push(" AND id < ").push_bind(after.as_uuid());
            }
            query.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<NegotiationRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(Negotiation::try_from).collect()
        }

        /// Messages of a negotiation after one, oldest first, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn messages(
            &self,
            id: NegotiationId,
            after: MessageId,
            limit: u16,
        ) -> Result<Vec<Message>, StorageError> {
            let rows: Vec<MessageRow> = sqlx::query_as(sql::MESSAGES)
                .bind(id.as_uuid())
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(Message::try_from).collect()
        }

        /// The newest messages of a negotiation, oldest first, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_messages(
            &self,
            id: NegotiationId,
            limit: u16,
        ) -> Result<Vec<Message>, StorageError> {
            let rows: Vec<MessageRow> = sqlx::query_as(sql::NEWEST_MESSAGES)
                .bind(id.as_uuid())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().rev().map(Message::try_from).collect()
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
            let row: Option<MessageRow> = sqlx::query_as(sql::LAST_SAID)
                .bind(kind)
                .bind(before.as_unix_seconds())
                .fetch_optional(&self.reader)
                .await?;
            row.map(Message::try_from).transpose()
        }

        /// Messages of a kind after one that were said by an instant, oldest first, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn said_after(
            &self,
            kind: &str,
            after: MessageId,
            until: Timestamp,
            limit: u16,
        ) -> Result<Vec<Message>, StorageError> {
            let rows: Vec<MessageRow> = sqlx::query_as(sql::SAID_AFTER)
                .bind(kind)
                .bind(after)
                .bind(until.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(Message::try_from).collect()
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
            let rows: Vec<MessageRow> = sqlx::query_as(sql::MESSAGES_DUE)
                .bind(now.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(Message::try_from).collect()
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
            let (kind, delivery, again, error) = match attempt {
                Attempt::Delivered => ("negotiation.delivered", Delivery::Delivered, None, None),
                Attempt::Again(at, error) => {
                    ("negotiation.delayed", Delivery::Waiting, Some(*at), Some(error))
                }
                Attempt::Failed(error) => {
                    ("negotiation.failed", Delivery::Failed, None, Some(error))
                }
            };
            let delivered = (delivery == Delivery::Delivered).then(|| now.as_unix_seconds());
            let mut transaction = self.begin_beside_the_book().await?;
            let noted: Option<Uuid> = sqlx::query_scalar(sql::NOTE_ATTEMPT)
                .bind(id)
                .bind(delivery.word())
                .bind(again.map(Timestamp::as_unix_seconds))
                .bind(delivered)
                .bind(error)
                .fetch_optional(&mut *transaction)
                .await?;
            if let Some(negotiation) = noted {
                let data = json!({
                    "negotiation_id": negotiation.to_string(),
                    "message_id": id.get(),
                });
                let event = NewEvent::new(kind, data);
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Forgets messages of a kind said before an instant.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_messages(
            &self,
            kind: &str,
            before: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::FORGET_MESSAGES)
                .bind(kind)
                .bind(before.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl Negotiations {
        /// Records what became of a negotiation: last in a caller's transaction.
        async fn tell_of(
            connection: &mut Connection<Engine>,
            id: NegotiationId,
            kind: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let event = NewEvent::new(kind, json!({ "negotiation_id": id.to_string() }));
            Events::<Engine>::record_beside(connection, &[event], now).await
        }

        async fn insert_messages(
            connection: &mut Connection<Engine>,
            id: NegotiationId,
            messages: &[NewMessage],
        ) -> Result<(), StorageError> {
            for message in messages {
                let waits = message.delivery == Delivery::Waiting;
                if waits {
                    sqlx::query(sql::SUPERSEDE_MESSAGES)
                        .bind(id.as_uuid())
                        .bind(&message.kind)
                        .execute(&mut *connection)
                        .await?;
                }
                sqlx::query(sql::INSERT_MESSAGE)
                    .bind(id.as_uuid())
                    .bind(message.said.as_unix_seconds())
                    .bind(message.direction.word())
                    .bind(&message.kind)
                    .bind(&message.carrier)
                    .bind(&message.document)
                    .bind(message.delivery.word())
                    .bind(waits.then(|| message.said.as_unix_seconds()))
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
