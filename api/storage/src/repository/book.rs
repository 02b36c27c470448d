//! The book's version, who holds which nodes, and the state a plan rests on.

use planner::agenda::Piece;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};
use sqlx::{Postgres, QueryBuilder, Sqlite};

use super::{Connection, Repository};
use crate::agenda::Quantity;
use crate::allocation::{Allocation, BookSnapshot};
use crate::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::identity::{EpochId, ReservationId};
use crate::row::{AllocationRow, grouped};
use crate::sql::book as sql;

/// Allocations as the rows of their ranges.
fn range_rows(allocations: &[Allocation]) -> Vec<(&Allocation, std::ops::Range<u32>)> {
    allocations
        .iter()
        .flat_map(|held| held.ranks.ranges().iter().map(move |range| (held, range.clone())))
        .collect()
}

/// Pieces in the type of their quantity.
pub(super) fn typed<V>(
    pieces: Vec<Piece<i64>>,
    value: impl Fn(i64) -> Option<V>,
) -> Result<Vec<Piece<V>>, StorageError> {
    let typed = |piece: Piece<i64>| {
        let value = value(piece.value).ok_or_else(|| StorageError::Inconsistent {
            table: "agenda_current",
            row: piece.span.to_string(),
            problem: "the value is out of range",
        })?;
        Ok(Piece { span: piece.span, value })
    };
    pieces.into_iter().map(typed).collect()
}

macro_rules! book {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn version(&self) -> Result<i64, StorageError> {
                Ok(sqlx::query_scalar(sql::VERSION).fetch_one(&self.reader).await?)
            }

            pub(crate) async fn version_inside(
                connection: &mut Connection<$engine>,
            ) -> Result<i64, StorageError> {
                Ok(sqlx::query_scalar(sql::VERSION).fetch_one(connection).await?)
            }

            pub(crate) async fn bump_version(
                connection: &mut Connection<$engine>,
            ) -> Result<(), StorageError> {
                sqlx::query(sql::BUMP_VERSION).execute(connection).await?;
                Ok(())
            }

            pub(crate) async fn snapshot(
                &self,
                window: Span,
                now: Timestamp,
            ) -> Result<BookSnapshot, StorageError> {
                let mut transaction = self.begin_read().await?;
                let connection = &mut *transaction;
                let version = Self::version_inside(connection).await?;
                let epoch = Self::newest_epoch(connection).await?.map(|row| row.id);
                let price = Self::current_pieces(connection, Quantity::Price, window).await?;
                let co2 = Self::current_pieces(connection, Quantity::Co2, window).await?;
                let cap = Self::current_pieces(connection, Quantity::PowerCap, window).await?;
                let capped = Self::ever_announced(connection, Quantity::PowerCap).await?;
                let mut allocations = Self::live_allocations(connection, window, now).await?;
                transaction.commit().await?;
                // Ranks of an older epoch mean other nodes; such rows are history, which no plan
                // reaches.
                allocations.retain(|allocation| Some(allocation.epoch) == epoch);
                let power = |microwatts| Some(Power::from_microwatts(microwatts));
                Ok(BookSnapshot {
                    version,
                    epoch,
                    price: typed(price, EnergyPrice::from_millionths_per_mwh)?,
                    co2: typed(co2, CarbonIntensity::from_millionths_g_per_kwh)?,
                    power_cap: if capped { Some(typed(cap, power)?) } else { None },
                    allocations,
                })
            }

            pub(crate) async fn allocations(
                &self,
                window: Span,
                now: Timestamp,
                except: Option<ReservationId>,
            ) -> Result<Vec<Allocation>, StorageError> {
                let mut connection = self.reader.acquire().await?;
                let mut live = Self::live_allocations(&mut connection, window, now).await?;
                live.retain(|allocation| Some(allocation.reservation_id) != except);
                Ok(live)
            }

            async fn live_allocations(
                connection: &mut Connection<$engine>,
                window: Span,
                now: Timestamp,
            ) -> Result<Vec<Allocation>, StorageError> {
                let rows: Vec<AllocationRow> = sqlx::query_as(sql::LIVE_ALLOCATIONS)
                    .bind(window.start().as_unix_seconds())
                    .bind(window.end().as_unix_seconds())
                    .bind(now.as_unix_seconds())
                    .fetch_all(connection)
                    .await?;
                grouped(rows)
            }

            pub(crate) async fn allocations_of(
                &self,
                id: ReservationId,
            ) -> Result<Vec<Allocation>, StorageError> {
                let rows: Vec<AllocationRow> = sqlx::query_as(sql::ALLOCATIONS_OF_RESERVATION)
                    .bind(id)
                    .fetch_all(&self.reader)
                    .await?;
                grouped(rows)
            }

            /// Allocations that end after an instant, inside a caller's transaction.
            pub(crate) async fn upcoming_allocations(
                connection: &mut Connection<$engine>,
                now: Timestamp,
            ) -> Result<Vec<Allocation>, StorageError> {
                let rows: Vec<AllocationRow> = sqlx::query_as(sql::UPCOMING_ALLOCATIONS)
                    .bind(now.as_unix_seconds())
                    .fetch_all(connection)
                    .await?;
                grouped(rows)
            }

            /// Ends every allocation at an instant: what would start later is deleted.
            pub(crate) async fn cut_allocations(
                connection: &mut Connection<$engine>,
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
            pub(crate) async fn cut_reservation(
                connection: &mut Connection<$engine>,
                id: ReservationId,
                now: Timestamp,
            ) -> Result<(), StorageError> {
                let cuts = [
                    sql::DELETE_RESERVATION_ALLOCATIONS_FROM,
                    sql::TRUNCATE_RESERVATION_ALLOCATIONS,
                ];
                for statement in cuts {
                    sqlx::query(statement)
                        .bind(id)
                        .bind(now.as_unix_seconds())
                        .execute(&mut *connection)
                        .await?;
                }
                Ok(())
            }

            /// Takes nodes of an epoch, a row for each range.
            pub(crate) async fn insert_allocations(
                connection: &mut Connection<$engine>,
                epoch: EpochId,
                allocations: &[Allocation],
            ) -> Result<(), StorageError> {
                for chunk in range_rows(allocations).chunks(MAX_BOUND_VALUES / 7) {
                    let mut insert = QueryBuilder::<$engine>::new(sql::ALLOCATIONS_BULK);
                    insert.push_values(chunk, |mut row, (allocation, range)| {
                        row.push_bind(allocation.reservation_id)
                            .push_bind(allocation.offer_id)
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
    };
}

book!(Sqlite);
book!(Postgres);
