//! What was pruned is given back, as far as the engine can while others write.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, PgConnection, SqliteConnection};

use crate::engine::opening::BUSY_TIMEOUT;
use crate::error::StorageError;

/// Pages of a SQLite file that are given back together.
const GIVE_BACK: &str = "PRAGMA incremental_vacuum(200)";

/// The statements of SQLite alone that tell how its file is made.
const AUTO_VACUUM: &str = "PRAGMA auto_vacuum";
const FREE_PAGES: &str = "PRAGMA freelist_count";
const PAGES: &str = "PRAGMA page_count";
const PAGE_SIZE: &str = "PRAGMA page_size";

/// What `PRAGMA auto_vacuum` says of a file that gives back pages when it is told to.
const INCREMENTAL: i64 = 2;

/// Between pieces, so that others write.
const PAUSE: Duration = Duration::from_millis(10);

/// A vacuum of PostgreSQL makes nobody wait, and marks the rows that were deleted as free. It takes as long as it takes.
const UNLIMITED: &str = "SET statement_timeout = 0";
const VACUUM: &str = "VACUUM (ANALYZE)";

/// PostgreSQL's alone.
const SIZE: &str = "SELECT pg_database_size(current_database())";

/// What became of the space of deleted rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceBack {
    /// Bytes of the database before and after.
    pub bytes: (i64, i64),
    /// Bytes that are free in it and used for new rows; not known of PostgreSQL.
    pub free: Option<i64>,
    /// Whether the engine gives no more back while others write: a SQLite file that an earlier release made.
    pub needs_copy: bool,
}

/// Gives space back, in pieces, while others go on writing.
///
/// # Errors
/// The database cannot be reached.
pub async fn give_space_back(url: &str) -> Result<SpaceBack, StorageError> {
    if url.starts_with("sqlite:") { of_sqlite(url).await } else { of_postgres(url).await }
}

async fn of_sqlite(url: &str) -> Result<SpaceBack, StorageError> {
    let options = SqliteConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let target = options.get_filename().display().to_string();
    let opened = SqliteConnection::connect_with(&options.busy_timeout(BUSY_TIMEOUT)).await;
    let mut connection = opened.map_err(|source| StorageError::Connect { target, source })?;
    let page_bytes = number(&mut connection, PAGE_SIZE).await?;
    let before = number(&mut connection, PAGES).await?;
    let mut free = number(&mut connection, FREE_PAGES).await?;
    let needs_copy = number(&mut connection, AUTO_VACUUM).await? != INCREMENTAL;
    while !needs_copy && free > 0 {
        sqlx::raw_sql(GIVE_BACK).execute(&mut connection).await?;
        let left = number(&mut connection, FREE_PAGES).await?;
        if left >= free {
            // Others freed as much meanwhile.
            break;
        }
        free = left;
        tokio::time::sleep(PAUSE).await;
    }
    let after = number(&mut connection, PAGES).await?;
    let left = number(&mut connection, FREE_PAGES).await?;
    connection.close().await?;
    Ok(SpaceBack {
        bytes: (before * page_bytes, after * page_bytes),
        free: Some(left * page_bytes),
        needs_copy: needs_copy && left > 0,
    })
}

async fn number(
    connection: &mut SqliteConnection,
    pragma: &'static str,
) -> Result<i64, StorageError> {
    Ok(sqlx::query_scalar(pragma).fetch_one(connection).await?)
}

async fn of_postgres(url: &str) -> Result<SpaceBack, StorageError> {
    let options = PgConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let target = options.get_database().unwrap_or(options.get_username()).to_owned();
    let opened = PgConnection::connect_with(&options).await;
    let mut connection = opened.map_err(|source| StorageError::Connect { target, source })?;
    let before: i64 = sqlx::query_scalar(SIZE).fetch_one(&mut connection).await?;
    for statement in [UNLIMITED, VACUUM] {
        sqlx::raw_sql(statement).execute(&mut connection).await?;
    }
    let after: i64 = sqlx::query_scalar(SIZE).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(SpaceBack { bytes: (before, after), free: None, needs_copy: false })
}
