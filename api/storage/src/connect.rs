//! How a database is opened, and what an earlier release left in it is brought up to date.

use std::sync::Arc;

use crate::database::{Database, Opened};
use crate::engine::opening::{self, IfMissing};
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
        let opened = match scheme {
            "sqlite" => Opened::Sqlite(Arc::new(opening::open_sqlite(url, missing).await?)),
            "postgres" | "postgresql" => {
                Opened::Postgres(Arc::new(opening::open_postgres(url, missing).await?))
            }
            _ => return Err(StorageError::UnsupportedScheme { scheme: scheme.to_owned() }),
        };
        let database = Self { opened };
        database.pack_rows().await?;
        database.convert_former_documents().await?;
        Ok(database)
    }
}
