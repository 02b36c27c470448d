//! Whether the database can be written.

use planner::time::Timestamp;

use super::sql;
use crate::database::repository;
use crate::engine::opening::ANSWER_WITHIN;
use crate::error::StorageError;

/// As much as a booking writes, and a little more.
const FILLING_BYTES: usize = 64 * 1024;

repository!(
    /// Whether the database can be written.
    impl Database for WriteTrials {
        /// Writes as much as a booking does, to where nobody reads: whether the database can be written.
        ///
        /// # Errors
        /// It cannot, and why.
        pub async fn try_write(&self, now: Timestamp) -> Result<(), StorageError> {
            let seconds = now.as_unix_seconds();
            // Bytes that are there already would not be written again.
            let filling = vec![seconds.to_le_bytes()[0]; FILLING_BYTES];
            let write = sqlx::query(sql::TRY_WRITE).bind(seconds).bind(filling);
            let written = tokio::time::timeout(ANSWER_WITHIN, write.execute(&self.writer));
            let silent = |_| StorageError::Silent { within: ANSWER_WITHIN };
            written.await.map_err(silent)??;
            Ok(())
        }
    }
);
