//! Promises, read and kept.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::amounts::{energy_text, mass_text, money_text};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::promises::OfferPromise;
use crate::promises::row::PromiseRow;
use crate::reservations::reading::Reservations;

/// Columns that are written.
const COLUMNS: usize = 11;

repository!(
    /// What chosen offers promised.
    impl Database for Promises {
        /// What the chosen offers of these reservations promised, as these stand at `now`, also of those that were pruned. Others
        /// are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn promises(
            &self,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<Vec<OfferPromise>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let found = Self::of(&mut transaction, ids, now).await?;
            transaction.commit().await?;
            Ok(found)
        }
    }

    /// Parts of transactions.
    impl Promises {
        /// What the chosen offers of reservations promised, inside a caller's transaction.
        pub(crate) async fn of(
            connection: &mut Connection<Engine>,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<Vec<OfferPromise>, StorageError> {
            let mut found: Vec<OfferPromise> = Vec::with_capacity(ids.len());
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let stored = Reservations::<Engine>::of(&mut *connection, chunk).await?;
                found.extend(stored.iter().filter_map(|it| OfferPromise::of(it, now)));
                let mut query = QueryBuilder::<Engine>::new(sql::PROMISES_WHERE);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(")");
                let rows: Vec<PromiseRow> =
                    query.build_query_as().fetch_all(&mut *connection).await?;
                for row in rows {
                    found.push(row.try_into()?);
                }
            }
            Ok(found)
        }

        /// Keeps promises of reservations that are about to be deleted.
        pub(crate) async fn keep(
            connection: &mut Connection<Engine>,
            promises: &[OfferPromise],
        ) -> Result<(), StorageError> {
            for chunk in promises.chunks(MAX_BOUND_VALUES / COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::PROMISES_BULK);
                insert.push_values(chunk, |mut row, it| {
                    row.push_bind(it.reservation.as_uuid())
                        .push_bind(&it.owner)
                        .push_bind(it.completed)
                        .push_bind(it.node_s)
                        .push_bind(energy_text(it.values.energy))
                        .push_bind(money_text(it.values.cost))
                        .push_bind(it.values.cost.currency().to_string())
                        .push_bind(mass_text(it.values.co2))
                        .push_bind(energy_text(it.saves.energy))
                        .push_bind(money_text(it.saves.cost))
                        .push_bind(mass_text(it.saves.co2));
                });
                insert.push(sql::PROMISES_BULK_KNOWN);
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);
