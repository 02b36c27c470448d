//! Where the engines differ. Everything else in the crate is written once.

use std::pin::Pin;

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;
use sqlx::{Executor, Postgres, QueryBuilder, Sqlite};

/// How many values one statement may bind: SQLite takes 32,766, PostgreSQL 65,535.
pub(crate) const MAX_BOUND_VALUES: usize = 32_766;

/// The end of statements that give nothing back.
pub(crate) type Done<'c> = Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'c>>;

/// How an engine begins and ends transactions, and is given tables.
pub(crate) trait Dialect: sqlx::Database {
    /// Begins a transaction that will write.
    const BEGIN_WRITE: &'static str;
    /// Begins a transaction whose reads all see one state.
    const BEGIN_READ: &'static str;
    /// Makes a transaction permanent, or fails.
    const COMMIT: &'static str;
    /// Says inside a transaction that the next statement may be long in coming.
    const LONG_PAUSE: Option<&'static str>;
    /// Adds a table of three numbers a row.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]);
    /// Executes statements as they stand, prepared for nobody.
    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c>;
}

impl Dialect for Sqlite {
    // A deferred transaction that turns from reading to writing fails at once when another one
    // wrote in between, whatever the busy timeout.
    const BEGIN_WRITE: &'static str = "BEGIN IMMEDIATE";
    const BEGIN_READ: &'static str = "BEGIN DEFERRED";
    const COMMIT: &'static str = "COMMIT";
    const LONG_PAUSE: Option<&'static str> = None;

    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        query.push_values(rows, |mut row, (one, two, three)| {
            row.push_bind(*one).push_bind(*two).push_bind(*three);
        });
    }

    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c> {
        Box::pin(async move { connection.execute(statements).await.map(drop) })
    }
}

impl Dialect for Postgres {
    const BEGIN_WRITE: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";
    const BEGIN_READ: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    // `COMMIT` alone rolls back a transaction in which a statement failed, and says that it did well.
    const COMMIT: &'static str = "SELECT; COMMIT";
    // The session's own is short, so that a process that froze does not hold the book.
    const LONG_PAUSE: Option<&'static str> =
        Some("SET LOCAL idle_in_transaction_session_timeout = '2min'");

    // Arrays, so that however many there are the statement is the same: with a text of its own for
    // each number of rows it would be parsed and planned each time, and kept beside all others.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        let column = |number: fn(&(i64, i64, i64)) -> i64| rows.iter().map(number).collect();
        let [one, two, three]: [Vec<i64>; 3] =
            [column(|row| row.0), column(|row| row.1), column(|row| row.2)];
        query.push("SELECT * FROM unnest(").push_bind(one);
        query.push(", ").push_bind(two).push(", ").push_bind(three).push(")");
    }

    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c> {
        Box::pin(async move { connection.execute(statements).await.map(drop) })
    }
}

/// What an engine's refusal means.
pub(crate) enum Refusal {
    /// An allocation overlaps another reservation's.
    DoubleBooking,
    /// Another writer was in the way.
    Busy,
    /// There is no room for what is to be written.
    Full,
    /// Nothing may be written.
    ReadOnly,
    /// The engine cannot serve: it stops, has too many clients, took too long, or cut us off.
    Unavailable,
    /// There is no such table.
    Missing,
    /// A defect.
    Other,
}

impl Refusal {
    /// Whether there is no such table.
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Recognises what the engines say, by their codes.
    pub(crate) fn of(error: &dyn DatabaseError) -> Self {
        if let Some(error) = error.try_downcast_ref::<SqliteError>() {
            return Self::of_sqlite(error);
        }
        match error.try_downcast_ref::<PgDatabaseError>() {
            Some(error) => Self::of_postgres(error),
            None => Self::Other,
        }
    }

    /// The low byte is the primary code. A trigger refuses double bookings.
    fn of_sqlite(error: &SqliteError) -> Self {
        let code = error.code().and_then(|code| code.parse::<u32>().ok()).unwrap_or_default();
        match code & 0xff {
            _ if error.message() == "double booking" => Self::DoubleBooking,
            5 | 6 => Self::Busy,
            8 => Self::ReadOnly,
            10 | 14 => Self::Unavailable,
            13 => Self::Full,
            1 if error.message().starts_with("no such table") => Self::Missing,
            _ => Self::Other,
        }
    }

    /// An exclusion constraint refuses double bookings.
    fn of_postgres(error: &PgDatabaseError) -> Self {
        match error.code() {
            "23P01" if error.constraint() == Some("allocations_refuse_double_booking") => {
                Self::DoubleBooking
            }
            // A serialisation failure, a deadlock, a lock not available in time.
            "40001" | "40P01" | "55P03" => Self::Busy,
            "53100" => Self::Full,
            "25006" => Self::ReadOnly,
            "42P01" => Self::Missing,
            // Idle in a transaction, or a statement, for too long; then classes 53 (resources), 57 (an
            // operator stops it), 58 (the system) and 08 (the connection).
            "25P03" | "57014" => Self::Unavailable,
            code if ["53", "57", "58", "08"].iter().any(|class| code.starts_with(class)) => {
                Self::Unavailable
            }
            _ => Self::Other,
        }
    }
}
