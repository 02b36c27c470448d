//! Rows of the data sets.

use serde::Deserialize;

use crate::feed::Number;

/// Rows with what is said about them; streams are the rows alone.
#[derive(Debug, Deserialize)]
pub struct RowsOfElexon<T> {
    /// The rows.
    pub data: Vec<T>,
}

/// The market index of a half-hour at one provider of such indices.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexRow {
    /// In UTC.
    pub start_time: String,
    /// Such as `APXMIDP`.
    pub data_provider: String,
    /// The day in London, `YYYY-MM-DD`.
    pub settlement_date: Option<String>,
    /// The half-hour of that day, from 1 to 46, 48 or 50.
    pub settlement_period: Option<i64>,
    /// GBP per MWh; 0 where nothing was traded.
    pub(crate) price: Option<Number>,
    /// MWh that were traded.
    pub(crate) volume: Option<Number>,
}

/// What one kind of power station generated.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FuelRow {
    /// `FUELINST` or `FUELHH`.
    pub dataset: Option<String>,
    /// In UTC.
    pub publish_time: Option<String>,
    /// In UTC.
    pub start_time: String,
    /// Such as `CCGT`; `INTFR` and the like are interconnectors.
    pub fuel_type: String,
    /// Megawatts.
    pub(crate) generation: Option<Number>,
}
