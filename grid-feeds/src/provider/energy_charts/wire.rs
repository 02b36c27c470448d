//! Parallel arrays by Unix seconds.

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/price`.
#[derive(Debug, Deserialize)]
pub struct Prices {
    /// Starts.
    pub unix_seconds: Vec<i64>,
    /// As many values; `null` where there is none.
    pub(crate) price: Vec<Option<Number>>,
    /// `EUR / MWh`.
    pub unit: String,
    /// Whose data.
    pub license_info: Option<String>,
    /// The interface will go.
    #[serde(default)]
    pub deprecated: bool,
}

/// The answer of `/co2eq`.
#[derive(Debug, Deserialize)]
pub struct Co2Equivalents {
    /// Starts.
    pub unix_seconds: Vec<i64>,
    /// g/kWh so far.
    #[serde(default)]
    pub(crate) co2eq: Vec<Option<Number>>,
    /// g/kWh expected.
    #[serde(default)]
    pub(crate) co2eq_forecast: Vec<Option<Number>>,
    /// The interface will go.
    #[serde(default)]
    pub deprecated: bool,
}
