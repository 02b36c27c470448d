//! The clock of a database that serves several processes.

use std::time::{Duration, Instant};

use sqlx::Row;

use crate::database::{Database, Opened};
use crate::error::StorageError;

/// A clock that answers later says too little.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

impl Database {
    /// Microseconds since 1970 by PostgreSQL's clock, with the instants at which it was asked and answered; `None` for
    /// SQLite, whose only clock is the machine's.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn clock_us(&self) -> Result<Option<(i64, Instant, Instant)>, StorageError> {
        let Opened::Postgres(connections) = &self.opened else { return Ok(None) };
        let text = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";
        let ask = async {
            let mut connection = connections.reader.acquire().await?;
            let asked = Instant::now();
            let row = sqlx::query(text).fetch_one(&mut *connection).await?;
            Ok::<_, StorageError>((row.try_get(0)?, asked, Instant::now()))
        };
        let answered = tokio::time::timeout(ANSWERS_WITHIN, ask).await;
        let silent = |_| StorageError::Silent { within: ANSWERS_WITHIN };
        answered.map_err(silent)?.map(Some)
    }

    /// Whether processes go by the clock of the database.
    pub const fn has_clock(&self) -> bool {
        matches!(self.opened, Opened::Postgres(_))
    }
}
