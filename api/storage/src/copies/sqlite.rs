//! Copies of SQLite files, by SQLite itself.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use super::CopyError;
use crate::engine::opening::BUSY_TIMEOUT;
use crate::engine::sql;
use crate::error::StorageError;

/// Whether the file gives back what is pruned in it, and that its copy is to do so in pieces; SQLite's alone.
const AUTO_VACUUM: &str = "PRAGMA auto_vacuum";
const INCREMENTAL: &str = "PRAGMA auto_vacuum = INCREMENTAL";

/// Writes all that is committed to a file; SQLite's alone.
const COPY_TO: &str = "VACUUM INTO $1";

/// What is wrong with the file, or `ok`; SQLite's alone.
const INTEGRITY: &str = "PRAGMA integrity_check";

/// Rows that name others which are not there; SQLite's alone.
const FOREIGN_KEYS: &str = "PRAGMA foreign_key_check";

pub(super) async fn back_up(url: &str, file: &Path) -> Result<(), CopyError> {
    let database = file_of(url)?;
    if !database.exists() {
        return Err(StorageError::NoDatabase { target: database.display().to_string() }.into());
    }
    copy(&database, file).await?;
    expect_whole(file).await
}

pub(super) async fn restore(url: &str, file: &Path) -> Result<(), CopyError> {
    let database = file_of(url)?;
    if database.exists() {
        return Err(CopyError::NotEmpty { target: database.display().to_string() });
    }
    expect_whole(file).await?;
    // Under its name only once all of it is there.
    let mut being_made = database.clone().into_os_string();
    being_made.push(".restored");
    let being_made = PathBuf::from(being_made);
    let failed = |source| CopyError::File { path: being_made.display().to_string(), source };
    super::new_file(&being_made).map_err(failed)?;
    let copied = copy(file, &being_made).await;
    if copied.is_err() {
        let _ = std::fs::remove_file(&being_made);
        return copied;
    }
    std::fs::rename(&being_made, &database).map_err(failed)
}

/// Copies what is committed, as it is at one moment, to a file that is there and empty; what is written meanwhile waits for nothing.
async fn copy(from: &Path, to: &Path) -> Result<(), CopyError> {
    let mut connection = open(from).await?;
    // Said of a file that does so already it would be written, which is not to be.
    let given_back: i64 = sqlx::query_scalar(AUTO_VACUUM).fetch_one(&mut connection).await?;
    if given_back == 0 {
        sqlx::query(INCREMENTAL).execute(&mut connection).await?;
    }
    let copied = sqlx::query(COPY_TO).bind(to.to_string_lossy()).execute(&mut connection).await;
    connection.close().await?;
    copied?;
    let kept = std::fs::File::open(to).and_then(|file| file.sync_all());
    kept.map_err(|source| CopyError::File { path: to.display().to_string(), source })
}

/// What is wrong with the file of a database.
pub(super) async fn problems(url: &str) -> Result<Vec<String>, CopyError> {
    let database = file_of(url)?;
    let mut connection = open(&database).await?;
    let found = damages(&mut connection).await;
    connection.close().await?;
    found
}

/// Checks that a file is a whole database of ours.
async fn expect_whole(file: &Path) -> Result<(), CopyError> {
    let no_copy = |problem: String| CopyError::NoCopy { path: file.display().to_string(), problem };
    let mut connection = open(file).await?;
    let tables = sqlx::query(sql::MIGRATIONS).fetch_one(&mut connection).await;
    tables.map_err(|error| no_copy(error.to_string()))?;
    let found = damages(&mut connection).await?;
    connection.close().await?;
    if found.is_empty() { Ok(()) } else { Err(no_copy(found.join("; "))) }
}

async fn damages(connection: &mut SqliteConnection) -> Result<Vec<String>, CopyError> {
    let mut found: Vec<String> = sqlx::query_scalar(INTEGRITY).fetch_all(&mut *connection).await?;
    found.retain(|line| line != "ok");
    let astray: Vec<(String, Option<i64>, String, i64)> =
        sqlx::query_as(FOREIGN_KEYS).fetch_all(connection).await?;
    found.extend(astray.into_iter().map(|(table, row, parent, _)| {
        let row = row.map_or_else(|| "?".to_owned(), |row| row.to_string());
        format!("row {row} of table {table} names a row of {parent} that is not there")
    }));
    Ok(found)
}

async fn open(file: &Path) -> Result<SqliteConnection, CopyError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let opened = SqliteConnection::connect_with(&options.busy_timeout(BUSY_TIMEOUT)).await;
    opened.map_err(|source| {
        StorageError::Connect { target: file.display().to_string(), source }.into()
    })
}

fn file_of(url: &str) -> Result<PathBuf, StorageError> {
    let scheme = url.split(':').next().unwrap_or_default();
    if scheme != "sqlite" {
        return Err(StorageError::UnsupportedScheme { scheme: scheme.to_owned() });
    }
    let options = SqliteConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    Ok(options.get_filename().to_path_buf())
}
