//! What can go wrong, one variant per meaning.

use std::time::Duration;

use planner::agenda::AgendaError;
use planner::identity::ReservationId;
use sqlx::migrate::MigrateError;

use crate::refusal::EngineRefusal;

/// Why storage could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// Neither engine's URL.
    #[error(
        "the database URL must start with sqlite:// or postgres://, such as \
         sqlite://wattbook.db; this one starts with {scheme:?}"
    )]
    UnsupportedScheme {
        /// What stands before the first colon.
        scheme: String,
    },
    /// The scheme is known, the rest is not.
    #[error("the database URL cannot be read")]
    MalformedUrl(#[source] sqlx::Error),
    /// SQLite in memory cannot be shared by several connections, nor outlive the process.
    #[error("a SQLite database must be a file, such as sqlite://wattbook.db")]
    InMemory,
    /// The database did not open.
    #[error("cannot open the database {target}")]
    Connect {
        /// The file, or host and database; without credentials.
        target: String,
        /// The engine's error.
        source: sqlx::Error,
    },
    /// A SQLite file that cannot be written where it must be.
    #[error(
        "the database {target} cannot be written: whoever runs the service must be allowed to write \
         this file, the files -wal and -shm beside it and their folder, on a file system that can be \
         written, and its URL must not say mode=ro or immutable"
    )]
    NotWritable {
        /// The file.
        target: String,
        /// The engine's error.
        source: sqlx::Error,
    },
    /// The server says nothing.
    #[error(
        "cannot open the database {target}: no answer within {} s; check its address, and that no \
         firewall is between",
        within.as_secs()
    )]
    NoAnswer {
        /// Host and database; without credentials.
        target: String,
        /// For how long it was waited.
        within: Duration,
    },
    /// There is no database of ours where one must be.
    #[error(
        "there is no Wattbook database at {target}; `wattbook serve` makes it when it starts, and so \
         does `wattbook token create --create-database`"
    )]
    NoDatabase {
        /// The file, or host and database; without credentials.
        target: String,
    },
    /// A newer release made the tables.
    #[error(
        "the database {target} needs {needed}: its tables are those of migration {migration}, and \
         this is Wattbook {}, which knows migrations up to {known}; run the newer program, or restore \
         a copy of the database that was made before the newer one was started",
        env!("CARGO_PKG_VERSION")
    )]
    NewerDatabase {
        /// The file, or host and database; without credentials.
        target: String,
        /// The newest that is known of it.
        migration: i64,
        /// The newest that this program knows.
        known: i64,
        /// Which program it needs, in words.
        needed: String,
    },
    /// The tables could not be brought up to date.
    #[error("cannot bring the database's tables up to date")]
    Migrate(#[source] MigrateError),
    /// The database is gone, or no connection became free in time.
    #[error("the database is out of reach")]
    Unavailable(#[source] sqlx::Error),
    /// The database did not answer a question.
    #[error("the database does not answer within {} s", within.as_secs())]
    Silent {
        /// For how long it was waited.
        within: Duration,
    },
    /// Another process wrote at the same time; trying again helps.
    #[error("the database is busy with another writer")]
    Busy(#[source] sqlx::Error),
    /// Another process has been writing the book for long, or is frozen in it.
    #[error("another process has been writing the book for long, or is frozen in it")]
    BookHeld,
    /// Another process has been recording for long; trying again helps.
    #[error("another process has been writing the audit trail for long, or is frozen in it")]
    AuditHeld,
    /// There is no room for what is to be written.
    #[error("the disk of the database is full, so that nothing can be written; make room on it")]
    Full(#[source] sqlx::Error),
    /// Nothing may be written.
    #[error(
        "the database may only be read: its file, its file system or its server does not let \
         anything be written"
    )]
    ReadOnly(#[source] sqlx::Error),
    /// The engine refused nodes that another reservation holds at that time.
    #[error("double booking: some of the nodes are held by another reservation at that time")]
    DoubleBooking,
    /// A statement failed for a reason that is a defect.
    #[error("a statement failed")]
    Statement(#[source] sqlx::Error),
    /// A row that this crate cannot have written.
    #[error(
        "the row {row} of table {table} is inconsistent: {}{problem}",
        column.map(|column| format!("{column}: ")).unwrap_or_default()
    )]
    Inconsistent {
        /// The table's name.
        table: &'static str,
        /// The key of the row.
        row: String,
        /// The column, where one value alone is wrong.
        column: Option<&'static str>,
        /// What is wrong.
        problem: &'static str,
    },
    /// An agenda without pieces replaces nothing.
    #[error("an agenda needs at least one piece")]
    EmptyAgenda,
    /// Pieces that overlap or are out of order.
    #[error("the agenda's pieces are not in order")]
    UnorderedAgenda(#[source] AgendaError),
    /// Nodes that are booked would vanish.
    #[error("{} booked nodes are missing from the new list, such as {:?}", names.len(), names.first())]
    NodesInUse {
        /// The missing nodes, sorted.
        names: Vec<String>,
        /// The reservations that hold them, sorted.
        reservations: Vec<ReservationId>,
    },
    /// The nodes were replaced since they were read.
    #[error("the nodes were replaced since they were read")]
    EpochChanged,
    /// A digest that another token has.
    #[error("a token with this digest exists")]
    TokenExists,
    /// A name that is another person's.
    #[error("the name is another person's")]
    NameTaken,
}

impl StorageError {
    /// Whether the same may do well in a moment, or once somebody has seen to the database: what is
    /// stored and what was asked are in order.
    pub const fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Unavailable(_)
                | Self::Silent { .. }
                | Self::Busy(_)
                | Self::BookHeld
                | Self::AuditHeld
                | Self::Full(_)
                | Self::ReadOnly(_)
        )
    }

    /// Whether opening a SQLite file may have failed because another process was opening it.
    pub(crate) fn may_be_another_opening(&self) -> bool {
        match self {
            Self::Migrate(MigrateError::Execute(_) | MigrateError::ExecuteMigration(..))
            | Self::Busy(_) => true,
            Self::Connect { source: sqlx::Error::Database(refusal), .. } => {
                matches!(EngineRefusal::of(&**refusal), EngineRefusal::Busy)
            }
            _ => false,
        }
    }
}

impl From<sqlx::Error> for StorageError {
    /// Recognises what both engines say of a double booking, and of a database that cannot be used.
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(refusal) => match EngineRefusal::of(&**refusal) {
                EngineRefusal::DoubleBooking => Self::DoubleBooking,
                EngineRefusal::Busy => Self::Busy(error),
                EngineRefusal::Full => Self::Full(error),
                EngineRefusal::ReadOnly => Self::ReadOnly(error),
                EngineRefusal::Unavailable => Self::Unavailable(error),
                EngineRefusal::Missing | EngineRefusal::Other => Self::Statement(error),
            },
            // What a server says last, as it is stopped, may be cut off in the middle, or answer something else.
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::BeginFailed
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            _ => Self::Statement(error),
        }
    }
}

/// Lets `?` turn what sqlx says into an error that wraps [`StorageError`].
macro_rules! through_storage_error {
    ($($error:ty),*) => {
        $(impl From<sqlx::Error> for $error {
            fn from(error: sqlx::Error) -> Self {
                StorageError::from(error).into()
            }
        })*
    };
}
pub(crate) use through_storage_error;
