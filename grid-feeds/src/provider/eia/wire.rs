//! Pages of rows, one for each hour and fuel.

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/v2/electricity/rto/fuel-type-data/data/`.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// The page.
    pub response: Page,
}

/// A part of the rows that were asked for.
#[derive(Debug, Deserialize)]
pub struct Page {
    /// How many rows there are in all.
    pub(crate) total: Option<Number>,
    /// `hourly`, in UTC; `local-hourly` has other stamps.
    pub frequency: Option<String>,
    /// In the order asked for, if any.
    pub data: Vec<Row>,
    /// What is wrong with the answer, such as that it has not all rows.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// What one fuel generated in one hour.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row {
    /// The end of the hour, such as `2026-03-10T14`.
    pub period: String,
    /// The balancing authority, such as `CISO`.
    pub respondent: Option<String>,
    /// Such as `NG`.
    pub fueltype: String,
    /// Megawatt-hours: numbers until 2023, texts since.
    pub(crate) value: Option<Number>,
    /// `megawatthours`.
    pub value_units: Option<String>,
}

/// A warning.
#[derive(Debug, Deserialize)]
pub struct Warning {
    /// Such as `incomplete return`.
    pub warning: Option<String>,
    /// In words.
    pub description: Option<String>,
}
