//! What an engine means when it refuses a statement.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;

/// The part of SQLite's codes that has no details.
const PRIMARY: u32 = 0xff;

/// `SQLITE_IOERR_WRITE`; a disk that is full has a code of its own.
const FAILED_TO_WRITE: u32 = 778;

/// What an engine's refusal means.
pub(crate) enum EngineRefusal {
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

impl EngineRefusal {
    /// Whether there is no such table.
    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Whether SQLite cannot write a file, or cannot open or make it or those beside it.
    pub(crate) fn is_of_file(error: &dyn DatabaseError) -> bool {
        let refusal = error.try_downcast_ref::<SqliteError>();
        refusal.is_some_and(|it| matches!(code_of(it) & PRIMARY, 8 | 14))
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

    /// A trigger refuses double bookings.
    fn of_sqlite(error: &SqliteError) -> Self {
        let code = code_of(error);
        match code & PRIMARY {
            _ if error.message() == "double booking" => Self::DoubleBooking,
            // The system lets an open file be written no more.
            _ if code == FAILED_TO_WRITE => Self::ReadOnly,
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

/// SQLite's code with its details.
fn code_of(error: &SqliteError) -> u32 {
    error.code().and_then(|code| code.parse().ok()).unwrap_or_default()
}

/// Whether a row with this key is there already.
pub(crate) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
