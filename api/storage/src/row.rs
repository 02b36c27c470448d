//! What all rows have in common on their way into the domain.

use std::fmt::Display;

use planner::node_set::NodeSet;
use planner::time::{Span, Timestamp};

use crate::error::StorageError;

/// The row that a value is read from. Errors name it, and the column, where this crate cannot have
/// written the value.
pub(crate) struct RowPlace<R> {
    /// The table's name.
    pub(crate) table: &'static str,
    /// The key of the row.
    pub(crate) row: R,
}

impl<R: Display> RowPlace<R> {
    /// The error of a column with a wrong value.
    pub(crate) fn wrong(&self, column: &'static str, problem: &'static str) -> StorageError {
        let row = self.row.to_string();
        StorageError::Inconsistent { table: self.table, row, column: Some(column), problem }
    }

    /// What was read of a column; an error where that was nothing.
    pub(crate) fn readable<T>(
        &self,
        column: &'static str,
        read: Option<T>,
    ) -> Result<T, StorageError> {
        read.ok_or_else(|| self.wrong(column, "the value cannot be read"))
    }

    /// What the word in a column stands for.
    pub(crate) fn word<T>(
        &self,
        column: &'static str,
        word: &str,
        from_word: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, StorageError> {
        from_word(word).ok_or_else(|| self.wrong(column, "the word is unknown"))
    }

    /// The number in a column that counts something.
    pub(crate) fn count(&self, column: &'static str, number: i64) -> Result<u32, StorageError> {
        u32::try_from(number).map_err(|_| self.wrong(column, "the number is out of range"))
    }

    /// The span between two columns, named by that of its end.
    pub(crate) fn span(
        &self,
        end_column: &'static str,
        start_s: i64,
        end_s: i64,
    ) -> Result<Span, StorageError> {
        span(start_s, end_s).ok_or_else(|| self.wrong(end_column, "the end is not after the start"))
    }
}

/// The span between two columns; `None` where it is empty.
fn span(start_s: i64, end_s: i64) -> Option<Span> {
    Span::new(Timestamp::from_unix_seconds(start_s), Timestamp::from_unix_seconds(end_s))
}

/// The instant of a column that may be empty.
pub(crate) fn instant(seconds: Option<i64>) -> Option<Timestamp> {
    seconds.map(Timestamp::from_unix_seconds)
}

/// A set of positions as tables keep it: inclusive pairs, spaces between.
pub(crate) fn set_text(set: &NodeSet) -> String {
    let word = |range: &std::ops::Range<u32>| format!("{}-{}", range.start, range.end - 1);
    set.ranges().iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A set of positions from what tables keep.
pub(crate) fn set_of(text: &str) -> Option<NodeSet> {
    let range = |word: &str| {
        let (first, last) = word.split_once('-')?;
        Some(first.parse().ok()?..last.parse::<u32>().ok()?.checked_add(1)?)
    };
    text.split_whitespace().map(range).collect::<Option<Vec<_>>>().map(NodeSet::from_ranges)
}
