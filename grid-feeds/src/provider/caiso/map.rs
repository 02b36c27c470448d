//! From rows to an agenda.

use csv::ReaderBuilder;
use planner::time::Timestamp;

use super::wire::{OasisError, OasisReport, Row};
use crate::feed::{FeedError, Identity, Series, decimal, excerpt, instant};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly};

/// Days are days of this zone.
pub(super) const ZONE: &str = "America/Los_Angeles";

/// The column without which a file is none of prices.
const START: &str = "INTERVALSTARTTIME_GMT";

/// Refusals with these codes are no fault of the question: time-outs, broken parts, work in progress.
const PASSING: [&str; 9] = ["1003", "1006", "1007", "1008", "1009", "1010", "1012", "1013", "1015"];

/// Reads the file, whose prices must be those of `node`.
///
/// # Errors
/// Another node or market, hours that are none of their day; a refusal, by its code; what is no such file.
pub fn read(text: &str, node: &str) -> Result<Vec<Row>, FeedError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(FeedError::transient("an empty answer"));
    }
    if text.trim_start().starts_with('<') {
        return Err(refusal(text));
    }
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let wrong = |error: csv::Error| FeedError::payload("the file", error);
    if !reader.headers().map_err(wrong)?.iter().any(|column| column == START) {
        return Err(FeedError::payload("line 1", format!("has no column {START}")));
    }
    let rows: Vec<Row> = reader.deserialize().collect::<Result<_, _>>().map_err(wrong)?;
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    // Below the columns.
    for (row, line) in rows.iter().zip(2..) {
        let place = |column: &str| format!("line {line}, {column}");
        Identity { what: "node", asked: node, setting: "`node`" }
            .named(&place("NODE"), Some(&row.node))?;
        Identity { what: "market", asked: "DAM", setting: "`base_url`" }
            .named(&place("MARKET_RUN_ID"), Some(&row.market))?;
        let start = start(row).ok_or_else(|| {
            let message = format!("{:?} is not the start of an hour", excerpt(&row.start));
            FeedError::payload(place(START), message)
        })?;
        let day = local.date(start).map_err(FeedError::calendar)?.to_string();
        Identity { what: "day", asked: &day, setting: "`base_url`" }
            .named(&place("OPR_DT"), Some(&row.day))?;
    }
    Ok(rows)
}

/// The prices of the rows, which may be in any order; their parts are left out.
///
/// # Errors
/// Where there are none, and words for numbers.
pub fn prices(rows: &[Row]) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    for (row, line) in rows.iter().zip(2..) {
        if row.part != "LMP" || row.price.is_empty() {
            continue;
        }
        let price = decimal(&row.price).ok_or_else(|| {
            FeedError::payload(format!("line {line}, MW"), "has a price that is not a number")
        })?;
        readings.extend(start(row).and_then(|start| hourly(start, price)));
    }
    dollars(readings, Vec::new())
}

/// The start of the hour, if it is a full one.
fn start(row: &Row) -> Option<Timestamp> {
    let (start, end) = (instant(&row.start)?, instant(&row.end)?);
    Some(start).filter(|start| start.ceil_to(HOUR) == *start && end - *start == HOUR)
}

/// What the document of a refusal, or a page, means.
fn refusal(text: &str) -> FeedError {
    let report: OasisReport = match quick_xml::de::from_str(text) {
        Ok(report) => report,
        Err(error) => return FeedError::payload("the document", error),
    };
    let OasisError { code, words } = report.payload.operator.error;
    let (code, words) = (code.trim(), excerpt(&words));
    match code {
        "1000" | "1001" => FeedError::not_published(format!(
            "{words}; a node that does not exist is answered so too: check `node`"
        )),
        code if PASSING.contains(&code) => FeedError::transient(format!("{code}: {words}")),
        _ => FeedError::Refused { status: 200, message: excerpt(&format!("{code}: {words}")) },
    }
}
