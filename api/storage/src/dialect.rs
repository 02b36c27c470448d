//! Where the engines differ. Everything else in the crate is written once.

use std::str::FromStr;
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::migrate::Migrator;
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Postgres, QueryBuilder, Sqlite};

use crate::error::StorageError;
use crate::repository::Repository;

/// How many values one statement may bind: SQLite takes 32,766, PostgreSQL 65,535.
pub(crate) const MAX_BOUND_VALUES: usize = 32_766;

/// How long a SQLite connection waits for another process to finish writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Readers beside the one writer; one of them is kept for questions.
const SQLITE_READERS: u32 = 5;

const POSTGRES_CONNECTIONS: u32 = 10;

/// A connection to PostgreSQL that was idle for longer is tried before it is used.
const TRUSTED_WHEN_IDLE_FOR: Duration = Duration::from_secs(1);

/// SQLite has no lock for migrations, and changing a new file to WAL does not wait: processes that
/// open a new database at once try again while one of them makes the tables.
const OPENING_TRIES: u32 = 50;
const OPENING_PAUSE: Duration = Duration::from_millis(100);

static SQLITE_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/sqlite");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/postgres");

/// How an engine begins transactions and is given tables.
pub(crate) trait Dialect: sqlx::Database {
    /// Begins a transaction that will write.
    const BEGIN_WRITE: &'static str;
    /// Begins a transaction whose reads all see one state.
    const BEGIN_READ: &'static str;
    /// Adds a table of three numbers a row.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]);
}

impl Dialect for Sqlite {
    // A deferred transaction that turns from reading to writing fails at once when another one
    // wrote in between, whatever the busy timeout.
    const BEGIN_WRITE: &'static str = "BEGIN IMMEDIATE";
    const BEGIN_READ: &'static str = "BEGIN DEFERRED";

    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        query.push_values(rows, |mut row, (one, two, three)| {
            row.push_bind(*one).push_bind(*two).push_bind(*three);
        });
    }
}

impl Dialect for Postgres {
    const BEGIN_WRITE: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";
    const BEGIN_READ: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    // Arrays, so that however many there are the statement is the same: with a text of its own for
    // each number of rows it would be parsed and planned each time, and kept beside all others.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        let column = |number: fn(&(i64, i64, i64)) -> i64| rows.iter().map(number).collect();
        let [one, two, three]: [Vec<i64>; 3] =
            [column(|row| row.0), column(|row| row.1), column(|row| row.2)];
        query.push("SELECT * FROM unnest(").push_bind(one);
        query.push(", ").push_bind(two).push(", ").push_bind(three).push(")");
    }
}

/// Whether the engine refused an allocation that overlaps another reservation's: an exclusion
/// violation on PostgreSQL, a trigger's message on SQLite.
pub(crate) fn is_double_booking(error: &dyn DatabaseError) -> bool {
    match error.code().as_deref() {
        Some("23P01") => error.constraint() == Some("allocations_refuse_double_booking"),
        _ => error.message() == "double booking",
    }
}

/// Whether another writer was in the way: `SQLITE_BUSY`, its recovery and snapshot kinds and
/// `SQLITE_LOCKED`; on PostgreSQL a serialisation failure, a deadlock or a lock not available.
pub(crate) fn is_busy(error: &dyn DatabaseError) -> bool {
    matches!(error.code().as_deref(), Some("5" | "261" | "517" | "6" | "40001" | "40P01" | "55P03"))
}

/// Opens, and creates where there is none, a SQLite file.
pub(crate) async fn open_sqlite(url: &str) -> Result<Repository<Sqlite>, StorageError> {
    let options = SqliteConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let file = options.get_filename().to_path_buf();
    if url.contains(":memory:") || url.contains("mode=memory") || file.as_os_str().is_empty() {
        return Err(StorageError::InMemory);
    }
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full) // nothing confirmed is lost when the power fails
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true);
    let target = file.display().to_string();
    let mut tries_left = OPENING_TRIES;
    let writer = loop {
        match open_writer(&options, &target).await {
            Err(error) if tries_left > 0 && error.may_be_another_opening() => {
                tries_left -= 1;
                tokio::time::sleep(OPENING_PAUSE).await;
            }
            opened => break opened?,
        }
    };
    let reading = SqlitePoolOptions::new().max_connections(SQLITE_READERS);
    let reader = connect(reading, options.pragma("query_only", "ON"), &target).await?;
    let repository = Repository::new(writer, reader);
    repository.pack_rows().await?;
    Ok(repository)
}

/// Opens the connection that writes, and brings the tables up to date.
async fn open_writer(
    options: &SqliteConnectOptions,
    target: &str,
) -> Result<sqlx::Pool<Sqlite>, StorageError> {
    let pool = SqlitePoolOptions::new().max_connections(1);
    let writer = connect(pool, options.clone().create_if_missing(true), target).await?;
    SQLITE_MIGRATIONS.run(&writer).await.map_err(StorageError::Migrate)?;
    Ok(writer)
}

/// Connects to a PostgreSQL server; the database must exist.
pub(crate) async fn open_postgres(url: &str) -> Result<Repository<Postgres>, StorageError> {
    let options = PgConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let database = options.get_database().unwrap_or("(default)");
    let target = format!("{database} on {}:{}", options.get_host(), options.get_port());
    // Whether a connection still works is asked of those that were idle, not before every question.
    let pool = PgPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS)
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for >= TRUSTED_WHEN_IDLE_FOR {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
    let pool = connect(pool, options, &target).await?;
    POSTGRES_MIGRATIONS.run(&pool).await.map_err(StorageError::Migrate)?;
    let repository = Repository::new(pool.clone(), pool);
    repository.pack_rows().await?;
    Ok(repository)
}

async fn connect<DB: sqlx::Database>(
    pool: PoolOptions<DB>,
    options: <DB::Connection as sqlx::Connection>::Options,
    target: &str,
) -> Result<sqlx::Pool<DB>, StorageError> {
    let connected = pool.connect_with(options).await;
    connected.map_err(|source| StorageError::Connect { target: target.to_owned(), source })
}
