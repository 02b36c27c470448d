//! Rows, one for each time and kind of generation, and the token by which they are told.

use serde::Deserialize;

use crate::feed::Number;

/// The answer of `/generation/v2.0/actual-generation`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// How the question went.
    pub result: Outcome,
    /// In any order.
    pub actual_generation: Option<Vec<Row>>,
}

/// How a question went.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// In words, with the days that were asked for.
    pub message: Option<String>,
    /// `Completed`.
    pub status: Option<String>,
}

/// What one kind generated from one time on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The start by the clock of Italy, such as `2026-03-10 14:15:00`.
    pub date: String,
    /// `Europe/Rome`.
    pub date_tz: Option<String>,
    /// How far that clock is ahead of UTC, such as `+01:00`.
    pub date_offset: String,
    /// Named energy; of quarter-hours it is the mean power in GW.
    #[serde(rename = "actual_generation_GWh")]
    pub(crate) generation: Option<Number>,
    /// Such as `Thermal`.
    pub primary_source: String,
}

/// The answer of the token's address.
#[derive(Deserialize)]
pub struct Token {
    /// To be sent with each request.
    pub access_token: String,
    /// Seconds.
    pub expires_in: i64,
}
