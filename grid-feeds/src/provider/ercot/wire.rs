//! Rows of a report, whose columns it names.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A page of the report.
#[derive(Debug, Deserialize)]
pub struct Page {
    /// Which page it is.
    #[serde(rename = "_meta")]
    pub meta: Option<Meta>,
    /// What the columns are called.
    pub fields: Vec<Field>,
    /// The rows; each has a value for each column. May be left out where there are none.
    #[serde(default)]
    pub(crate) data: Vec<Vec<Box<RawValue>>>,
}

/// What is said about pages.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// How many there are.
    pub total_pages: Option<usize>,
}

/// A column.
#[derive(Debug, Deserialize)]
pub struct Field {
    /// Such as `hourEnding`.
    pub name: String,
}

/// The answer that grants a token.
#[derive(Deserialize)]
pub struct Token {
    /// What the interface takes as a token.
    pub id_token: String,
}
