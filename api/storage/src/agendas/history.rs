//! What was in force when, and what it rests on.
//!
//! What was known at an instant is found from the newest revision back: each says all of its span,
//! so that as soon as the window is covered no older one counts, and of each only the pieces are read that
//! no newer one covers. `O(revisions that touch the window and were received since)` entries of an
//! index, and the pieces that are answered.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::agendas::repository::Agendas;
use crate::agendas::row::{PieceRow, ProvenRow, RevisionSpanRow};
use crate::agendas::spans::cover;
use crate::agendas::{AgendaRevision, ProvenPiece, ProvenRevision, Quantity};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::error::StorageError;
use crate::identity::RevisionId;
use crate::row::RowPlace;

/// Revisions that are looked at together: few, then more where these do not cover the window.
const FIRST_PAGE: i64 = 64;
const LARGEST_PAGE: i64 = 4096;

/// Parts that one statement asks for at the most.
const MAX_PARTS: usize = MAX_BOUND_VALUES / 3;

/// Values that one statement binds at the most.
const MAX_IDS: usize = 1000;

/// A value and the revision that said it.
type Said = (i64, RevisionId);

fn said(row: PieceRow) -> Result<Piece<Said>, StorageError> {
    let revision = row.revision_id;
    let piece = Piece::<i64>::try_from(row)?;
    Ok(Piece { span: piece.span, value: (piece.value, revision) })
}

repository!(
    /// What agendas said at an earlier time, and what they rest on.
    impl Database for AgendaHistory {
        /// What was known of `window` at `as_of`, trimmed to the window, in time order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn agenda_as_of(
            &self,
            quantity: Quantity,
            window: Span,
            as_of: Timestamp,
        ) -> Result<Vec<Piece<i64>>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let known = Self::said_as_of(&mut transaction, quantity, window, as_of).await?;
            transaction.commit().await?;
            let value = |it: &Piece<Said>| Piece { span: it.span, value: it.value.0 };
            Ok(known.iter().map(value).collect())
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
            let mut transaction = self.begin_read().await?;
            let connection = &mut *transaction;
            let pieces = match as_of {
                Some(as_of) => Self::said_as_of(connection, quantity, window, as_of).await?,
                None => Self::said_now(connection, quantity, window).await?,
            };
            let proven = Self::proven(connection, &pieces).await?;
            transaction.commit().await?;
            Ok(proven)
        }
    }

    /// Parts of transactions.
    impl AgendaHistory {
        /// What is in force with what it rests on, inside a caller's transaction.
        pub(crate) async fn proven_now(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
        ) -> Result<Vec<ProvenPiece>, StorageError> {
            let pieces = Self::said_now(connection, quantity, window).await?;
            Self::proven(connection, &pieces).await
        }

        async fn said_now(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
        ) -> Result<Vec<Piece<Said>>, StorageError> {
            let rows = Agendas::<Engine>::current(connection, quantity, window).await?;
            rows.into_iter().map(said).collect()
        }

        async fn said_as_of(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
            as_of: Timestamp,
        ) -> Result<Vec<Piece<Said>>, StorageError> {
            let parts = Self::counting(connection, quantity, window, as_of).await?;
            let mut pieces = Vec::with_capacity(parts.len());
            for page in parts.chunks(MAX_PARTS) {
                let row = |(id, part): &(RevisionId, Span)| {
                    (id.get(), part.start().as_unix_seconds(), part.end().as_unix_seconds())
                };
                let rows: Vec<_> = page.iter().map(row).collect();
                let mut query = Engine::with_triples(sql::PARTS, &rows);
                query.push(sql::PIECES_OF_PARTS);
                let rows: Vec<PieceRow> =
                    query.build_query_as().fetch_all(&mut *connection).await?;
                for row in rows {
                    pieces.push(said(row)?);
                }
            }
            pieces.sort_by_key(|piece| piece.span);
            Ok(pieces)
        }

        /// The parts of the window, each with the newest revision that covers it.
        async fn counting(
            connection: &mut Connection<Engine>,
            quantity: Quantity,
            window: Span,
            as_of: Timestamp,
        ) -> Result<Vec<(RevisionId, Span)>, StorageError> {
            let (mut open, mut counting) = (vec![window], Vec::new());
            let (mut before, mut page) = ((as_of.as_unix_seconds(), i64::MAX), FIRST_PAGE);
            while !open.is_empty() {
                let rows: Vec<RevisionSpanRow> = sqlx::query_as(sql::SPANS_AS_OF)
                    .bind(quantity.word())
                    .bind(window.start().as_unix_seconds())
                    .bind(window.end().as_unix_seconds())
                    .bind(before.0)
                    .bind(before.1)
                    .bind(page)
                    .fetch_all(&mut *connection)
                    .await?;
                let Some(last) = rows.last() else { break };
                before = (last.received_s, last.id.get());
                for row in &rows {
                    let parts = cover(&mut open, row.span()?);
                    counting.extend(parts.into_iter().map(|part| (row.id, part)));
                }
                if i64::try_from(rows.len()).is_ok_and(|count| count < page) {
                    break;
                }
                page = (page * 4).min(LARGEST_PAGE);
            }
            Ok(counting)
        }

        async fn proven(
            connection: &mut Connection<Engine>,
            pieces: &[Piece<Said>],
        ) -> Result<Vec<ProvenPiece>, StorageError> {
            let ids: BTreeSet<RevisionId> = pieces.iter().map(|piece| piece.value.1).collect();
            let ids: Vec<RevisionId> = ids.into_iter().collect();
            let mut revisions: HashMap<RevisionId, Arc<ProvenRevision>> = HashMap::new();
            for page in ids.chunks(MAX_IDS) {
                let mut query = QueryBuilder::<Engine>::new(sql::PROVEN_WHERE);
                let mut list = query.separated(", ");
                for id in page {
                    list.push_bind(*id);
                }
                list.push_unseparated(")");
                let rows: Vec<ProvenRow> =
                    query.build_query_as().fetch_all(&mut *connection).await?;
                for row in rows {
                    let revision = AgendaRevision::try_from(row.revision)?;
                    let (id, provenance) = (revision.id, row.provenance);
                    revisions.insert(id, Arc::new(ProvenRevision { revision, provenance }));
                }
            }
            let proven = |piece: &Piece<Said>| {
                let (value, id) = piece.value;
                let place = RowPlace { table: "agenda_pieces", row: piece.span };
                let missing = || place.wrong("revision_id", "there is no such revision");
                let revision = revisions.get(&id).map(Arc::clone).ok_or_else(missing)?;
                Ok(ProvenPiece { piece: Piece { span: piece.span, value }, revision })
            };
            pieces.iter().map(proven).collect()
        }
    }
);
