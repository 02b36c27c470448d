//! Tables in CSV: agendas, nodes, power samples, measurements and requests, in and out.
//!
//! Comma-separated UTF-8 with a header; a byte-order mark and CRLF are accepted. Column names are
//! exact, their order is free, and unknown or missing columns are errors. Numbers are decimals with
//! a point and at most six decimals and are taken exactly; times are RFC 3339. Every error is
//! reported with its line and column, up to [`MAX_ERRORS`].

mod agenda;
mod measurements;
mod nodes;
mod power_samples;
mod reader;
mod requests;
mod series;

use std::fmt;

pub use agenda::{co2_agenda, power_cap_agenda, price_agenda, write_agenda};
pub use measurements::measurements;
pub use nodes::nodes;
pub use power_samples::power_samples;
pub(crate) use reader::{Columns, Row, read};
pub use requests::requests;
pub use series::{series, usual_length};

/// Reading stops after this many errors.
pub const MAX_ERRORS: usize = 100;

/// What is wrong at one place of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line of the text, from 1; that on which the row starts.
    pub line: u64,
    /// The column; `None` where the row as a whole is wrong.
    pub column: Option<String>,
    /// In words.
    pub message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "line {}, {column}: {}", self.line, self.message),
            None => write!(f, "line {}: {}", self.line, self.message),
        }
    }
}

impl std::error::Error for TableError {}
