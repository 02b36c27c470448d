//! A file of comma-separated values, or an XML document that says why there is none.

use serde::Deserialize;

/// A part of the price of an hour.
#[derive(Debug, Deserialize)]
pub struct Row {
    /// The start in UTC, such as `2026-07-14T07:00:00-00:00`.
    #[serde(rename = "INTERVALSTARTTIME_GMT")]
    pub start: String,
    /// The end in UTC.
    #[serde(rename = "INTERVALENDTIME_GMT")]
    pub end: String,
    /// The day of the market.
    #[serde(rename = "OPR_DT")]
    pub day: String,
    /// Of which node.
    #[serde(rename = "NODE")]
    pub node: String,
    /// `DAM`, the day-ahead market.
    #[serde(rename = "MARKET_RUN_ID")]
    pub market: String,
    /// `LMP`, the whole price; its parts are `MCC`, `MCE`, `MCL` and `MGHG`.
    #[serde(rename = "LMP_TYPE")]
    pub part: String,
    /// USD/MWh, whatever the column is called; empty where there is none.
    #[serde(rename = "MW")]
    pub(crate) price: String,
}

/// The document of a refusal.
#[derive(Debug, Deserialize)]
pub struct OasisReport {
    /// All but the head.
    #[serde(rename = "MessagePayload")]
    pub payload: OasisPayload,
}

/// What a refusal says.
#[derive(Debug, Deserialize)]
pub struct OasisPayload {
    /// Whose market it is.
    #[serde(rename = "RTO")]
    pub operator: OasisOperator,
}

/// What the market's operator says.
#[derive(Debug, Deserialize)]
pub struct OasisOperator {
    /// Why there are no prices.
    #[serde(rename = "ERROR")]
    pub error: OasisError,
}

/// Why there are no prices.
#[derive(Debug, Deserialize)]
pub struct OasisError {
    /// From 1000 to 1020.
    #[serde(rename = "ERR_CODE")]
    pub code: String,
    /// The code in words.
    #[serde(rename = "ERR_DESC", default)]
    pub words: String,
}
