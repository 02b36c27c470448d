//! A file of comma-separated values: lines about it, a header, and three rows for each node.

use csv::{ReaderBuilder, StringRecord};
use jiff::civil::Date;

use crate::feed::FeedError;
use crate::provider::american::month_day_year;

/// The hours of a day, whatever clocks do elsewhere.
pub const HOURS: usize = 24;

/// What stands before the prices of a row.
const COLUMNS: [&str; 3] = ["Node", "Type", "Value"];

/// A file, without the prices of other nodes.
#[derive(Debug)]
pub struct Report {
    /// Which prices they are.
    pub title: String,
    /// The day of delivery.
    pub day: Option<Date>,
    /// Whether hours are said to be those of Eastern Standard Time.
    pub is_eastern_standard: bool,
    /// The prices of the node as they are written, a row or none; empty where there is none.
    pub(crate) rows: Vec<[Box<str>; HOURS]>,
    /// Some names of other nodes.
    pub others: Vec<String>,
}

/// So many names of other nodes tell what the file is about.
const NAMES: usize = 5;

impl Report {
    /// Reads the file and the prices of `node`.
    ///
    /// # Errors
    /// No header, other columns, a row that is cut.
    pub fn read(text: &str, node: &str) -> Result<Self, FeedError> {
        let text = text.trim_start_matches('\u{feff}');
        let header = text.lines().position(|line| line.starts_with("Node,"));
        let header =
            header.ok_or_else(|| FeedError::payload("the file", "has no line of columns"))?;
        let about: Vec<&str> =
            text.lines().take(header).map(|line| line.trim_matches([',', ' '])).collect();
        let mut report = Self {
            title: about.first().copied().unwrap_or_default().to_owned(),
            day: about.iter().find_map(|line| month_day_year(line)),
            is_eastern_standard: about.iter().any(|line| line.contains("Eastern Standard Time")),
            rows: Vec::new(),
            others: Vec::new(),
        };
        let table = text.split_inclusive('\n').skip(header).collect::<String>();
        report.read_rows(&table, header, node)?;
        Ok(report)
    }

    fn read_rows(&mut self, table: &str, above: usize, node: &str) -> Result<(), FeedError> {
        let mut reader = ReaderBuilder::new().from_reader(table.as_bytes());
        check_columns(reader.headers().map_err(|error| FeedError::payload("the columns", error))?)?;
        let mut is_last = false;
        // The columns stand below what is above.
        for (record, line) in reader.records().zip(above + 2..) {
            let record = record.map_err(|error| FeedError::payload("the file", error))?;
            let name = record.get(0).unwrap_or_default();
            let is_ours = name.eq_ignore_ascii_case(node);
            is_last = is_ours && record.get(2) == Some("LMP");
            if is_last {
                self.rows.push(prices(&record).ok_or_else(|| {
                    FeedError::payload(format!("line {line}"), "has no 24 prices")
                })?);
            } else if !is_ours
                && self.others.len() < NAMES
                && self.others.iter().all(|other| other != name)
            {
                self.others.push(name.to_owned());
            }
        }
        if is_last && !table.ends_with('\n') {
            return Err(FeedError::payload(
                "the last line",
                "has no end, so its last price may be cut",
            ));
        }
        Ok(())
    }
}

/// Columns in another order or number would be other hours.
fn check_columns(header: &StringRecord) -> Result<(), FeedError> {
    let hours = (1..=HOURS).map(|hour| format!("HE {hour}"));
    let wanted: Vec<String> = COLUMNS.iter().map(|&name| name.to_owned()).chain(hours).collect();
    if header.iter().map(str::trim).eq(wanted.iter().map(String::as_str)) {
        return Ok(());
    }
    let message = "are not Node, Type, Value and HE 1 to HE 24";
    Err(FeedError::payload("the columns", message))
}

fn prices(record: &StringRecord) -> Option<[Box<str>; HOURS]> {
    let prices: Vec<Box<str>> = record.iter().skip(COLUMNS.len()).map(Into::into).collect();
    prices.try_into().ok()
}
