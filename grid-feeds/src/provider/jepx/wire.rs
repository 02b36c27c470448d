//! A file of comma-separated values: a row for each half-hour, a column for each area.

use csv::{ReaderBuilder, StringRecord};

use crate::feed::FeedError;
use crate::provider::japanese::narrow;

/// The price of a half-hour.
#[derive(Debug)]
pub struct Row {
    /// In which line of the file.
    pub line: u64,
    /// The day of delivery, such as `2026/04/01`.
    pub day: String,
    /// The number of the half-hour in the day, from 1 to 48.
    pub code: String,
    /// Yen per kWh as it is written; empty where there is none.
    pub(crate) price: String,
}

/// What every column of prices has in its name.
const PRICE: &str = "プライス";

/// The rows of a file, with the prices of one column.
///
/// # Errors
/// Columns that are not there, a row that is cut.
pub fn rows(text: &str, price: &str) -> Result<Vec<Row>, FeedError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let wrong = |error| FeedError::payload("the file", error);
    let columns = Columns::of(reader.headers().map_err(wrong)?, price)?;
    let mut rows = Vec::new();
    // Below the columns.
    for (record, line) in reader.records().zip(2..) {
        let record = record.map_err(wrong)?;
        let cell = |column: usize| record.get(column).unwrap_or_default().to_owned();
        let (day, code) = (cell(columns.day), cell(columns.code));
        rows.push(Row { line, day, code, price: cell(columns.price) });
    }
    Ok(rows)
}

/// Where the columns are.
struct Columns {
    day: usize,
    code: usize,
    price: usize,
}

impl Columns {
    fn of(header: &StringRecord, price: &str) -> Result<Self, FeedError> {
        let find = |names: &[&str]| {
            header.iter().position(|column| names.contains(&narrow(column).as_str()))
        };
        let needed = |names: &[&str]| {
            let message = || format!("has no column {}", names.join(" or "));
            find(names).ok_or_else(|| FeedError::payload("line 1", message()))
        };
        let Some(price) = find(&[price]) else {
            let prices = header.iter().filter(|column| column.contains(PRICE));
            let prices: Vec<&str> = prices.collect();
            let asked = format!("column {price:?}");
            return Err(FeedError::mismatch("line 1", asked, &prices.join(", "), "`area`"));
        };
        // The day of delivery has either name, by where the file is fetched.
        Ok(Self {
            day: needed(&["受渡日", "年月日"])?, code: needed(&["時刻コード"])?, price
        })
    }
}
