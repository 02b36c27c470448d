//! Requests as a table: `nodes,duration_s,earliest_start,latest_start` and the other fields of a
//! request as optional columns; or as JSON, one request on each line.
//!
//! Every row becomes the JSON of a request and is read as such: a request means the same wherever it
//! stands. Lists have `;` between their entries: names in `features`, `exclude` and `only`, `16x2700` (nodes
//! and a duration) in `alternatives`, `cost=0.02` in `tolerance`. An empty cell says nothing.

use planner::json::request::simulated_request;
use planner::json::{JsonError, read as read_json};
use planner::request::Request;
use serde_json::{Map, Value, json};

use super::reader::Errors;
use super::{Columns, MAX_ERRORS, Row, TableError, read};

const COLUMNS: Columns = Columns {
    required: &["nodes", "duration_s", "earliest_start", "latest_start"],
    optional: &[
        "utilisation",
        "duration",
        "alternatives",
        "latest_end",
        "tolerance",
        "partition",
        "features",
        "exclude",
        "only",
    ],
};

/// What stands in the cells of a column.
#[derive(Clone, Copy)]
enum Cell {
    WholeNumber,
    Instant,
    Fraction,
    Text,
    /// Names with `;` between them.
    Names,
    /// Criteria and shares such as `cost=0.02;co2=0.1`.
    Tolerance,
    /// Counts of nodes and durations such as `16x2700;4xPT3H`.
    Alternatives,
}

/// Each column: its name, what stands in its cells, and the columns of which one may stand in its
/// place. They are in the order of [`COLUMNS`].
const CELLS: [(&str, Cell, &[usize]); 13] = [
    ("nodes", Cell::WholeNumber, &[ALTERNATIVES]),
    ("duration_s", Cell::WholeNumber, &[DURATION, ALTERNATIVES]),
    ("earliest_start", Cell::Instant, &[]),
    ("latest_start", Cell::Instant, &[LATEST_END]),
    ("utilisation", Cell::Fraction, OPTIONAL),
    ("duration", Cell::Text, OPTIONAL),
    ("alternatives", Cell::Alternatives, OPTIONAL),
    ("latest_end", Cell::Instant, OPTIONAL),
    ("tolerance", Cell::Tolerance, OPTIONAL),
    ("partition", Cell::Text, OPTIONAL),
    ("features", Cell::Names, OPTIONAL),
    ("exclude", Cell::Names, OPTIONAL),
    ("only", Cell::Names, OPTIONAL),
];

const DURATION: usize = 5;
const ALTERNATIVES: usize = 6;
const LATEST_END: usize = 7;

/// The mark of a column that may be left out whatever the others say.
const OPTIONAL: &[usize] = &[usize::MAX];

/// Reads requests in the order of the rows or lines.
///
/// # Errors
/// Every error with its line, the rules of a request among them; none is "in the past".
pub fn requests(text: &str) -> Result<Vec<Request>, Vec<TableError>> {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with('{') {
        return lines(text.trim_start_matches('\u{feff}'));
    }
    if begin.starts_with('[') {
        let message = "is a list in JSON; write one request on each line, or a table".to_owned();
        return Err(vec![TableError { line: 1, column: None, message }]);
    }
    read(text, &COLUMNS, |row, errors| {
        let document = document(row, errors)?;
        let request = read_json(&Value::Object(document).to_string(), simulated_request);
        let wrong = |found: Vec<JsonError>| {
            for error in found {
                let column = error.pointer.split('/').nth(1).unwrap_or_default();
                match CELLS.iter().position(|(name, ..)| *name == column) {
                    // The rules name the fields themselves.
                    Some(cell) if !error.message.starts_with(column) => {
                        row.error(cell, errors, error.message);
                    }
                    _ => errors.row(row.line(), error.message),
                }
            }
        };
        request.map_err(wrong).ok()
    })
}

/// The JSON of a row; `None` where a cell cannot be read.
fn document(row: &Row, errors: &mut Errors) -> Option<Map<String, Value>> {
    let mut document = Some(Map::new());
    for (column, (name, cell, others)) in CELLS.iter().enumerate() {
        let is_there = |other: &usize| *other == usize::MAX || !row.text(*other).is_empty();
        if row.text(column).is_empty() && others.iter().any(is_there) {
            continue;
        }
        let value = cell.value(row, column, errors);
        document = document.zip(value).map(|(mut document, value)| {
            document.insert((*name).to_owned(), value);
            document
        });
    }
    document
}

impl Cell {
    /// The JSON of a cell; notes what is wrong with it.
    fn value(self, row: &Row, column: usize, errors: &mut Errors) -> Option<Value> {
        let text = row.text(column);
        match self {
            Self::WholeNumber => row.whole_number(column, errors).map(Value::from),
            Self::Instant => row.instant(column, errors).map(|instant| json!(instant)),
            Self::Fraction => row.fraction(column, errors).map(|it| json!(it.as_f64())),
            Self::Text => Some(text.into()),
            Self::Names => Some(text.split(';').map(Value::from).collect()),
            Self::Tolerance => {
                let shares = text.split(';').map(share).collect::<Option<Map<_, _>>>();
                let told = "is not criteria and shares such as cost=0.02;co2=0.1";
                row.accept(column, errors, shares.map(Value::Object).ok_or(told))
            }
            Self::Alternatives => {
                let shapes = text.split(';').map(shape).collect::<Option<Value>>();
                let told = "is not counts of nodes and durations such as 16x2700;4xPT3H";
                row.accept(column, errors, shapes.ok_or(told))
            }
        }
    }
}

/// A criterion and a share such as `cost=0.02`.
fn share(text: &str) -> Option<(String, Value)> {
    let (criterion, share) = text.split_once('=')?;
    Some((criterion.to_owned(), share.parse::<f64>().ok()?.into()))
}

/// A count of nodes and a duration such as `16x2700`.
fn shape(text: &str) -> Option<Value> {
    let (nodes, duration) = text.split_once('x')?;
    let (nodes, seconds) = (nodes.parse::<u32>().ok()?, duration.parse::<u32>());
    Some(json!({ "nodes": nodes, "duration_s": seconds.map_or(duration.into(), Value::from) }))
}

/// Reads a request from each line that is not empty.
fn lines(text: &str) -> Result<Vec<Request>, Vec<TableError>> {
    let (mut requests, mut errors) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        match read_json(text, simulated_request) {
            Ok(request) => requests.push(request),
            Err(found) => errors.extend(found.into_iter().map(|error| TableError {
                line,
                column: error.pointer.strip_prefix('/').map(str::to_owned),
                message: error.message,
            })),
        }
        if errors.len() >= MAX_ERRORS {
            errors.truncate(MAX_ERRORS);
            break;
        }
    }
    if errors.is_empty() { Ok(requests) } else { Err(errors) }
}

#[cfg(test)]
mod tests;
