//! How databases are opened: what must hold of every connection, and tables brought up to date.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Connection, Pool, Postgres, Sqlite};

use super::sql;
use crate::engine::connections::Connections;
use crate::engine::reach::{Reach, named};
use crate::engine::silence::Patience;
use crate::engine::waits::has_connection;
use crate::error::StorageError;
use crate::refusal::EngineRefusal;

/// How long a SQLite connection waits for another process to finish writing.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Readers beside the one writer; one of them is kept for questions.
const SQLITE_READERS: u32 = 5;

const POSTGRES_CONNECTIONS: u32 = 10;

/// How long a PostgreSQL server may take to let us in, and a connection to become free.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// A connection to PostgreSQL that was idle for longer is tried before it is used.
const TRUSTED_WHEN_IDLE_FOR: Duration = Duration::from_secs(1);

/// How long a connection that is given back may take to say how it is.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(5);

/// An answer that did not come by then is lost: the server ends statements before (`statement_timeout`).
const SILENT_AFTER: Duration = Duration::from_secs(35);

/// Limits that a PostgreSQL server keeps for each of our connections, unless the URL sets them. Who waits for
/// a process that holds the book gives up soon; one that holds it and freezes, or whose machine is
/// gone, is cut off by the server.
const POSTGRES_LIMITS: [(&str, &str); 7] = [
    ("lock_timeout", "1s"),
    ("statement_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "6s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10s"),
];

/// SQLite has no lock for migrations, and changing a new file to WAL does not wait: processes that
/// open a new database at once try again while one of them makes the tables.
pub(crate) const OPENING_TRIES: u32 = 50;
pub(crate) const OPENING_PAUSE: Duration = Duration::from_millis(100);

static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// What becomes of a database that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// A SQLite file is made, and the tables of either engine.
    Make,
    /// It is an error.
    Refuse,
}

/// Opens a SQLite file.
pub(crate) async fn open_sqlite(
    url: &str,
    missing: IfMissing,
) -> Result<Connections<Sqlite>, StorageError> {
    let plain = SqliteConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let file = plain.get_filename().to_path_buf();
    if url.contains(":memory:") || url.contains("mode=memory") || file.as_os_str().is_empty() {
        return Err(StorageError::InMemory);
    }
    let target = file.display().to_string();
    if missing == IfMissing::Refuse {
        expect_sqlite(&file, plain.clone(), &target).await?;
    }
    let is_new = std::fs::metadata(&file).map_or(true, |it| it.len() == 0);
    // What is pruned of a new file can be given back in pieces. Said of another it would be written, which may not be.
    let plain = if is_new { plain.auto_vacuum(SqliteAutoVacuum::Incremental) } else { plain };
    let options = plain
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full) // nothing confirmed is lost when the power fails
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true);
    let mut tries_left = OPENING_TRIES;
    loop {
        match prepare_sqlite(&options, &target, missing).await.map_err(|it| written(it, &target)) {
            Err(error) if tries_left > 0 && error.may_be_another_opening() => {
                tries_left -= 1;
                tokio::time::sleep(OPENING_PAUSE).await;
            }
            prepared => break prepared?,
        }
    }
    // Tables are there: a file that vanishes is not made anew.
    let writer = SqlitePoolOptions::new().max_connections(1);
    let writer = connect(writer, options.clone(), &target).await?;
    let reader = SqlitePoolOptions::new().max_connections(SQLITE_READERS);
    let reader = connect(reader, options.pragma("query_only", "ON"), &target).await?;
    Ok(Connections::new(writer, reader))
}

/// Whether there are tables of ours, without touching the file.
async fn expect_sqlite(
    file: &Path,
    plain: SqliteConnectOptions,
    target: &str,
) -> Result<(), StorageError> {
    if !file.exists() {
        return Err(StorageError::NoDatabase { target: target.to_owned() });
    }
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = connect(pool, plain.read_only(true), target).await?;
    let tables = sqlx::query(sql::MIGRATIONS).fetch_one(&pool).await;
    pool.close().await;
    tables.map(drop).map_err(|error| no_tables(error, target))
}

