//! A file of comma-separated values: a row for each location and hour.

use csv::{ReaderBuilder, StringRecord};

use crate::feed::FeedError;

/// A file, without the prices of other locations.
#[derive(Debug, Default)]
pub struct Report {
    /// The hours of the location.
    pub rows: Vec<Row>,
    /// Some names of other locations.
    pub others: Vec<String>,
}

/// The price of an hour.
#[derive(Debug)]
pub struct Row {
    /// In which line of the file.
    pub line: u64,
    /// When the hour ends, in UTC.
    pub end: String,
    /// USD/MWh as it is written, with congestion and losses; empty where there is none.
    pub(crate) price: String,
}

/// So many names of other locations tell what the file is about.
const NAMES: usize = 5;

impl Report {
    /// Reads the file and the prices of `location` in the balancing area `area`. Files from before April 2026
    /// name no area.
    ///
    /// # Errors
    /// Columns that are not there, a row that is cut.
    pub fn read(text: &str, location: &str, area: &str) -> Result<Self, FeedError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
        let wrong = |error| FeedError::payload("the file", error);
        let columns = Columns::of(reader.headers().map_err(wrong)?)?;
        let mut report = Self::default();
        // Below the columns.
        for (record, line) in reader.records().zip(2..) {
            let record = record.map_err(wrong)?;
            let cell = |column: usize| record.get(column).unwrap_or_default();
            let name = cell(columns.location);
            let is_in_area = columns.area.is_none_or(|at| cell(at).eq_ignore_ascii_case(area));
            if name.eq_ignore_ascii_case(location) && is_in_area {
                report.rows.push(Row {
                    line,
                    end: cell(columns.end).to_owned(),
                    price: cell(columns.price).to_owned(),
                });
            } else if report.others.len() < NAMES && report.others.iter().all(|it| it != name) {
                report.others.push(name.to_owned());
            }
        }
        Ok(report)
    }
}

/// Where the columns are.
struct Columns {
    end: usize,
    area: Option<usize>,
    location: usize,
    price: usize,
}

impl Columns {
    /// Columns are `Settlement Location` on one day and `SETTLEMENT_LOCATION` on another.
    fn of(header: &StringRecord) -> Result<Self, FeedError> {
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(char::is_ascii_alphabetic);
            letters.map(|letter| letter.to_ascii_lowercase()).collect()
        };
        let find = |name: &str| header.iter().position(|column| plain(column) == plain(name));
        let needed = |name: &str| {
            find(name).ok_or_else(|| FeedError::payload("line 1", format!("has no column {name}")))
        };
        Ok(Self {
            end: needed("GMTIntervalEnd")?,
            area: find("BAA"),
            location: needed("Settlement Location")?,
            price: needed("LMP")?,
        })
    }
}
