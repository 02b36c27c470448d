//! A contract like the French Tempo tariff: each day is blue, white or red, and each colour has a
//! price for peak (06:00 to 22:00) and off-peak hours.
//!
//! The tariff day runs from 06:00 to 06:00 local time, so that a night belongs to the day before it.
//! A red day never falls on a Saturday or Sunday, nor a white one on a Sunday: there the calendar's
//! colour gives way to the next milder one that may. Every off-peak price is below every peak price,
//! so that a night is the cheapest time whatever the colours around it.
//!
//! ```text
//!          06:00            22:00        06:00            22:00
//!   ... blue |  white peak    |  white     |   red peak     |  red ...
//!   off-peak |                |  off-peak  |                |  off-peak
//! ```

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use planner::agenda::Piece;
use planner::quantity::EnergyPrice;
use planner::time::Span;

use super::DemonstrationError;
use super::files::parse;
use crate::local_time::LocalTime;
use crate::provider::rte_tempo::Colour;
use crate::table::{Columns, read};

/// Local hour at which the tariff day and its peak begin.
const PEAK_STARTS: i8 = 6;

/// Local hour at which the peak ends.
const PEAK_ENDS: i8 = 22;

const PRICES: Columns = Columns { required: &["colour", "hours", "price_per_mwh"], optional: &[] };
const CALENDAR: Columns = Columns { required: &["day", "colour"], optional: &[] };

/// Prices in EUR per MWh by colour, in the order blue, white, red.
#[derive(Default)]
struct Prices {
    off_peak: [Option<EnergyPrice>; 3],
    peak: [Option<EnergyPrice>; 3],
}

/// A price of the contract, whose days begin with the peak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractPrice {
    /// On days of this colour ...
    pub colour: Colour,
    /// ... from this time of the clock, such as `22:00` ...
    pub from: String,
    /// ... to this, perhaps of the next morning.
    pub to: String,
    /// Per MWh.
    pub price: EnergyPrice,
}

/// The contract: prices, and colours by day relative to today.
pub(super) struct DemonstrationTariff {
    prices: Prices,
    days: Vec<(i32, Colour)>,
}

impl DemonstrationTariff {
    /// Reads the price list and the calendar.
    pub fn read(prices: &str, calendar: &str) -> Result<Self, DemonstrationError> {
        let prices = read_prices(prices)?;
        let days = parse("calendar.csv", || {
            read(calendar, &CALENDAR, |row, errors| {
                let day = row.accept(0, errors, row.text(0).parse::<i32>());
                let colour = row.accept(1, errors, parse_colour(row.text(1)));
                Some((day?, colour?))
            })
        })?;
        Ok(Self { prices, days })
    }

    /// The colour of every day of the calendar.
    pub fn colours(&self, today: Date) -> Result<BTreeMap<Date, Colour>, DemonstrationError> {
        let colour = |&(day, colour): &(i32, Colour)| {
            let date = today.checked_add(day.days())?;
            Ok((date, allowed_on(colour, date.weekday())))
        };
        self.days.iter().map(colour).collect()
    }

    /// The prices of each colour.
    pub fn contract(&self) -> Vec<ContractPrice> {
        let hours = [
            (PEAK_STARTS, PEAK_ENDS, &self.prices.peak),
            (PEAK_ENDS, PEAK_STARTS, &self.prices.off_peak),
        ];
        let of_colour = |colour: Colour| {
            hours.into_iter().filter_map(move |(from, to, prices)| {
                let price = prices[colour as usize]?;
                let clock = |hour| format!("{hour:02}:00");
                Some(ContractPrice { colour, from: clock(from), to: clock(to), price })
            })
        };
        [Colour::Blue, Colour::White, Colour::Red].into_iter().flat_map(of_colour).collect()
    }

    /// Peak and off-peak pieces of every day of the calendar, in time order.
    pub fn pieces(
        &self,
        today: Date,
        local: &LocalTime,
    ) -> Result<Vec<Piece<EnergyPrice>>, DemonstrationError> {
        let mut pieces = Vec::with_capacity(2 * self.days.len());
        for (date, colour) in self.colours(today)? {
            let peak_start = local.instant(date, PEAK_STARTS)?;
            let peak_end = local.instant(date, PEAK_ENDS)?;
            let day_end = local.instant(date.tomorrow()?, PEAK_STARTS)?;
            for (start, end, prices) in [
                (peak_start, peak_end, &self.prices.peak),
                (peak_end, day_end, &self.prices.off_peak),
            ] {
                let span = Span::new(start, end);
                let value = prices[colour as usize];
                let (Some(span), Some(value)) = (span, value) else {
                    return Err(DemonstrationError::Incomplete { file: "tariff.csv" });
                };
                pieces.push(Piece { span, value });
            }
        }
        Ok(pieces)
    }
}

fn read_prices(text: &str) -> Result<Prices, DemonstrationError> {
    let mut prices = Prices::default();
    parse("tariff.csv", || {
        read(text, &PRICES, |row, errors| {
            let colour = row.accept(0, errors, parse_colour(row.text(0)))?;
            let by_colour = match row.text(1) {
                "off-peak" => &mut prices.off_peak,
                "peak" => &mut prices.peak,
                _ => {
                    row.error(1, errors, "must be off-peak or peak");
                    return None;
                }
            };
            let millionths = row.millionths(2, errors)?;
            by_colour[colour as usize] = EnergyPrice::from_millionths_per_mwh(millionths);
            Some(())
        })
    })?;
    Ok(prices)
}

fn parse_colour(word: &str) -> Result<Colour, &'static str> {
    match word {
        "blue" => Ok(Colour::Blue),
        "white" => Ok(Colour::White),
        "red" => Ok(Colour::Red),
        _ => Err("must be blue, white or red"),
    }
}

fn allowed_on(colour: Colour, weekday: Weekday) -> Colour {
    match (colour, weekday) {
        (Colour::Red, Weekday::Saturday) => Colour::White,
        (Colour::Red | Colour::White, Weekday::Sunday) => Colour::Blue,
        (colour, _) => colour,
    }
}
