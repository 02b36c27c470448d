//! From rows to an agenda.

use jiff::civil::Date;
use planner::time::Timestamp;
use serde_json::value::RawValue;

use super::wire::Page;
use crate::feed::{FeedError, Identity, Series, decimal};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly};
use crate::provider::json;

/// Days are days of this zone.
pub(super) const ZONE: &str = "America/Chicago";

/// Reads a page.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Page, FeedError> {
    json(text)
}

/// Where the columns are.
struct Columns {
    date: usize,
    hour: usize,
    point: usize,
    price: usize,
    repeated: usize,
}

impl Columns {
    fn of(page: &Page) -> Result<Self, FeedError> {
        let find = |names: &[&str]| {
            let is_one = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
            let at = page.fields.iter().position(|field| is_one(&field.name));
            at.ok_or_else(|| FeedError::payload("/fields", format!("has no {}", names[0])))
        };
        Ok(Self {
            date: find(&["deliveryDate"])?,
            hour: find(&["hourEnding", "deliveryHour"])?,
            point: find(&["settlementPoint", "settlementPointName"])?,
            price: find(&["settlementPointPrice"])?,
            repeated: find(&["DSTFlag"])?,
        })
    }
}

/// The prices of the settlement point `point`. An hour that the clock leaves out is left out too, and noted.
///
/// # Errors
/// Another settlement point, columns or hours that are none, words for numbers; where there are no prices.
pub fn prices(pages: &[Page], point: &str) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut readings = Vec::new();
    let mut notes = Vec::new();
    for page in pages {
        let columns = Columns::of(page)?;
        for (index, row) in page.data.iter().enumerate() {
            let wrong = |message: &str| FeedError::payload(format!("/data/{index}"), message);
            if row.len() != page.fields.len() {
                return Err(wrong("has not a value for each column"));
            }
            Identity { what: "settlement point", asked: point, setting: "`settlement_point`" }
                .named(&format!("/data/{index}"), Some(&text(&row[columns.point])))?;
            let hour = Hour::read(row, &columns).ok_or_else(|| wrong("has no hour of a day"))?;
            let start = match hour.start(&local).map_err(FeedError::calendar)? {
                Start::At(start) => start,
                Start::LeftOut => {
                    let Hour { date, ending, .. } = hour;
                    let words = format!("there is no hour ending {ending:02}:00 on {date}");
                    notes.push(format!("{words}: it is left out"));
                    continue;
                }
                Start::NotAgain => return Err(wrong("repeats an hour that comes only once")),
            };
            if let Some(written) = written(&row[columns.price]) {
                let price = decimal(&written);
                let price = price.ok_or_else(|| wrong("has a price that is not a number"))?;
                readings.extend(hourly(start, price));
            }
        }
    }
    dollars(readings, notes)
}

/// An hour of a day, as a row says it.
struct Hour {
    date: Date,
    ending: i8,
    is_repeated: bool,
}

impl Hour {
    fn read(row: &[Box<RawValue>], columns: &Columns) -> Option<Self> {
        let date = text(&row[columns.date]).parse().ok()?;
        let ending = text(&row[columns.hour]);
        let ending: i8 = ending.strip_suffix(":00").unwrap_or(&ending).parse().ok()?;
        let is_repeated = match &*text(&row[columns.repeated]).to_ascii_lowercase() {
            "true" | "y" => true,
            "false" | "n" => false,
            _ => return None,
        };
        (1..=24).contains(&ending).then_some(Self { date, ending, is_repeated })
    }

    fn start(&self, local: &LocalTime) -> Result<Start, jiff::Error> {
        let clock = self.date.at(self.ending - 1, 0, 0, 0);
        let first = local.civil_instant(clock)?;
        if local.civil(first)? != clock {
            return Ok(Start::LeftOut);
        }
        if !self.is_repeated {
            return Ok(Start::At(first));
        }
        let second = first + HOUR;
        Ok(if local.civil(second)? == clock { Start::At(second) } else { Start::NotAgain })
    }
}

/// When an hour begins.
enum Start {
    At(Timestamp),
    /// The clock leaves the hour out.
    LeftOut,
    /// The hour comes only once, but is said to come again.
    NotAgain,
}

/// What a cell says: the text of a string, else what stands there.
fn text(cell: &RawValue) -> String {
    serde_json::from_str(cell.get()).unwrap_or_else(|_| cell.get().to_owned())
}

/// The number of a cell as it is written; `None` for `null` and empty text.
fn written(cell: &RawValue) -> Option<String> {
    Some(text(cell)).filter(|text| !text.is_empty() && cell.get() != "null")
}