/// Makes the file where it is missing and may be made, and brings the tables up to date.
async fn prepare_sqlite(
    options: &SqliteConnectOptions,
    target: &str,
    missing: IfMissing,
) -> Result<(), StorageError> {
    if missing == IfMissing::Make {
        make_private(options.get_filename());
    }
    let options = options.clone().create_if_missing(missing == IfMissing::Make);
    let pool = connect(SqlitePoolOptions::new().max_connections(1), options, target).await?;
    let done = bring_sqlite_up_to_date(&pool, target).await;
    pool.close().await;
    done
}

/// Makes a missing file that only its owner may read; SQLite's files beside it get the same permissions. Where it cannot be
/// made, SQLite says why.
fn make_private(file: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(file);
}

/// Brings the tables of a PostgreSQL database up to date, which must exist, by a connection without
/// limits: a migration may take its time, and so may another process that others wait for. With that
/// connection come the options for [`postgres_connections`].
pub(crate) async fn prepare_postgres(
    url: &str,
    missing: IfMissing,
) -> Result<(Connections<Postgres>, PgConnectOptions), StorageError> {
    let options = PgConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let database = options.get_database().unwrap_or(options.get_username());
    let target = match options.get_socket() {
        Some(socket) => format!("{database} at {}", socket.display()),
        None => format!("{database} on {}:{}", options.get_host(), options.get_port()),
    };
    expect_postgres(&options, &target, missing).await?;
    let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
    if let Err(error) = bring_postgres_up_to_date(&pool, &target).await {
        pool.close().await;
        return Err(error);
    }
    Ok((Connections::new(pool.clone(), pool), options))
}

/// The connections of the service to a PostgreSQL database that is up to date.
pub(crate) fn postgres_connections(options: PgConnectOptions) -> Connections<Postgres> {
    let has_own_limit = options.get_options().is_some_and(|it| it.contains("statement_timeout"));
    let options = named(options);
    let reach = Reach::new(options.clone());
    let pool = postgres_pool(options);
    let connections = Connections::new(pool.clone(), pool.clone());
    if has_own_limit {
        return connections;
    }
    connections.with_patience(Patience { limit: SILENT_AFTER, reach, moved: Arc::default(), pool })
}

