//! Allocations: taken, ended and read.

use planner::identity::ReservationId;
use planner::time::{Span, Timestamp};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, pieces};
use crate::error::StorageError;
use crate::identity::EpochId;
use crate::reservations::allocations::Allocation;
use crate::reservations::allocations::row::{AllocationRow, grouped};

/// Allocations as the rows of their ranges.
fn range_rows(allocations: &[Allocation]) -> Vec<(&Allocation, std::ops::Range<u32>)> {
    allocations
        .iter()
        .flat_map(|held| held.ranks.ranges().iter().map(move |range| (held, range.clone())))
        .collect()
}

repository!(
    /// Who holds which nodes when.
    impl Database for Allocations {
        /// The live allocations that touch `window`: of reservations that are confirmed, active or
        /// completed, or proposed and still held at `now`. Those of a span before the newest epoch
        /// count in the ranks of theirs.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn allocations(
            &self,
            window: Span,
            now: Timestamp,
        ) -> Result<Vec<Allocation>, StorageError> {
            let rows: Vec<AllocationRow> = sqlx::query_as(sql::LIVE_ALLOCATIONS)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .bind(now.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            grouped(rows)
        }

        /// All allocations of one reservation, whatever its state.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn allocations_of(
            &self,
            id: ReservationId,
        ) -> Result<Vec<Allocation>, StorageError> {
            let rows: Vec<AllocationRow> = sqlx::query_as(sql::ALLOCATIONS_OF_RESERVATION)
                .bind(id.as_uuid())
                .fetch_all(&self.reader)
                .await?;
            grouped(rows)
        }
    }

    /// Parts of transactions.
    impl Allocations {
        /// Allocations that end after an instant, inside a caller's transaction.
        pub(crate) async fn upcoming(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<Vec<Allocation>, StorageError> {
            let rows: Vec<AllocationRow> = sqlx::query_as(sql::UPCOMING_ALLOCATIONS)
                .bind(now.as_unix_seconds())
                .fetch_all(connection)
                .await?;
            grouped(rows)
        }

        /// Ends every allocation at an instant: what would start later is deleted.
        pub(crate) async fn cut_all(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            for statement in [sql::DELETE_ALLOCATIONS_FROM, sql::TRUNCATE_ALLOCATIONS] {
                sqlx::query(statement)
                    .bind(now.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }

        /// Ends one reservation's allocations at an instant, keeping the past for the history.
        pub(crate) async fn cut_those_of(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let cuts =
                [sql::DELETE_RESERVATION_ALLOCATIONS_FROM, sql::TRUNCATE_RESERVATION_ALLOCATIONS];
            for statement in cuts {
                sqlx::query(statement)
                    .bind(id.as_uuid())
                    .bind(now.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }

        /// Frees the nodes of reservations but those of their chosen offers.
        pub(crate) async fn keep_chosen(
            connection: &mut Connection<Engine>,
            reservations: &[Uuid],
            chosen: &[Uuid],
        ) -> Result<(), StorageError> {
            let mut delete = QueryBuilder::<Engine>::new(sql::DELETE_ALLOCATIONS_WHERE);
            Engine::push_among(&mut delete, reservations);
            delete.push(sql::BUT_OFFERS);
            Engine::push_among(&mut delete, chosen);
            delete.push(")").build().execute(connection).await?;
            Ok(())
        }

        /// Takes nodes of an epoch, a row for each range.
        pub(crate) async fn insert(
            connection: &mut Connection<Engine>,
            epoch: EpochId,
            allocations: &[Allocation],
        ) -> Result<(), StorageError> {
            for chunk in pieces(&range_rows(allocations)) {
                let mut insert = QueryBuilder::<Engine>::new(sql::ALLOCATIONS_BULK);
                insert.push_values(chunk, |mut row, (allocation, range)| {
                    row.push_bind(allocation.reservation_id.as_uuid())
                        .push_bind(allocation.offer_id.as_uuid())
                        .push_bind(epoch)
                        .push_bind(i64::from(range.start))
                        .push_bind(i64::from(range.end))
                        .push_bind(allocation.span.start().as_unix_seconds())
                        .push_bind(allocation.span.end().as_unix_seconds());
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);
