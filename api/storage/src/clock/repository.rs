//! How often operators said that the clock is right, and the jump that was told of.

use planner::time::Timestamp;
use serde_json::json;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;

repository!(
    /// How often operators said that the clock is right though it jumped: processes on a database see by it that they may
    /// believe theirs. And the jump that was told of and is doubted still.
    impl Database for ClockWords {
        /// Tells all processes on the database to believe a jump of the clock that they doubt.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn accept_clock(&self) -> Result<(), StorageError> {
            sqlx::query(sql::ACCEPT_CLOCK).execute(&self.writer).await?;
            Ok(())
        }

        /// How often that was told.
        ///
        /// # Errors
        /// The database cannot be reached.
        pub async fn clock_acceptances(&self) -> Result<i64, StorageError> {
            let mut connection = self.reader.acquire().await?;
            Ok(sqlx::query_scalar(sql::CLOCK_ACCEPTANCES).fetch_one(&mut *connection).await?)
        }

        /// By how many seconds the clock jumped, where that was told and is doubted still.
        ///
        /// # Errors
        /// The database cannot be reached.
        pub async fn clock_doubt(&self) -> Result<Option<i64>, StorageError> {
            let mut connection = self.reader.acquire().await?;
            Ok(sqlx::query_scalar(sql::CLOCK_DOUBT).fetch_optional(&mut *connection).await?)
        }

        /// Tells by an event that the clock jumped by so many seconds and is doubted, unless such a jump was told already.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_clock_doubted(
            &self,
            by_s: i64,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let noted = sqlx::query(sql::DOUBT_CLOCK).bind(by_s).execute(&mut *transaction).await?;
            if noted.rows_affected() == 1 {
                let event = NewEvent::new("clock.doubted", json!({ "jumped_by_s": by_s }));
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Tells by an event that the clock is believed again, and why, if it was told that it jumped.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_clock_believed(
            &self,
            because: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let ended: Option<i64> =
                sqlx::query_scalar(sql::BELIEVE_CLOCK).fetch_optional(&mut *transaction).await?;
            if let Some(by_s) = ended {
                let data = json!({ "jumped_by_s": by_s, "because": because });
                let event = NewEvent::new("clock.believed", data);
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }
    }
);
