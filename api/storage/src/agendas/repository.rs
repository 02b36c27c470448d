//! Agendas: every revision, and what is in force.

use planner::agenda::{Agenda, Piece};
use planner::time::{Span, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::agendas::row::PieceRow;
use crate::agendas::spans::cut_out;
use crate::agendas::{AgendaMeta, ComposedAgenda, Quantity};
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::RevisionId;

/// From the first start to the last end of pieces that are in order.
fn replaced_span(pieces: &[Piece<i64>]) -> Result<Span, StorageError> {
    Agenda::new(pieces.to_vec()).map_err(StorageError::UnorderedAgenda)?;
    match (pieces.first(), pieces.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start(), last.span.end()),
        _ => None,
    }
    .ok_or(StorageError::EmptyAgenda)
}

/// What one put replaces and with what.
struct Put<'a> {
    quantity: Quantity,
    meta: &'a AgendaMeta,
    span: Span,
    pieces: &'a [Piece<i64>],
    provenance: Option<&'a str>,
    now: Timestamp,
}

repository!(
    /// Agendas. Values are whole millionths of the quantity's unit.
    impl Database for Agendas {
        /// Stores a revision, received at `now`: it replaces everything from its first start to its
        /// last end, and gaps between its pieces become gaps.
        ///
        /// # Errors
        /// No pieces, or pieces that are not in order.
        pub async fn put_agenda(
            &self,
            quantity: Quantity,
            meta: &AgendaMeta,
            pieces: &[Piece<i64>],
            now: Timestamp,
        ) -> Result<RevisionId, StorageError> {
            let span = replaced_span(pieces)?;
            self.put(&Put { quantity, meta, span, pieces, provenance: None, now }).await
        }

        /// Withdraws what is known of a span at `now`: a revision that says nothing, so that all of the span becomes
        /// a gap. What was known before stays known as of then.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn withdraw_agenda(
            &self,
            quantity: Quantity,
            meta: &AgendaMeta,
            span: Span,
            now: Timestamp,
        ) -> Result<RevisionId, StorageError> {
            self.put(&Put { quantity, meta, span, pieces: &[], provenance: None, now }).await
        }

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
            let &ComposedAgenda { span, pieces, provenance } = composed;
            Agenda::new(pieces.to_vec()).map_err(StorageError::UnorderedAgenda)?;
            let provenance = Some(provenance);
            self.put(&Put { quantity, meta, span, pieces, provenance, now }).await
        }

        /// The pieces in force that touch `window`, untrimmed, in time order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn agenda(
            &self,
            quantity: Quantity,
            window: Span,
        ) -> Result<Vec<Piece<i64>>, StorageError> {
            Self::current_pieces(&mut *self.reader.acquire().await?, quantity, window).await
        }

        /// When the newest revision that touches `window` and was received by `as_of` was issued, or
        /// received where its source did not say.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn agenda_announced(
            &self,
            quantity: Quantity,
            window: Span,
            as_of: Timestamp,
        ) -> Result<Option<Timestamp>, StorageError> {
            let seconds: Option<i64> = sqlx::query_scalar(sql::ANNOUNCED)
                .bind(quantity.word())
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .bind(as_of.as_unix_seconds())
                .fetch_optional(&self.reader)
                .await?;
            Ok(seconds.map(Timestamp::from_unix_seconds))
        }
    }

    /// Parts of transactions.
    impl Agendas {
        async fn put(&self, put: &Put<'_>) -> Result<RevisionId, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let revision = Self::insert_revision(&mut transaction, put).await?;
            Self::replace_current(&mut transaction, put, revision).await?;
            sqlx::query(book::AGENDAS_CHANGED).execute(&mut *transaction).await?;
            let data = json!({
                "quantity": put.quantity.word(),
                "revision": revision.get(),
                "start": put.span.start().to_string(),
                "end": put.span.end().to_string(),
            });
            let event = NewEvent::new("agenda.revised", data);
            Events::<Engine>::record(&mut transaction, &[event], put.now).await?;
            BookRow::<Engine>::bump_version(&mut transaction).await?;
            transaction.commit().await?;
            Ok(revision)
        }

        async fn insert_revision(
            connection: &mut Connection<Engine>,
            put: &Put<'_>,
        ) -> Result<RevisionId, StorageError> {
            let revision: RevisionId = sqlx::query_scalar(sql::INSERT_REVISION)
                .bind(put.quantity.word())
                .bind(&put.meta.source)
                .bind(&put.meta.kind)
                .bind(&put.meta.quality)
                .bind(put.meta.issued.map(Timestamp::as_unix_seconds))
                .bind(put.now.as_unix_seconds())
                .bind(put.span.start().as_unix_seconds())
                .bind(put.span.end().as_unix_seconds())
                .bind(put.provenance)
                .fetch_one(&mut *connection)
                .await?;
            for chunk in put.pieces.chunks(MAX_BOUND_VALUES / 4) {
                let mut insert = QueryBuilder::<Engine>::new(sql::PIECES_BULK);
                insert.push_values(chunk, |mut row, piece| {
                    row.push_bind(revision)
                        .push_bind(piece.span.start().as_unix_seconds())
                        .push_bind(piece.span.end().as_unix_seconds())
                        .push_bind(piece.value);
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(revision)
        }

        /// Clears the span of the revision, keeps what older pieces have outside of it, and
        /// puts the new pieces in: gaps between them become gaps.
        async fn replace_current(
            connection: &mut Connection<Engine>,
            put: &Put<'_>,
            revision: RevisionId,
        ) -> Result<(), StorageError> {
            let mut in_force = Vec::new();
            for row in Self::current(connection, put.quantity, put.span).await? {
                let older = row.revision_id;
                let kept = cut_out(&[Piece::try_from(row)?], put.span);
                in_force.extend(kept.into_iter().map(|piece| (older, piece)));
            }
            in_force.extend(put.pieces.iter().map(|&piece| (revision, piece)));
            sqlx::query(sql::DELETE_CURRENT)
                .bind(put.quantity.word())
                .bind(put.span.start().as_unix_seconds())
                .bind(put.span.end().as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            for chunk in in_force.chunks(MAX_BOUND_VALUES / 5) {
                let mut insert = QueryBuilder::<Engine>::new(sql::CURRENT_BULK);
                insert.push_values(chunk, |mut row, (revision, piece)| {
                    row.push_bind(put.quantity.word())
                        .push_bind(piece.span.start().as_unix_seconds())
                        .push_bind(piece.span.end().as_unix_seconds())
                        .push_bind(piece.value)
                        .push_bind(*revision);
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        pub(crate) async fn current(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
        ) -> Result<Vec<PieceRow>, StorageError> {
            Ok(sqlx::query_as(sql::CURRENT)
                .bind(quantity.word())
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(connection)
                .await?)
        }

        /// What is in force, inside a caller's transaction.
        pub(crate) async fn current_pieces(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
        ) -> Result<Vec<Piece<i64>>, StorageError> {
            let rows = Self::current(connection, quantity, window).await?;
            rows.into_iter().map(Piece::try_from).collect()
        }

        /// Whether an agenda of this quantity was ever put, inside a caller's transaction.
        pub(crate) async fn ever_announced(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
        ) -> Result<bool, StorageError> {
            Ok(sqlx::query_scalar(sql::EVER_ANNOUNCED)
                .bind(quantity.word())
                .fetch_one(connection)
                .await?)
        }
    }
);
