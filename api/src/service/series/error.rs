//! Why a series is not made, shown or changed.

use planner::json::JsonError;
use storage::{SeriesId, StorageError};

use crate::service::booking::BookingError;
use crate::service::shared::{Fault, KeyError};

/// Why a series is not made, shown or changed.
#[derive(Debug, thiserror::Error)]
pub enum SeriesError {
    /// No such series, or not the caller's.
    #[error("there is no series {0}")]
    NoSeries(SeriesId),
    /// The series has no such occurrence.
    #[error("the series has no occurrence {0:?}; GET it to see how they are named")]
    NoOccurrence(String),
    /// The caller sees the series, and may not change it.
    #[error(
        "series {id} is {owner}'s; only {owner}, operators and those of its project whom this site permits may change it"
    )]
    NotTheirs {
        /// The series.
        id: SeriesId,
        /// Whose it is.
        owner: String,
    },
    /// What is to be changed is over.
    #[error("{0}")]
    Over(String),
    /// A changed series has errors.
    #[error("the series has errors: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<JsonError>),
    /// An occurrence is impossible, and all were wanted or none.
    #[error(
        "the occurrence {occurrence} cannot be had ({reason}), and \"where_impossible\" is \"refuse\": nothing stays booked; \
         say \"leave_out\" to have the others"
    )]
    Refused {
        /// Its name.
        occurrence: String,
        /// Why, in words.
        reason: String,
    },
    /// One user has as many series as one may have.
    #[error("you have {0} series that run, and one user of this site may have so many; end some")]
    TooMany(u16),
    /// Whoever is to be given a series has as many as one may have.
    #[error(
        "{owner:?} has {most} series that run, and one user of this site may have so many; they may end some first"
    )]
    ReceiverHasTooMany {
        /// The name of that user.
        owner: String,
        /// The number that one user may have.
        most: u16,
    },
    /// `If-Match` does not match.
    #[error("the series was changed since it was read; GET it again")]
    VersionMismatch,
    /// It was changed again and again meanwhile.
    #[error("the series was changed by others meanwhile; try again")]
    Changed,
    /// The idempotency key does not tell what was answered before.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// What bookings meet.
    #[error(transparent)]
    Booking(#[from] BookingError),
    /// What any service may meet.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StorageError> for SeriesError {
    fn from(error: StorageError) -> Self {
        Self::Fault(error.into())
    }
}
