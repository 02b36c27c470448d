//! Reading rows with every error and its place.

use std::fmt;

use csv::{ReaderBuilder, StringRecord};
use planner::decimal::{Fraction, parse_millionths};
use planner::node::{NAME_RULE, is_name};
use planner::quantity::{MAX_POWER_MICROWATTS, Power};
use planner::time::{Span, Timestamp};

use super::{MAX_ERRORS, TableError};

/// The columns of a kind of table; cells are asked for by position, required ones first.
pub(crate) struct Columns {
    /// Must be there.
    pub required: &'static [&'static str],
    /// May be there; an absent column reads as empty cells.
    pub optional: &'static [&'static str],
}

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<TableError>);

/// One row of a table.
pub(crate) struct Row<'r> {
    line: u64,
    columns: &'r Columns,
    /// For each column of `columns`, where its cell is.
    positions: &'r [Option<usize>],
    record: &'r StringRecord,
}

/// Reads every row with `part`, which notes what is wrong and then has no value.
///
/// # Errors
/// Every error, in the order of the lines; those of the header alone.
pub(crate) fn read<T>(
    text: &str,
    columns: &Columns,
    mut part: impl FnMut(&Row, &mut Errors) -> Option<T>,
) -> Result<Vec<T>, Vec<TableError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut lines = Lines { text, byte: 0, line: 1 };
    let mut record = StringRecord::new();
    let mut errors = Errors::default();
    let mut header: Option<Header> = None;
    let mut values = Vec::new();
    while errors.0.len() < MAX_ERRORS {
        let started_at = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                errors.row(lines.at(started_at), error);
                break;
            }
        }
        let line = lines.at(started_at);
        match &header {
            None => header = Some(Header::read(&record, columns, line)?),
            Some(header) if record.len() != header.width => {
                errors
                    .row(line, format!("has {} cells, the header {}", record.len(), header.width));
            }
            Some(Header { positions, .. }) => {
                let row = Row { line, columns, positions, record: &record };
                values.extend(part(&row, &mut errors));
            }
        }
    }
    if header.is_none() {
        errors.row(1, format!("the header is missing; columns are {columns}"));
    }
    errors.or(values)
}

/// Where the columns are.
struct Header {
    width: usize,
    positions: Vec<Option<usize>>,
}

impl Header {
    fn read(record: &StringRecord, columns: &Columns, line: u64) -> Result<Self, Vec<TableError>> {
        let mut errors = Errors::default();
        for (position, name) in record.iter().enumerate() {
            if !columns.names().any(|known| known == name) {
                errors.cell(
                    line,
                    name,
                    format!("is not a column of this table; those are {columns}"),
                );
            } else if record.iter().take(position).any(|earlier| earlier == name) {
                errors.cell(line, name, "is there twice");
            }
        }
        let position = |name: &str| record.iter().position(|cell| cell == name);
        for name in columns.required.iter().filter(|name| position(name).is_none()) {
            errors.cell(line, name, "is missing");
        }
        let positions = columns.names().map(position).collect();
        errors.or(Self { width: record.len(), positions })
    }
}

/// Lines of byte positions, asked for in ascending order: the reader's own count is off after CRLF
/// and blank lines.
struct Lines<'t> {
    text: &'t str,
    byte: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of the first byte at or after `byte` that is no line break.
    fn at(&mut self, byte: usize) -> u64 {
        let rest = self.text.as_bytes().get(byte..).unwrap_or_default();
        let breaks = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let until = (byte + breaks).min(self.text.len());
        let passed = &self.text.as_bytes()[self.byte..until];
        self.line += passed.iter().map(|&byte| u64::from(byte == b'\n')).sum::<u64>();
        self.byte = until;
        self.line
    }
}

impl Columns {
    fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.required.iter().chain(self.optional).copied()
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.required.join(","))?;
        match self.optional {
            [] => Ok(()),
            optional => write!(f, " and optionally {}", optional.join(",")),
        }
    }
}

impl Errors {
    /// Notes that a row as a whole is wrong.
    pub fn row(&mut self, line: u64, message: impl fmt::Display) {
        self.push(TableError { line, column: None, message: message.to_string() });
    }

