//! A list of days, each with curves of numbered values.

use serde::Deserialize;

/// The answer: `<liste>`.
#[derive(Debug, Deserialize)]
pub struct DayList {
    /// The time of answering in Paris, such as `2024-05-17 09:21:09`.
    #[serde(rename = "date_actuelle")]
    pub answered: Option<String>,
    /// Up to this day values are consolidated.
    #[serde(rename = "date_consolidee")]
    pub consolidated: Option<String>,
    /// The days.
    #[serde(rename = "mixtr", default)]
    pub days: Vec<MixDay>,
}

/// A day in Paris.
#[derive(Debug, Deserialize)]
pub struct MixDay {
    /// `YYYY-MM-DD`.
    #[serde(rename = "@date")]
    pub date: String,
    /// What is told of it.
    #[serde(rename = "type", default)]
    pub curves: Vec<MixCurve>,
}

/// The values of one quantity.
#[derive(Debug, Deserialize)]
pub struct MixCurve {
    /// `Taux de Co2`.
    #[serde(rename = "@v")]
    pub quantity: Option<String>,
    /// `France`.
    #[serde(rename = "@perimetre")]
    pub perimeter: Option<String>,
    /// `Global`: of all kinds of generation.
    #[serde(rename = "@granularite")]
    pub granularity: Option<String>,
    /// The values, by number.
    #[serde(rename = "valeur", default)]
    pub values: Vec<PeriodValue>,
}

/// A value of a quarter-hour.
#[derive(Debug, Deserialize)]
pub struct PeriodValue {
    /// Its number in the day, from 0.
    #[serde(rename = "@periode")]
    pub period: String,
    /// g/kWh; `ND`, `-` or nothing where it is not known.
    #[serde(rename = "$text")]
    pub text: Option<String>,
}