/// Connections with the service's limits. The first is made when it is needed.
pub(crate) fn postgres_pool(options: PgConnectOptions) -> Pool<Postgres> {
    let set = options.get_options().unwrap_or_default().to_owned();
    let limits = POSTGRES_LIMITS.into_iter().filter(|(name, _)| !set.contains(name));
    #[cfg(target_os = "linux")]
    let port = options.get_port();
    let pool = PgPoolOptions::new().after_connect(move |_, _| {
        has_connection();
        // Where that is not allowed, statements are slower.
        #[cfg(target_os = "linux")]
        let _ = super::nodelay::send_at_once(port);
        Box::pin(async { Ok(()) })
    });
    // Whether a connection still works is asked of those that were idle, not before every question.
    pool.max_connections(POSTGRES_CONNECTIONS)
        .acquire_timeout(ANSWER_WITHIN)
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            has_connection();
            Box::pin(async move {
                if known.idle_for >= TRUSTED_WHEN_IDLE_FOR {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_release(|connection, _| {
            Box::pin(async move {
                let outside = is_outside_of_transactions(connection);
                let answer = tokio::time::timeout(GIVEN_BACK_WITHIN, outside).await;
                Ok(answer.is_ok_and(|outside| outside.unwrap_or(false)))
            })
        })
        .connect_lazy_with(options.options(limits))
}

/// Whether a connection is as new: what it is asked is a transaction of its own. Only then does the
/// transaction begin with the statement; in one that failed it is refused.
async fn is_outside_of_transactions(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    use sqlx::Row;
    let row = sqlx::raw_sql("SELECT now() = statement_timestamp()").fetch_one(connection).await?;
    row.try_get(0)
}

/// Whether the server lets us in, and there are tables of ours where they must be.
async fn expect_postgres(
    options: &PgConnectOptions,
    target: &str,
    missing: IfMissing,
) -> Result<(), StorageError> {
    let opened = tokio::time::timeout(ANSWER_WITHIN, PgConnection::connect_with(options)).await;
    let silent = |_| StorageError::NoAnswer { target: target.to_owned(), within: ANSWER_WITHIN };
    // A pool tries until its time is up, and then does not say why it got none.
    let mut connection = opened.map_err(silent)?.map_err(|source| not_opened(target, source))?;
    if missing == IfMissing::Refuse {
        let tables = sqlx::query(sql::MIGRATIONS).fetch_one(&mut connection).await;
        tables.map_err(|error| no_tables(error, target))?;
    }
    Ok(connection.close().await?)
}

macro_rules! up_to_date {
    ($function:ident, $engine:ident, $migrations:ident) => {
        /// Brings the tables up to date, and notes which release did.
        async fn $function(pool: &Pool<$engine>, target: &str) -> Result<(), StorageError> {
            if let Err(error) = $migrations.run(pool).await {
                let newest = sqlx::query_as(sql::NEWEST_RELEASE).fetch_optional(pool).await;
                return Err(not_migrated(error, newest_of(&$migrations), target, newest));
            }
            let newest = newest_of(&$migrations);
            let noted = sqlx::query(sql::RELEASE).bind(newest).fetch_optional(pool);
            if noted.await?.is_none() {
                sqlx::query(sql::NOTE_RELEASE)
                    .bind(newest)
                    .bind(env!("CARGO_PKG_VERSION"))
                    .execute(pool)
                    .await?;
            }
            Ok(())
        }
    };
}

up_to_date!(bring_sqlite_up_to_date, Sqlite, SQLITE_MIGRATIONS);
up_to_date!(bring_postgres_up_to_date, Postgres, POSTGRES_MIGRATIONS);

async fn connect(
    pool: SqlitePoolOptions,
    options: SqliteConnectOptions,
    target: &str,
) -> Result<Pool<Sqlite>, StorageError> {
    let file = options.get_filename().to_path_buf();
    pool.connect_with(options).await.map_err(|source| not_opened_sqlite(&file, target, source))
}

/// Where there may be a file, it is one that cannot be written: SQLite opens no other without the files beside it.
fn not_opened_sqlite(file: &Path, target: &str, source: sqlx::Error) -> StorageError {
    let of_file = source.as_database_error().is_some_and(EngineRefusal::is_of_file);
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if of_file && folder.is_dir() && !file.is_dir() {
        return StorageError::NotWritable { target: target.to_owned(), source };
    }
    not_opened(target, source)
}

/// An error of tables that were to be written, where their file cannot be.
fn written(error: StorageError, target: &str) -> StorageError {
    match error {
        StorageError::Migrate(
            MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _),
        ) if source.as_database_error().is_some_and(EngineRefusal::is_of_file) => {
            StorageError::NotWritable { target: target.to_owned(), source }
        }
        error => error,
    }
}

fn not_opened(target: &str, source: sqlx::Error) -> StorageError {
    StorageError::Connect { target: target.to_owned(), source }
}

/// The newest migration that this program knows.
fn newest_of(migrations: &Migrator) -> i64 {
    migrations.iter().map(|it| it.version).max().unwrap_or_default()
}

/// Why there is no table of migrations: most of all because nobody made the tables.
fn no_tables(error: sqlx::Error, target: &str) -> StorageError {
    let missing = error.as_database_error().is_some_and(|it| EngineRefusal::of(it).is_missing());
    if missing { StorageError::NoDatabase { target: target.to_owned() } } else { error.into() }
}

/// Why tables were not brought up to date: most of all because a newer release made them.
fn not_migrated(
    error: MigrateError,
    known: i64,
    target: &str,
    newest: Result<Option<(i64, String)>, sqlx::Error>,
) -> StorageError {
    let MigrateError::VersionMissing(missing) = error else { return StorageError::Migrate(error) };
    // Early releases did not note their versions.
    let (migration, needed) = match newest {
        Ok(Some((migration, version))) if migration > known => {
            (migration, format!("Wattbook {version} or newer"))
        }
        _ => (missing, "a newer Wattbook".to_owned()),
    };
    StorageError::NewerDatabase { target: target.to_owned(), migration, known, needed }
}
