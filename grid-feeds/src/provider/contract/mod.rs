//! A contract with an electricity supplier: prices by calendar, clock and colour.
//!
//! A price is `(energy + network fees + taxes) x (1 + VAT)`. The first rule that fits counts. Days
//! last from one local hour to the same hour of the next day; days of the clock's change have 23 or
//! 25 hours.

mod bands;
mod client;
mod settings;
mod tariff;
#[cfg(test)]
mod tests;

pub use bands::{Band, BandTime};
pub use client::Client;
pub use settings::{Days, Holidays, Rule, Settings};
pub use tariff::Tariff;
