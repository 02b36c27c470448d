//! Draw above plan. No part of the book.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::row::{OF_ALL_NODES, PowerExcessRow};
use super::sql;
use crate::database::repository;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::power_excesses::PowerExcess;

repository!(
    /// Draw above plan, for as long as it lasts.
    impl Database for PowerExcesses {
        /// All draw above plan that lasts.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn power_excesses(&self) -> Result<Vec<PowerExcess>, StorageError> {
            let rows: Vec<PowerExcessRow> =
                sqlx::query_as(sql::POWER_EXCESSES).fetch_all(&self.reader).await?;
            Ok(rows.into_iter().map(PowerExcess::from).collect())
        }

        /// Notes all draw above plan that lasts, in place of what was noted before, and tells of it in the same
        /// transaction.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_power_excesses(
            &self,
            excesses: &[PowerExcess],
            events: &[NewEvent],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            sqlx::query(sql::FORGET_POWER_EXCESSES).execute(&mut *connection).await?;
            for chunk in excesses.chunks(MAX_BOUND_VALUES / 3) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_EXCESSES_BULK);
                insert.push_values(chunk, |mut row, it| {
                    row.push_bind(it.reservation_id.map_or(OF_ALL_NODES, ReservationId::as_uuid))
                        .push_bind(it.excess.since.as_unix_seconds())
                        .push_bind(it.excess.is_told);
                });
                insert.build().execute(&mut *connection).await?;
            }
            if !events.is_empty() {
                Events::<Engine>::record_beside(connection, events, now).await?;
            }
            Ok(transaction.commit().await?)
        }
    }
);
