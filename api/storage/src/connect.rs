//! How a database is opened, and what an earlier release left in it is brought up to date.

use std::sync::Arc;

use planner::time::Timestamp;

use crate::database::{Database, Opened};
use crate::engine::opening::{self, IfMissing, OPENING_PAUSE, OPENING_TRIES};
use crate::error::StorageError;

impl Database {
    /// Opens the database of a URL, `sqlite://path` or `postgres://...`, and brings its tables up
    /// to date. A SQLite file is created where there is none.
    ///
    /// # Errors
    /// Another scheme, a database that does not open, tables of a newer release.
    pub async fn connect(url: &str) -> Result<Self, StorageError> {
        Self::open(url, IfMissing::Make).await
    }

    /// Opens a database that must be there, with its tables, and brings these up to date.
    ///
    /// # Errors
    /// [`StorageError::NoDatabase`] where there is none; another scheme, a database that does not open,
    /// tables of a newer release.
    pub async fn connect_existing(url: &str) -> Result<Self, StorageError> {
        Self::open(url, IfMissing::Refuse).await
    }

    async fn open(url: &str, missing: IfMissing) -> Result<Self, StorageError> {
        let scheme = url.split(':').next().unwrap_or_default();
        match scheme {
            "sqlite" => {
                let connections = opening::open_sqlite(url, missing).await?;
                let database = Self { opened: Opened::Sqlite(Arc::new(connections)) };
                database.convert_patiently().await?;
                Ok(database)
            }
            "postgres" | "postgresql" => {
                let (connections, options) = opening::prepare_postgres(url, missing).await?;
                let without_limits = Self { opened: Opened::Postgres(Arc::new(connections)) };
                let converted = without_limits.convert().await;
                without_limits.close().await;
                converted?;
                let connections = opening::postgres_connections(options);
                Ok(Self { opened: Opened::Postgres(Arc::new(connections)) })
            }
            _ => Err(StorageError::UnsupportedScheme { scheme: scheme.to_owned() }),
        }
    }

    /// Refuses a SQLite file that cannot be written, which who serves it would find out with the first booking. A PostgreSQL server
    /// that may only be read is let be: it may be about to take over. What else is in the way is for readiness to tell.
    ///
    /// # Errors
    /// [`StorageError::NotWritable`].
    pub async fn expect_writable(&self, now: Timestamp) -> Result<(), StorageError> {
        let Opened::Sqlite(connections) = &self.opened else { return Ok(()) };
        let Err(StorageError::ReadOnly(source)) = self.try_write(now).await else { return Ok(()) };
        let target = connections.writer.connect_options().get_filename().display().to_string();
        Err(StorageError::NotWritable { target, source })
    }

    /// Converts as soon as no other process does: SQLite's limit on waiting holds for every connection.
    async fn convert_patiently(&self) -> Result<(), StorageError> {
        let mut tries_left = OPENING_TRIES;
        loop {
            match self.convert().await {
                Err(StorageError::BookHeld) if tries_left > 0 => {
                    tries_left -= 1;
                    tokio::time::sleep(OPENING_PAUSE).await;
                }
                converted => return converted,
            }
        }
    }

    /// Brings rows up to date that earlier releases stored in other ways.
    async fn convert(&self) -> Result<(), StorageError> {
        self.pack_rows().await?;
        self.convert_former_documents().await
    }
}
