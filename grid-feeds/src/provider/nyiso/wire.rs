//! Rows of a file, one for each hour and zone.

use serde::Deserialize;

/// A price of one zone in one hour; the other columns are its parts.
#[derive(Debug, Deserialize)]
pub struct Row {
    /// The beginning of the hour as clocks in New York show it, such as `03/10/2026 14:00`.
    #[serde(rename = "Time Stamp")]
    pub time_stamp: String,
    /// The zone, such as `N.Y.C.`.
    #[serde(rename = "Name")]
    pub name: String,
    /// The number of the zone's point, such as `61761`.
    #[serde(rename = "PTID")]
    pub point: String,
    /// USD/MWh.
    #[serde(rename = "LBMP ($/MWHr)")]
    pub price: String,
}
