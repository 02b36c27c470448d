//! From rows to an agenda.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use planner::time::Timestamp;

use super::wire::{Page, Row};
use crate::feed::{FeedError, Identity, Reading, Series};
use crate::local_time::LocalTime;
use crate::provider::american::{HOUR, dollars, hourly};
use crate::provider::json;

/// Days are days of this zone, which is called Eastern Prevailing Time.
pub(super) const ZONE: &str = "America/New_York";

/// Reads a page of rows.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Page, FeedError> {
    json(text)
}

/// The prices of `node`. Of several versions of an hour the latest counts.
///
/// # Errors
/// Another node, hours whose two clocks differ, words for numbers; where there are no prices.
pub fn prices(rows: &[Row], node: &str) -> Result<Series, FeedError> {
    let local = LocalTime::named(ZONE).map_err(FeedError::calendar)?;
    let mut latest: BTreeMap<Timestamp, (i64, Vec<Reading>)> = BTreeMap::new();
    let mut replaced = 0;
    for (index, row) in rows.iter().enumerate() {
        let place = |field: &str| format!("/items/{index}/{field}");
        Identity { what: "node", asked: node, setting: "`pnode_id`" }
            .named(&place("pnode_id"), Some(&row.pnode_id.0))?;
        let start = start(row, &local).ok_or_else(|| {
            let message = "is not the start of an hour by both clocks";
            FeedError::payload(place("datetime_beginning_utc"), message)
        })?;
        if row.row_is_current == Some(false) {
            replaced += 1;
            continue;
        }
        let price = row.total_lmp_da.as_ref().map(|number| {
            let price = number.decimal();
            price.ok_or_else(|| FeedError::payload(place("total_lmp_da"), "is not a number"))
        });
        let reading = price.transpose()?.and_then(|price| hourly(start, price));
        let version = row.version_nbr.unwrap_or(0);
        let (best, readings) = latest.entry(start).or_insert_with(|| (version, Vec::new()));
        if version > *best {
            *best = version;
            readings.clear();
        }
        if version == *best {
            readings.extend(reading);
        }
    }
    let notes =
        (replaced > 0).then(|| format!("rows that were replaced and are left out: {replaced}"));
    let readings = latest.into_values().flat_map(|(_, readings)| readings).collect();
    dollars(readings, notes.into_iter().collect())
}

/// The start by the clock of UTC, if it is a full hour and Philadelphia's clock shows what is said.
fn start(row: &Row, local: &LocalTime) -> Option<Timestamp> {
    let civil = |text: &str| DateTime::strptime("%Y-%m-%dT%H:%M:%S", text).ok();
    let utc = civil(&row.datetime_beginning_utc)?.to_zoned(TimeZone::UTC).ok()?;
    let start = Timestamp::from_unix_seconds(utc.timestamp().as_second());
    if start.ceil_to(HOUR) != start {
        return None;
    }
    match &row.datetime_beginning_ept {
        Some(said) if civil(said) != local.civil(start).ok() => None,
        _ => Some(start),
    }
}
