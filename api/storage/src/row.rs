//! What all rows have in common on their way into the domain.

use planner::time::{Span, Timestamp};

use crate::error::StorageError;

/// Makes the error where it is needed; owns what it says, so that the row can be taken apart.
pub(crate) fn inconsistent<T: ToString>(
    table: &'static str,
    row: &T,
    problem: &'static str,
) -> impl FnOnce() -> StorageError + use<T> {
    let row = row.to_string();
    move || StorageError::Inconsistent { table, row, problem }
}

/// The span between two columns; `None` where it is empty.
pub(crate) fn span(start_s: i64, end_s: i64) -> Option<Span> {
    Span::new(Timestamp::from_unix_seconds(start_s), Timestamp::from_unix_seconds(end_s))
}

/// The instant of a column that may be empty.
pub(crate) fn instant(seconds: Option<i64>) -> Option<Timestamp> {
    seconds.map(Timestamp::from_unix_seconds)
}
