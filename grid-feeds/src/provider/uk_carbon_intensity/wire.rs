//! Half-hours; national answers list them, regional ones wrap the list in an object.

use serde::Deserialize;

use crate::feed::Number;

/// Any answer; `{}` beyond the horizon.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// Half-hours or a region.
    pub(crate) data: Option<Box<serde_json::value::RawValue>>,
    /// Why not.
    pub error: Option<Refusal>,
}

/// A region with its half-hours.
#[derive(Debug, Deserialize)]
pub struct Region {
    /// 1 to 18.
    #[serde(rename = "regionid")]
    pub id: Option<u8>,
    /// The half-hours.
    pub data: Vec<HalfHour>,
}

/// A half-hour, its ends without seconds.
#[derive(Debug, Deserialize)]
pub struct HalfHour {
    /// The start.
    pub from: String,
    /// The end.
    pub to: String,
    /// g/kWh.
    pub intensity: Intensity,
}

/// g/kWh; regions have no `actual`.
#[derive(Debug, Deserialize)]
pub struct Intensity {
    /// Expected, or what was expected.
    pub(crate) forecast: Option<Number>,
    /// Measured; `null` for what is to come and for a while after.
    pub(crate) actual: Option<Number>,
}

/// Why there is no answer.
#[derive(Debug, Deserialize)]
pub struct Refusal {
    /// Such as `400 Bad Request`.
    pub code: Option<String>,
    /// In words.
    pub message: Option<String>,
}
