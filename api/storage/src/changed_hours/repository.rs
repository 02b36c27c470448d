//! Stated hours that are to be stated anew. No part of the book.

use std::collections::BTreeSet;

use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;

repository!(
    /// Stated hours of which something was heard late.
    impl Database for ChangedHours {
        /// The stated hours of which something was heard late, in order, each with how often.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn changed_hours(&self) -> Result<Vec<(Timestamp, i64)>, StorageError> {
            let rows: Vec<(i64, i64)> =
                sqlx::query_as(sql::CHANGED_HOURS).fetch_all(&self.reader).await?;
            let hour = |(hour_s, changes)| (Timestamp::from_unix_seconds(hour_s), changes);
            Ok(rows.into_iter().map(hour).collect())
        }

        /// Forgets that something was heard of an hour, unless it was more often than that.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_changed_hour(
            &self,
            hour: Timestamp,
            changes: i64,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::FORGET_CHANGED_HOUR)
                .bind(hour.as_unix_seconds())
                .bind(changes)
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl ChangedHours {
        /// Notes that something was heard late of the hours that begin at these instants, as far as they are stated.
        pub(crate) async fn note(
            connection: &mut Connection<Engine>,
            hours_s: BTreeSet<i64>,
        ) -> Result<(), StorageError> {
            if hours_s.is_empty() {
                return Ok(());
            }
            let mut query = QueryBuilder::<Engine>::new(sql::CHANGED_HOURS_OF);
            Engine::push_numbers(&mut query, hours_s.into_iter().collect());
            query.push(sql::CHANGED_HOURS_END);
            query.build().execute(&mut *connection).await?;
            Ok(())
        }
    }
);

/// The start of the hour in which an instant lies.
pub(crate) const fn hour_s(instant: Timestamp) -> i64 {
    instant.as_unix_seconds().div_euclid(3600) * 3600
}
