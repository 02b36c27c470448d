//! From hours to an agenda.

use jiff::civil::Date;

use super::wire::{Answer, Hour};
use crate::feed::{FeedError, Identity, Series, instant};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly};
use crate::provider::json;

/// Days are days of this zone.
pub(super) const ZONE: &str = "America/New_York";

/// Reads the answer for `day` at `location`; no hours where there are none yet.
///
/// # Errors
/// Another location or day; what is not JSON of this shape.
pub fn read(text: &str, day: Date, location: &str) -> Result<Vec<Hour>, FeedError> {
    let answer: Answer = json(text)?;
    let hours: Vec<Hour> = answer.lists.0.into_iter().flat_map(|list| list.hours.0).collect();
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let day = day.to_string();
    for (index, hour) in hours.iter().enumerate() {
        let place = |field: &str| format!("/HourlyLmps/HourlyLmp/{index}/{field}");
        Identity { what: "location", asked: location, setting: "`location`" }
            .named(&place("Location/@LocId"), Some(&hour.location.id.0))?;
        let start = instant(&hour.begin_date).filter(|start| start.ceil_to(HOUR) == *start);
        let start = start.ok_or_else(|| {
            FeedError::payload(place("BeginDate"), "is not the start of an hour with its offset")
        })?;
        let said = local.date(start).map_err(FeedError::calendar)?.to_string();
        Identity { what: "day", asked: &day, setting: "`base_url`" }
            .named(&place("BeginDate"), Some(&said))?;
    }
    Ok(hours)
}

/// The prices of some hours.
///
/// # Errors
/// Where there are none, and words for numbers.
pub fn prices(hours: &[Hour]) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    for hour in hours {
        let (Some(start), Some(number)) = (instant(&hour.begin_date), &hour.lmp_total) else {
            continue;
        };
        let price = number.decimal().ok_or_else(|| {
            FeedError::payload(format!("LmpTotal of {}", hour.begin_date), "is not a number")
        })?;
        readings.extend(hourly(start, price));
    }
    dollars(readings, Vec::new())
}