    /// Notes that a cell is wrong.
    pub fn cell(&mut self, line: u64, column: &str, message: impl fmt::Display) {
        let column = Some(column.to_owned());
        self.push(TableError { line, column, message: message.to_string() });
    }

    fn push(&mut self, error: TableError) {
        if self.0.len() < MAX_ERRORS {
            self.0.push(error);
        }
    }

    /// The value, where nothing is wrong.
    ///
    /// # Errors
    /// All errors, in the order of the lines.
    pub fn or<T>(mut self, value: T) -> Result<T, Vec<TableError>> {
        self.0.sort_by_key(|error| error.line);
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

impl Row<'_> {
    /// The line on which the row starts.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The text of a cell.
    pub fn text(&self, column: usize) -> &str {
        self.positions[column].and_then(|position| self.record.get(position)).unwrap_or_default()
    }

    /// Notes that a cell is wrong.
    pub fn error(&self, column: usize, errors: &mut Errors, message: impl fmt::Display) {
        let name = self.columns.names().nth(column).unwrap_or_default();
        errors.cell(self.line, name, message);
    }

    /// Unwraps a result about a cell, noting its error.
    pub fn accept<T, E: fmt::Display>(
        &self,
        column: usize,
        errors: &mut Errors,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.error(column, errors, error)).ok()
    }

    /// A name: 1 to 255 characters, none of them a control character.
    pub fn name(&self, column: usize, errors: &mut Errors) -> Option<&str> {
        let name = self.text(column);
        self.accept(column, errors, is_name(name).then_some(name).ok_or(NAME_RULE))
    }

    /// An RFC 3339 instant.
    pub fn instant(&self, column: usize, errors: &mut Errors) -> Option<Timestamp> {
        self.accept(column, errors, Timestamp::parse(self.text(column)))
    }

    /// A span from two instants.
    pub fn span(&self, start: usize, end: usize, errors: &mut Errors) -> Option<Span> {
        let (from, until) = (self.instant(start, errors), self.instant(end, errors));
        self.accept(end, errors, Span::new(from?, until?).ok_or("must be after start"))
    }

    /// A number in whole millionths.
    pub fn millionths(&self, column: usize, errors: &mut Errors) -> Option<i64> {
        self.accept(column, errors, parse_millionths(self.text(column)))
    }

    /// A power of at least zero, in watts.
    pub fn power(&self, column: usize, errors: &mut Errors) -> Option<Power> {
        let microwatts = self.millionths(column, errors)?;
        let power = (0..=MAX_POWER_MICROWATTS)
            .contains(&microwatts)
            .then(|| Power::from_microwatts(microwatts))
            .ok_or("must lie between 0 and 1e11 W");
        self.accept(column, errors, power)
    }

    /// A whole number of at least zero.
    pub fn whole_number(&self, column: usize, errors: &mut Errors) -> Option<u32> {
        let text = self.text(column);
        let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|text| text.parse().ok());
        self.accept(column, errors, number.ok_or("is not a whole number between 0 and 4294967295"))
    }

    /// A number in `[0, 1]` with any decimals.
    pub fn fraction(&self, column: usize, errors: &mut Errors) -> Option<Fraction> {
        let text = self.text(column);
        // Words such as `inf` and forms such as `+1` or `.5` are not decimals in a table.
        let framed = text.starts_with(|first: char| first.is_ascii_digit())
            && text.ends_with(|last: char| last.is_ascii_digit());
        let fraction = text.parse().ok().filter(|_| framed).and_then(Fraction::new);
        self.accept(column, errors, fraction.ok_or("is not a number between 0 and 1"))
    }

    /// A cell that may be empty: `Some(None)` then, `None` on an error.
    #[expect(clippy::option_option, reason = "an empty cell is not a wrong one")]
    pub fn optional<T>(
        &self,
        column: usize,
        errors: &mut Errors,
        part: impl FnOnce(&Self, usize, &mut Errors) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.text(column).is_empty() { Some(None) } else { part(self, column, errors).map(Some) }
    }
}
