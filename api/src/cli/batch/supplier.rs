//! Prices, CO2, caps and reservations from tables, in simulated time.

use std::io::Read;
use std::path::Path;

use batch::reservation::{Reservation, reservations};
use batch::steps::Steps;
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use grid_feeds::table::{self, TableError};
use planner::agenda::Agenda;
use planner::time::Timestamp;

use super::arguments::Supplier;
use super::files::{bad_input, open};
use crate::cli::Failure;

/// The tables that are given.
pub fn tables(supplier: &Supplier) -> Result<SupplierTables, Failure> {
    let Some(origin) = supplier.origin else { return Ok(SupplierTables::default()) };
    let (price, co2, cap) = (&supplier.price, &supplier.co2, &supplier.cap);
    Ok(SupplierTables {
        price: steps(price.as_deref(), origin, table::price_agenda)?,
        co2: steps(co2.as_deref(), origin, table::co2_agenda)?,
        cap: steps(cap.as_deref(), origin, table::power_cap_agenda)?,
    })
}

fn steps<V: Copy>(
    file: Option<&Path>,
    origin: Timestamp,
    read: impl Fn(&str) -> Result<Agenda<V>, Vec<TableError>>,
) -> Result<Option<Steps<V>>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let mut text = String::new();
    open(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
    let named = |error: &TableError| format!("{}: {error}", file.display());
    let agenda = read(&text);
    let agenda = agenda
        .map_err(|errors| Failure::BadInput(errors.iter().map(named).collect::<Vec<String>>()))?;
    let pieces = agenda.pieces().iter().map(|piece| {
        let (from, until) = (piece.span.start(), piece.span.end());
        (since(origin, from), since(origin, until), piece.value)
    });
    Ok(Some(Steps::of(pieces)))
}

/// The reservations that are given, on `machines` machines.
pub fn reserved(supplier: &Supplier, machines: u32) -> Result<Vec<Reservation>, Failure> {
    let Some(file) = supplier.reservations.as_deref() else { return Ok(Vec::new()) };
    let instant = |text: &str| match (text.parse::<f64>(), supplier.origin) {
        (Ok(seconds), _) => {
            Time::from_seconds_f64(seconds).ok_or_else(|| format!("{text:?} is not a time"))
        }
        (Err(_), Some(origin)) => match Timestamp::parse(text) {
            Ok(instant) => Ok(since(origin, instant)),
            Err(error) => Err(format!("{text:?} {error}")),
        },
        (Err(_), None) => Err(format!("{text:?} needs --origin, or is not a time in seconds")),
    };
    reservations(open(file)?, machines, instant).map_err(|error| bad_input(file, error))
}

const fn since(origin: Timestamp, instant: Timestamp) -> Time {
    Time::from_seconds(instant.as_unix_seconds() - origin.as_unix_seconds())
}
