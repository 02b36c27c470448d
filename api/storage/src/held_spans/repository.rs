//! What is held, read.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::held_spans::row::{HeldSpanRow, StatedHourRow};
use crate::held_spans::{HeldSpan, StatedHour};

repository!(
    /// What quotas count.
    impl Database for HeldSpans {
        /// All spans of the reservations that held or hold something after an instant, by reservation, offer and time.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn held_since(&self, from: Timestamp) -> Result<Vec<HeldSpan>, StorageError> {
            let rows: Vec<HeldSpanRow> = sqlx::query_as(sql::SPANS_SINCE)
                .bind(from.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(HeldSpan::try_from).collect()
        }

        /// The reservations that changed after a count of changes, and all their spans.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn held_changed(
            &self,
            changes: i64,
        ) -> Result<(Vec<ReservationId>, Vec<HeldSpan>), StorageError> {
            let mut transaction = self.begin_read().await?;
            let ids: Vec<Uuid> = sqlx::query_scalar(sql::CHANGED_IDS)
                .bind(changes)
                .fetch_all(&mut *transaction)
                .await?;
            let rows: Vec<HeldSpanRow> = sqlx::query_as(sql::SPANS_CHANGED)
                .bind(changes)
                .fetch_all(&mut *transaction)
                .await?;
            transaction.commit().await?;
            let spans = rows.into_iter().map(HeldSpan::try_from).collect::<Result<_, _>>()?;
            Ok((ids.into_iter().map(ReservationId::new).collect(), spans))
        }

        /// How many statements the ledger has: what it says changes with that number alone.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn statement_count(&self) -> Result<i64, StorageError> {
            Ok(sqlx::query_scalar(sql::STATEMENTS).fetch_one(&self.reader).await?)
        }

        /// What the ledger has of reservations in hours since an instant, by hour and reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn stated_of_reservations(
            &self,
            from: Timestamp,
        ) -> Result<Vec<StatedHour>, StorageError> {
            let rows: Vec<StatedHourRow> = sqlx::query_as(sql::STATED_HOURS_OF)
                .bind(from.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(StatedHour::from).collect())
        }
    }
);
