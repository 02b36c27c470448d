//! The files that the demonstration is made of, but for the tariff's.

use planner::quantity::{CarbonIntensity, Power};
use planner::time::Seconds;

use super::DemonstrationError;
use crate::local_time::LocalHour;
use crate::table::{Columns, TableError, read};

pub(super) const NODES: &str = include_str!("../../demonstration/nodes.csv");
pub(super) const TARIFF: &str = include_str!("../../demonstration/tariff.csv");
pub(super) const CALENDAR: &str = include_str!("../../demonstration/calendar.csv");
pub(super) const CO2: &str = include_str!("../../demonstration/co2.csv");
pub(super) const POWER_CAP: &str = include_str!("../../demonstration/power_cap.csv");
pub(super) const BOOKINGS: &str = include_str!("../../demonstration/bookings.csv");

const CO2_COLUMNS: Columns =
    Columns { required: &["weekday", "hour", "intensity_g_per_kwh"], optional: &[] };
const POWER_CAP_COLUMNS: Columns = Columns { required: &["hour", "cap_w"], optional: &[] };
const BOOKING_COLUMNS: Columns =
    Columns { required: &["owner", "day", "hour", "nodes", "duration_s"], optional: &[] };

/// A booking relative to today.
pub(super) struct RelativeBooking {
    /// The user who books.
    pub owner: Box<str>,
    /// Days from today.
    pub day: i32,
    /// Local hour at which it starts.
    pub hour: i8,
    /// How many nodes.
    pub nodes: u32,
    /// How long.
    pub duration: Seconds,
}

/// Runs a reader of `file`, saying in its errors which file it was.
pub(super) fn parse<T>(
    file: &'static str,
    read: impl FnOnce() -> Result<T, Vec<TableError>>,
) -> Result<T, DemonstrationError> {
    read().map_err(|errors| DemonstrationError::Table { file, errors })
}

/// CO2 intensity by local hour of the week; weekdays count from Monday, 1.
pub(super) fn co2(
    text: &str,
) -> Result<impl Fn(LocalHour) -> Option<CarbonIntensity>, DemonstrationError> {
    let hours = parse("co2.csv", || {
        read(text, &CO2_COLUMNS, |row, errors| {
            let weekday = row.whole_number(0, errors);
            let hour = row.whole_number(1, errors);
            let intensity = CarbonIntensity::from_millionths_g_per_kwh(row.millionths(2, errors)?);
            let intensity = row.accept(2, errors, intensity.ok_or("is too large"));
            Some((weekday?, hour?, intensity?))
        })
    })?;
    Ok(move |local: LocalHour| {
        let weekday = u32::try_from(local.weekday.to_monday_one_offset()).ok()?;
        let hour = u32::try_from(local.hour).ok()?;
        hours.iter().find(|row| (row.0, row.1) == (weekday, hour)).map(|row| row.2)
    })
}

/// Power cap by local hour of the day.
pub(super) fn power_cap(
    text: &str,
) -> Result<impl Fn(LocalHour) -> Option<Power>, DemonstrationError> {
    let hours = parse("power_cap.csv", || {
        read(text, &POWER_CAP_COLUMNS, |row, errors| {
            let hour = row.whole_number(0, errors);
            let cap = row.power(1, errors);
            Some((hour?, cap?))
        })
    })?;
    Ok(move |local: LocalHour| {
        let hour = u32::try_from(local.hour).ok()?;
        hours.iter().find(|row| row.0 == hour).map(|row| row.1)
    })
}

/// Bookings of the cluster's users.
pub(super) fn bookings(text: &str) -> Result<Vec<RelativeBooking>, DemonstrationError> {
    parse("bookings.csv", || {
        read(text, &BOOKING_COLUMNS, |row, errors| {
            let owner = row.name(0, errors).map(Box::from);
            let day = row.accept(1, errors, row.text(1).parse());
            let hour = row.accept(2, errors, row.text(2).parse());
            let nodes = row.whole_number(3, errors);
            let seconds = row.whole_number(4, errors)?;
            let duration = Seconds::new(i64::from(seconds));
            Some(RelativeBooking { owner: owner?, day: day?, hour: hour?, nodes: nodes?, duration })
        })
    })
}
