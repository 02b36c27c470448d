//! Series by metric, then by region and technology.

use serde::Deserialize;

use crate::feed::Number;

/// An answer of version 4 of the interface.
#[derive(Debug, Deserialize)]
pub struct NetworkAnswer {
    /// When it was made.
    pub created_at: Option<String>,
    /// Whether the question was answered.
    pub success: Option<bool>,
    /// The reason why it was not.
    pub error: Option<String>,
    /// A series for each metric that was asked for.
    pub data: Option<Vec<NetworkSeries>>,
}

/// One metric.
#[derive(Debug, Deserialize)]
pub struct NetworkSeries {
    /// `NEM`.
    pub network_code: String,
    /// `price` or `power`.
    pub metric: String,
    /// `$/MWh` or `MW`.
    pub unit: Option<String>,
    /// `5m`.
    pub interval: String,
    /// A series for each region and technology.
    pub results: Vec<RegionSeries>,
}

/// One region and technology.
#[derive(Debug, Deserialize)]
pub struct RegionSeries {
    /// What the values are of.
    pub columns: RegionColumns,
    /// When an interval ends, and its value.
    pub(crate) data: Vec<(String, Option<Number>)>,
}

/// The region and the technology of a series.
#[derive(Debug, Deserialize)]
pub struct RegionColumns {
    /// Such as `NSW1`.
    pub region: Option<String>,
    /// Such as `coal_black`, in small or large letters.
    pub fueltech: Option<String>,
}
