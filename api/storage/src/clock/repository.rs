//! How often operators said that the clock is right.

use super::sql;
use crate::database::repository;
use crate::error::StorageError;

repository!(
    /// How often operators said that the clock is right though it jumped: processes on a database see by it that they may
    /// believe theirs.
    impl Database for ClockAcceptances {
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
    }
);
