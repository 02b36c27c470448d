//! A day of prices of several areas, in the shapes of the portal and of the data service.

use std::collections::HashMap;

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/api/DayAheadPrices`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Day {
    /// `YYYY-MM-DD`.
    #[serde(rename = "deliveryDateCET")]
    pub date: Option<String>,
    /// `DayAhead`.
    pub market: Option<String>,
    /// Of the prices.
    pub currency: String,
    /// When the answer was last changed.
    pub updated_at: Option<String>,
    /// One for each quarter-hour or hour.
    pub multi_area_entries: Vec<Entry>,
    /// Whether an area's prices are final.
    #[serde(default)]
    pub area_states: Vec<State>,
}

/// Prices of all areas asked for over a span.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// In UTC.
    pub delivery_start: String,
    /// In UTC.
    pub delivery_end: String,
    /// Currency per MWh.
    #[serde(rename = "entryPerArea")]
    pub(crate) prices: HashMap<String, Option<Number>>,
}

/// A state and the areas in it.
#[derive(Debug, Deserialize)]
pub struct State {
    /// `Final` or `Preliminary`.
    pub state: String,
    /// The areas.
    pub areas: Vec<String>,
}

/// A day of one area, of which `/api/v2/Auction/Prices/ByAreas` has a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AreaDay {
    /// `YYYY-MM-DD`.
    #[serde(rename = "deliveryDateCET")]
    pub date: Option<String>,
    /// `DayAhead`.
    pub market: Option<String>,
    /// Whose prices.
    pub delivery_area: String,
    /// `Final` or `Preliminary`; `Missing` where there are none.
    pub status: Option<String>,
    /// Such as `EUR/MWh`.
    pub unit: Option<String>,
    /// Of the prices.
    pub currency: String,
    /// When the answer was last changed.
    pub updated_at: Option<String>,
    /// One for each quarter-hour, half-hour or hour.
    #[serde(default)]
    pub prices: Vec<AreaPrice>,
}

/// A price over a span.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AreaPrice {
    /// In UTC.
    pub delivery_start: String,
    /// In UTC.
    pub delivery_end: String,
    /// Currency per MWh.
    pub(crate) price: Option<Number>,
}

/// The answer of `/connect/token`.
#[derive(Debug, Deserialize)]
pub struct DataToken {
    /// The token.
    pub access_token: String,
    /// For so many seconds.
    pub expires_in: i64,
}
