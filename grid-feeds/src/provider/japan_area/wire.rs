//! A file of comma-separated values: a line that names the unit, and below it a row for each half-hour.

use csv::ReaderBuilder;

use crate::feed::{FeedError, excerpt};
use crate::provider::japanese::narrow;

/// A file.
#[derive(Debug)]
pub struct AreaFile {
    /// The names of the columns, narrow.
    pub columns: Vec<String>,
    /// The rows, in any order.
    pub rows: Vec<Row>,
}

/// A half-hour.
#[derive(Debug)]
pub struct Row {
    /// In which line of the file.
    pub line: u64,
    /// A cell for each column.
    pub cells: Vec<String>,
}

/// The unit, as the first line has it: megawatts, the mean of the half-hour.
const UNIT: &str = "[MW平均]";

impl AreaFile {
    /// Reads the file.
    ///
    /// # Errors
    /// Another unit, a row that is cut.
    pub fn read(text: &str) -> Result<Self, FeedError> {
        let text = text.trim_start_matches('\u{feff}');
        let (unit, table) = text.split_once('\n').unwrap_or((text, ""));
        if !narrow(unit).contains(UNIT) {
            let came = excerpt(unit.trim().trim_end_matches(','));
            return Err(FeedError::mismatch(
                "line 1",
                format!("unit {UNIT:?}"),
                &came,
                "`base_url`",
            ));
        }
        let mut reader = ReaderBuilder::new().from_reader(table.as_bytes());
        let wrong = |error| FeedError::payload("the file", error);
        let columns = reader.headers().map_err(wrong)?.iter().map(narrow).collect();
        let mut rows = Vec::new();
        // Below the unit and the columns.
        for (record, line) in reader.records().zip(3..) {
            let record = record.map_err(wrong)?;
            rows.push(Row { line, cells: record.iter().map(str::to_owned).collect() });
        }
        Ok(Self { columns, rows })
    }
}
