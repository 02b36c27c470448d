//! Whether the database can be written.

use planner::time::Timestamp;
use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::Repository;
use crate::engine::opening::ANSWER_WITHIN;
use crate::error::StorageError;

/// As much as a booking writes, and a little more.
const FILLING_BYTES: usize = 64 * 1024;

macro_rules! upkeep {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn try_write(&self, now: Timestamp) -> Result<(), StorageError> {
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
    };
}

upkeep!(Sqlite);
upkeep!(Postgres);
