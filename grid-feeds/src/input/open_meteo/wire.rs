//! What the interface answers: columns, of which one has the times.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::feed::Number;

/// The weather at the middle of a cell of the model's grid.
#[derive(Debug, Deserialize)]
pub struct Weather {
    /// Of the middle of the cell, in degrees.
    pub latitude: f64,
    /// Of the middle of the cell, in degrees.
    pub longitude: f64,
    /// What the local times are ahead of UTC.
    pub utc_offset_seconds: i64,
    /// The unit of each column.
    pub hourly_units: BTreeMap<Box<str>, Box<str>>,
    /// The columns, all as long as that of the times.
    pub(crate) hourly: BTreeMap<Box<str>, Vec<Option<Number>>>,
}
