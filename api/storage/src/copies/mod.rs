//! Copies of whole databases: made while the service writes, and put back where there is no database.
//!
//! A copy of SQLite is a database file of its own. One of PostgreSQL is an archive of `pg_dump`, which `pg_restore` puts back. Either
//! has everything as it was at one moment.

mod postgres;
mod sqlite;

use std::path::Path;

use crate::error::StorageError;

/// Why there is no copy, or why it was not put back.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Copies replace nothing.
    #[error("{0} is there already; name another file, or move it away")]
    FileExists(String),
    /// The file of the copy cannot be made or read.
    #[error("the file {path}")]
    File {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A copy is put back where there is nothing.
    #[error(
        "there is a Wattbook database at {target} already; a copy is put back where there is none: move it away, \
         or name an empty one"
    )]
    NotEmpty {
        /// The file, or host and database; without credentials.
        target: String,
    },
    /// The copy is no database of ours, or is damaged.
    #[error("{path} is no copy of a Wattbook database: {problem}")]
    NoCopy {
        /// The file.
        path: String,
        /// What it is instead.
        problem: String,
    },
    /// A program of PostgreSQL is missing.
    #[error(
        "{program} cannot be run; it comes with PostgreSQL's client programs (Debian: postgresql-client)"
    )]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// A program of PostgreSQL failed.
    #[error("{program} failed: {said}")]
    Program {
        /// Its name.
        program: &'static str,
        /// What it said.
        said: String,
    },
    /// The database did not do it.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<sqlx::Error> for CopyError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error.into())
    }
}

/// Writes a copy of a database to a new file, which only its owner may read, while others go on writing. The tables stay as they
/// are, also where this program would bring them up to date.
///
/// # Errors
/// The file is there already, the database cannot be read, the file cannot be written.
pub async fn back_up(url: &str, file: &Path) -> Result<(), CopyError> {
    let made = new_file(file);
    made.map_err(|source| match source.kind() {
        std::io::ErrorKind::AlreadyExists => CopyError::FileExists(file.display().to_string()),
        _ => CopyError::File { path: file.display().to_string(), source },
    })?;
    let copied = if is_postgres(url) {
        postgres::back_up(url, file).await
    } else {
        sqlite::back_up(url, file).await
    };
    if copied.is_err() {
        // Half a copy is none.
        let _ = std::fs::remove_file(file);
    }
    copied
}

/// Puts a copy back where there is no database.
///
/// # Errors
/// There is a database already; the file is no copy, or one of the other engine.
pub async fn restore(url: &str, file: &Path) -> Result<(), CopyError> {
    std::fs::File::open(file)
        .map_err(|source| CopyError::File { path: file.display().to_string(), source })?;
    if is_postgres(url) {
        postgres::restore(url, file).await
    } else {
        sqlite::restore(url, file).await
    }
}

/// What is wrong with the file of a database, in the engine's words. PostgreSQL checks its own files.
///
/// # Errors
/// It cannot be read at all.
pub async fn damages(url: &str) -> Result<Vec<String>, CopyError> {
    if is_postgres(url) { Ok(Vec::new()) } else { sqlite::problems(url).await }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

fn new_file(file: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}
