//! A file of comma-separated values that holds several tables: rows with `I` name the columns of a table, rows with `D` belong to
//! it, rows with `C` begin and end the file.

use csv::{ReaderBuilder, StringRecord};

use crate::feed::{FeedError, Identity, excerpt};

/// A run of the pre-dispatch, without the prices of other regions.
#[derive(Debug, Default)]
pub struct PredispatchRun {
    /// When it was made, such as `2025/06/22 00:03:00`.
    pub made: Option<String>,
    /// The half-hours of the region.
    pub rows: Vec<Row>,
    /// Some names of other regions.
    pub others: Vec<String>,
}

/// The price of a half-hour.
#[derive(Debug)]
pub struct Row {
    /// In which line of the file.
    pub line: u64,
    /// When the half-hour ends, such as `2025/06/22 00:30:00`.
    pub end: String,
    /// AUD/MWh as it is written; empty where there is none.
    pub(crate) price: String,
}

/// So many names of other regions tell what the file is about.
const NAMES: usize = 8;

/// The table of prices.
const TABLE: [&str; 2] = ["PREDISPATCH", "REGION_PRICES"];

impl PredispatchRun {
    /// Reads the file and the prices of `region`. Where the operator intervenes, prices are those of the run without it.
    ///
    /// # Errors
    /// Another report, columns that are not there, a file that is cut.
    pub fn read(text: &str, region: &str) -> Result<Self, FeedError> {
        let mut reader =
            ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let (mut run, mut columns, mut is_whole) = (Self::default(), None, false);
        for (record, line) in reader.records().zip(1_u64..) {
            let record = record.map_err(|error| FeedError::payload("the file", error))?;
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let is_of_table = [cell(1), cell(2)] == TABLE;
            match cell(0) {
                "C" if line == 1 => {
                    Identity { what: "report", asked: "PREDISPATCHIS", setting: "`base_url`" }
                        .named("line 1", Some(cell(2)))?;
                    run.made = Some(format!("{} {}", cell(5), cell(6)));
                }
                "C" => is_whole |= cell(1) == "END OF REPORT",
                "I" if is_of_table => columns = Some(Columns::of(&record, line)?),
                "D" if is_of_table => {
                    let columns = columns.as_ref().ok_or_else(|| {
                        FeedError::payload(format!("line {line}"), "comes before its columns")
                    })?;
                    run.take(columns, &cell, line, region);
                }
                _ if line == 1 => {
                    let message = format!("{:?} begins no report", excerpt(cell(0)));
                    return Err(FeedError::payload("line 1", message));
                }
                _ => {}
            }
        }
        if is_whole {
            return Ok(run);
        }
        Err(FeedError::payload("the file", "has no END OF REPORT: it is cut off"))
    }

    fn take<'a>(
        &mut self,
        columns: &Columns,
        cell: &impl Fn(usize) -> &'a str,
        line: u64,
        region: &str,
    ) {
        if cell(columns.intervention) != "0" {
            return;
        }
        let name = cell(columns.region);
        if name.eq_ignore_ascii_case(region) {
            let (end, price) = (cell(columns.end).to_owned(), cell(columns.price).to_owned());
            self.rows.push(Row { line, end, price });
        } else if self.others.len() < NAMES && self.others.iter().all(|it| it != name) {
            self.others.push(name.to_owned());
        }
    }
}

/// Where the columns are, which differs between versions of the table.
struct Columns {
    region: usize,
    intervention: usize,
    price: usize,
    end: usize,
}

impl Columns {
    fn of(record: &StringRecord, line: u64) -> Result<Self, FeedError> {
        let needed = |name: &str| {
            record.iter().position(|column| column.trim() == name).ok_or_else(|| {
                FeedError::payload(format!("line {line}"), format!("has no column {name}"))
            })
        };
        Ok(Self {
            region: needed("REGIONID")?,
            intervention: needed("INTERVENTION")?,
            price: needed("RRP")?,
            end: needed("DATETIME")?,
        })
    }
}
