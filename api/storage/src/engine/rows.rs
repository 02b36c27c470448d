//! Rows as both engines give them.

/// A number and bytes.
pub(crate) type BytesRow = (i64, Vec<u8>);

/// Two numbers, and two that may be missing.
pub(crate) type NumbersRow = (i64, i64, Option<i64>, Option<i64>);

/// A number, three texts and two numbers.
pub(crate) type TextsRow = (i64, String, String, String, i64, i64);
