//! Values, under one of three names.

use serde::Deserialize;

use crate::feed::Number;

/// The answers of `history`, `past-range` and `forecast`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The zone that the data is of.
    pub zone: Option<String>,
    /// Of `history`.
    #[serde(default)]
    pub history: Vec<Hour>,
    /// Of `past-range`, and of `history` in newer answers.
    #[serde(default)]
    pub data: Vec<Hour>,
    /// Of `forecast`.
    #[serde(default)]
    pub forecast: Vec<Hour>,
    /// Of the forecast.
    pub updated_at: Option<String>,
    /// `hourly` where absent.
    pub temporal_granularity: Option<String>,
    /// `lifecycle` or `direct`, of all values; of version 4.
    pub emission_factor_type: Option<String>,
    /// `gCO2eq/kWh`; of version 4.
    pub unit: Option<String>,
}

/// A value; `datetime` is the start.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hour {
    /// Whose, where hours say it themselves.
    pub zone: Option<String>,
    /// The start, with milliseconds.
    pub datetime: String,
    /// g/kWh; `null` where unknown.
    pub(crate) carbon_intensity: Option<Number>,
    /// `lifecycle` or `direct`.
    pub emission_factor_type: Option<String>,
    /// Not measured.
    #[serde(default)]
    pub is_estimated: Option<bool>,
    /// How it was estimated.
    pub estimation_method: Option<String>,
    /// When the value was last changed.
    pub updated_at: Option<String>,
    /// Whether imports are traced to where they were generated; of version 4.
    pub flow_traced: Option<bool>,
    /// How long the value holds, where values say it themselves; of version 4.
    pub temporal_granularity: Option<String>,
}
