//! What is held, read.

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::error::StorageError;
use crate::held_spans::row::{HeldSpanRow, StatedHourRow};
use crate::held_spans::{HeldSpan, StatedHour, StatedOnce};

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
            let mut spans_of = QueryBuilder::<Engine>::new(sql::SPANS_OF_WHERE);
            Engine::push_among(&mut spans_of, &ids);
            spans_of.push(sql::SPANS_ORDER);
            let rows: Vec<HeldSpanRow> =
                spans_of.build_query_as().fetch_all(&mut *transaction).await?;
            transaction.commit().await?;
            let spans = rows.into_iter().map(HeldSpan::try_from).collect::<Result<_, _>>()?;
            Ok((ids.into_iter().map(ReservationId::new).collect(), spans))
        }

        /// The serial of the newest statement of the ledger: what it says changes with that number alone.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_statement(&self) -> Result<i64, StorageError> {
            Ok(sqlx::query_scalar(sql::NEWEST_SERIAL).fetch_one(&self.reader).await?)
        }

        /// What the ledger stated after a serial, in the order of serials.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn statements_after(&self, serial: i64) -> Result<Vec<StatedOnce>, StorageError> {
            let rows: Vec<(i64, i64, i64)> =
                sqlx::query_as(sql::STATEMENTS_AFTER).bind(serial).fetch_all(&self.reader).await?;
            let at = Timestamp::from_unix_seconds;
            let statement = |(hour, number, counted)| StatedOnce {
                hour: at(hour),
                is_first: number == 0,
                counted: at(counted),
            };
            Ok(rows.into_iter().map(statement).collect())
        }

        /// What the ledger has of reservations in these hours, by hour and reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn stated_of_reservations_in(
            &self,
            hours: &[Timestamp],
        ) -> Result<Vec<StatedHour>, StorageError> {
            let mut found = Vec::new();
            for chunk in hours.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::STATED_HOURS_WHERE);
                let mut list = query.separated(", ");
                for hour in chunk {
                    list.push_bind(hour.as_unix_seconds());
                }
                query.push(sql::BY_HOUR);
                let rows: Vec<StatedHourRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                found.extend(rows.into_iter().map(StatedHour::from));
            }
            Ok(found)
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
