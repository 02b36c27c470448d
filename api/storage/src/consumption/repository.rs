//! What was consumed, span by span, beside the book.

use planner::time::Span;

use super::sql;
use crate::consumption::Consumed;
use crate::consumption::row::ConsumedRow;
use crate::database::repository;
use crate::error::StorageError;

repository!(
    /// What was consumed.
    impl Database for Consumption {
        /// Stores what was consumed in a window; what overlaps it is forgotten.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_consumption(
            &self,
            window: Span,
            consumed: &[Consumed],
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::DELETE_CONSUMPTION)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            for it in consumed {
                sqlx::query(sql::INSERT_CONSUMPTION)
                    .bind(it.span.start().as_unix_seconds())
                    .bind(it.span.end().as_unix_seconds())
                    .bind(it.power.as_microwatts())
                    .execute(&mut *transaction)
                    .await?;
            }
            Ok(transaction.commit().await?)
        }

        /// What was consumed in a window.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn consumption(&self, window: Span) -> Result<Vec<Consumed>, StorageError> {
            let rows: Vec<ConsumedRow> = sqlx::query_as(sql::CONSUMPTION)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(Consumed::try_from).collect()
        }
    }
);
