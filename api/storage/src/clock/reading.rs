//! The clock of a database that serves several processes.

use std::time::Duration;

use sqlx::Row;

use crate::database::{Database, Opened};
use crate::error::StorageError;

/// A clock that answers later says too little.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

impl Database {
    /// Microseconds since 1970 by PostgreSQL's clock; `None` for SQLite, whose only clock is the machine's.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn clock_us(&self) -> Result<Option<i64>, StorageError> {
        let Opened::Postgres(connections) = &self.opened else { return Ok(None) };
        let text = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";
        let asked = sqlx::query(text).fetch_one(&connections.reader);
        let answered = tokio::time::timeout(ANSWERS_WITHIN, asked).await;
        let silent = |_| StorageError::Silent { within: ANSWERS_WITHIN };
        Ok(Some(answered.map_err(silent)??.try_get(0)?))
    }

    /// Whether processes go by the clock of the database.
    pub const fn has_clock(&self) -> bool {
        matches!(self.opened, Opened::Postgres(_))
    }
}
