//! Hours in milliseconds.

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/marketdata`.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// The path that was asked for, which begins with the country.
    pub url: Option<String>,
    /// The hours.
    pub data: Vec<Hour>,
}

/// A price and when it holds.
#[derive(Debug, Deserialize)]
pub struct Hour {
    /// Milliseconds since the epoch.
    pub start_timestamp: i64,
    /// Milliseconds since the epoch.
    pub end_timestamp: i64,
    /// May be negative.
    pub(crate) marketprice: Number,
    /// `Eur/MWh`.
    pub unit: String,
}
