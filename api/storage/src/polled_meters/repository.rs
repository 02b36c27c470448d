//! Meters that are asked: how they stand. No part of the book: nobody reads it again because a meter was asked.

use planner::time::Timestamp;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::polled_meters::PolledMeter;
use crate::polled_meters::row::PolledMeterRow;

repository!(
    /// How meters stand that are asked.
    impl Database for PolledMeters {
        /// How all stand that were ever asked, by id.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn polled_meters(&self) -> Result<Vec<PolledMeter>, StorageError> {
            let rows: Vec<PolledMeterRow> =
                sqlx::query_as(sql::POLLED_METERS).fetch_all(&self.reader).await?;
            rows.into_iter().map(PolledMeter::try_from).collect()
        }

        /// Notes how one stands.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_polled_meter(&self, meter: &PolledMeter) -> Result<(), StorageError> {
            let seconds = |at: Option<Timestamp>| at.map(Timestamp::as_unix_seconds);
            let failure = meter.failure.as_ref();
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::PUT_POLLED_METER)
                .bind(&meter.id)
                .bind(seconds(meter.asked_until))
                .bind(meter.last_poll.as_unix_seconds())
                .bind(seconds(meter.last_success))
                .bind(meter.next_poll.as_unix_seconds())
                .bind(i64::from(meter.failures_in_turn))
                .bind(seconds(failure.map(|(at, _)| *at)))
                .bind(failure.map(|(_, words)| words))
                .bind(meter.notes.join("\n"))
                .bind(meter.polls)
                .bind(meter.failures)
                .bind(meter.taken)
                .bind(meter.late)
                .bind(meter.doubled)
                .bind(meter.refused)
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }
);
