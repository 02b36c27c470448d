//! Records under the names of their columns, which differ from data set to data set.

use serde::Deserialize;

use crate::feed::Number;

/// A page of a data set.
#[derive(Debug, Deserialize)]
pub struct RecordPage<R> {
    /// The data set that the records are of.
    pub dataset: Option<String>,
    /// The most records that the page may have; 0 and nothing are no bound.
    #[serde(default)]
    pub limit: usize,
    /// The newest first, unless another order was asked for.
    pub records: Vec<R>,
}

/// A price; amounts are `null` where they are not known, as those in kroner are before the rate of
/// exchange is.
#[derive(Debug, Deserialize)]
pub struct PriceRecord {
    /// The start in UTC, without an offset.
    #[serde(rename = "TimeUTC", alias = "HourUTC")]
    pub start: String,
    /// Such as `DK1`.
    #[serde(rename = "PriceArea")]
    pub area: Option<String>,
    /// Kroner per MWh.
    #[serde(rename = "DayAheadPriceDKK", alias = "SpotPriceDKK")]
    pub(crate) kroner: Option<Number>,
    /// Euros per MWh.
    #[serde(rename = "DayAheadPriceEUR", alias = "SpotPriceEUR")]
    pub(crate) euros: Option<Number>,
}

/// The intensity of five minutes.
#[derive(Debug, Deserialize)]
pub struct EmissionRecord {
    /// The start in UTC, without an offset.
    #[serde(rename = "Minutes5UTC")]
    pub start: String,
    /// `DK1` or `DK2`.
    #[serde(rename = "PriceArea")]
    pub area: Option<String>,
    /// g/kWh.
    #[serde(rename = "CO2Emission")]
    pub(crate) grams: Option<Number>,
}
