//! Points with what they mean.

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/login`.
#[derive(Deserialize)]
pub struct Login {
    /// Valid for half an hour.
    pub token: String,
}

/// The answers of `/v3/forecast` and `/v3/historical`.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// The points.
    pub data: Vec<Point>,
    /// What they mean.
    pub meta: Meta,
}

/// A value from an instant on.
#[derive(Debug, Deserialize)]
pub struct Point {
    /// The start.
    pub point_time: String,
    /// In the unit of the answer.
    pub(crate) value: Option<Number>,
}

/// What points mean.
#[derive(Debug, Deserialize)]
pub struct Meta {
    /// The region that the data is of.
    pub region: Option<String>,
    /// `co2_moer` or `co2_aoer`.
    pub signal_type: String,
    /// `lbs_co2_per_mwh`.
    pub units: String,
    /// How long a value holds.
    pub data_point_period_seconds: i64,
    /// Of a forecast.
    pub generated_at: Option<String>,
    /// What computed them.
    pub model: Option<Model>,
    /// What is wrong with them.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// What computed the values.
#[derive(Debug, Deserialize)]
pub struct Model {
    /// Another date is another model.
    pub date: Option<String>,
}

/// What is wrong with an answer.
#[derive(Debug, Deserialize)]
pub struct Warning {
    /// In words.
    pub message: Option<String>,
}
