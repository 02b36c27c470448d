//! Demonstration data around any day: a cluster, a month of tariff, CO2 and power cap, bookings.
//!
//! Everything is made up, in the ranges of the paper's evaluation (section VI): 44 nodes, prices
//! between 76.32 and 511.92 EUR/MWh, CO2 between 27 and 112 g/kWh. The files under `demonstration/`
//! are relative to the local day of `now` in Europe/Paris; the agendas made of them are absolute.
//!
//! The hours are made to conflict: nights are cheap, early afternoons clean, and both are so booked
//! that the nodes with the least draw are free only at other times.

mod files;
mod tariff;

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use planner::agenda::{Agenda, AgendaError, Piece};
use planner::node::Nodes;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::request::{Request, Shape};
use planner::time::{Seconds, Span, Timestamp};

use self::files::RelativeBooking;
pub use self::tariff::ContractPrice;
use self::tariff::DemonstrationTariff;
use crate::local_time::{LocalHour, LocalTime};
use crate::provider::rte_tempo::Colour;
use crate::table::{self, TableError};

/// Days before today from which the agendas are known.
const DAYS_BEFORE: i32 = 7;

/// And CO2: a forecast looks back at five weeks.
const CO2_DAYS_BEFORE: i32 = 36;

/// Days after today's midnight until which the agendas are known.
const DAYS_AFTER: i32 = 37;

const HOUR: Seconds = Seconds::new(3600);

/// The grid on which bookings under way are resumed.
const SLOT: Seconds = Seconds::new(900);

/// How long after `now` a booking starts at the earliest, so that there is time to make it.
const TIME_TO_BOOK: Seconds = Seconds::new(60);

/// A cluster and its grid, from a week ago until a month ahead.
#[derive(Clone, Debug)]
pub struct Demonstration {
    /// 44 nodes without `alpha`.
    pub nodes: Nodes,
    /// EUR per MWh: a Tempo-like contract.
    pub price: Agenda<EnergyPrice>,
    /// The contract's colours, by day in Paris.
    pub colours: BTreeMap<Date, Colour>,
    /// The contract's prices, by colour and hour.
    pub contract: Vec<ContractPrice>,
    /// By local hour of the week, from five weeks before the others.
    pub co2: Agenda<CarbonIntensity>,
    /// Between 60 % and 100 % of the cluster's maximum power, lowest from 18:00 to 20:00.
    pub power_cap: Agenda<Power>,
    /// What users have booked, in the order to book it; none starts before `now`.
    pub bookings: Vec<ExampleBooking>,
}

/// A reservation to make, at exactly its request's earliest start.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleBooking {
    /// The user who books.
    pub owner: Box<str>,
    /// What is asked for; its earliest and latest start are the same.
    pub request: Request,
}

/// Why there is no demonstration.
#[derive(Debug, thiserror::Error)]
pub enum DemonstrationError {
    /// A shipped file is not a table.
    #[error("demonstration/{file}: {}", listed(errors))]
    Table {
        /// The name of the file.
        file: &'static str,
        /// All errors of the file.
        errors: Vec<TableError>,
    },
    /// A shipped file lacks a row.
    #[error("demonstration/{file} lacks a row")]
    Incomplete {
        /// The name of the file.
        file: &'static str,
    },
    /// A shipped calendar is not in order.
    #[error("a demonstration agenda is not in order")]
    Agenda(#[from] AgendaError),
    /// A day is beyond the calendar.
    #[error("the days around now are beyond the calendar")]
    Calendar(#[from] jiff::Error),
}

/// The demonstration as it looks at `now`: from 7 days before the local midnight (CO2 from 36)
/// until 37 days after, a month ahead at least.
///
/// # Errors
/// Where the days around `now` are beyond the year 9999; else only if a shipped file is wrong.
pub fn demonstration(now: Timestamp) -> Result<Demonstration, DemonstrationError> {
    let local = LocalTime::paris()?;
    let today = local.date(now)?;
    let midnight = |day: i32| local.instant(today.checked_add(day.days())?, 0);
    let end = midnight(DAYS_AFTER)?;
    let from = |day: i32| {
        Span::new(midnight(-day)?, end)
            .ok_or(DemonstrationError::Incomplete { file: "calendar.csv" })
    };
    let covered = from(DAYS_BEFORE)?;

    let nodes = files::parse("nodes.csv", || table::nodes(files::NODES))?;
    let tariff = DemonstrationTariff::read(files::TARIFF, files::CALENDAR)?;
    let price = tariff
        .pieces(today, &local)?
        .into_iter()
        .filter_map(|piece| Some(Piece { span: piece.span.intersection(covered)?, ..piece }));
    let co2 = hourly(from(CO2_DAYS_BEFORE)?, &local, "co2.csv", files::co2(files::CO2)?)?;
    let power_cap = hourly(covered, &local, "power_cap.csv", files::power_cap(files::POWER_CAP)?)?;
    let mut bookings = Vec::new();
    for booking in files::bookings(files::BOOKINGS)? {
        let date = today.checked_add(booking.day.days())?;
        bookings.extend(upcoming(&booking, local.instant(date, booking.hour)?, now));
    }
    Ok(Demonstration {
        nodes,
        price: joined(price)?,
        colours: tariff.colours(today)?,
        contract: tariff.contract(),
        co2: joined(co2)?,
        power_cap: joined(power_cap)?,
        bookings,
    })
}

/// A value for each hour of `covered`, whose ends are full local hours.
fn hourly<V>(
    covered: Span,
    local: &LocalTime,
    file: &'static str,
    value: impl Fn(LocalHour) -> Option<V>,
) -> Result<Vec<Piece<V>>, DemonstrationError> {
    let mut pieces = Vec::new();
    let mut start = covered.start();
    while let Some(span) = Span::new(start, covered.end().min(start + HOUR)) {
        let value = value(local.hour(start)?).ok_or(DemonstrationError::Incomplete { file })?;
        pieces.push(Piece { span, value });
        start = span.end();
    }
    Ok(pieces)
}

/// An agenda of pieces in time order, in which touching pieces of one value become one.
fn joined<V: Copy + PartialEq>(
    pieces: impl IntoIterator<Item = Piece<V>>,
) -> Result<Agenda<V>, AgendaError> {
    let mut joined: Vec<Piece<V>> = Vec::new();
    for piece in pieces {
        let whole = joined
            .last()
            .filter(|last| last.value == piece.value && last.span.end() == piece.span.start())
            .and_then(|last| Span::new(last.span.start(), piece.span.end()));
        match (whole, joined.last_mut()) {
            (Some(span), Some(last)) => last.span = span,
            _ => joined.push(piece),
        }
    }
    Agenda::new(joined)
}

/// What is left of a booking, in whole slots where it is under way; `None` where it is over.
fn upcoming(booking: &RelativeBooking, start: Timestamp, now: Timestamp) -> Option<ExampleBooking> {
    let end = start + booking.duration;
    let start = if start < now + TIME_TO_BOOK { (now + TIME_TO_BOOK).ceil_to(SLOT) } else { start };
    let span = Span::new(start, end)?;
    let shape = Shape { nodes: booking.nodes, duration: span.length() };
    let request = Request::new(shape, start, start);
    Some(ExampleBooking { owner: booking.owner.clone(), request })
}

fn listed(errors: &[TableError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
