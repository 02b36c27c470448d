//! Pages of rows.

use serde::Deserialize;

use crate::feed::Number;

/// A page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// The rows, in any order.
    pub items: Vec<Row>,
    /// How many there are on all pages.
    pub total_rows: usize,
}

/// The price of an hour.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// The start in UTC, without an offset.
    pub datetime_beginning_utc: String,
    /// What the clock of Philadelphia shows then.
    pub datetime_beginning_ept: Option<String>,
    /// Of which node.
    pub(crate) pnode_id: Number,
    /// USD/MWh, with congestion and losses.
    pub(crate) total_lmp_da: Option<Number>,
    /// Whether no later version replaces it.
    pub row_is_current: Option<bool>,
    /// Which version it is.
    pub version_nbr: Option<i64>,
}
