//! Documents that were XML: lists of one are no lists, attributes begin with `@`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::feed::Number;

/// The answer for a day.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// The hours, in one list.
    #[serde(rename = "HourlyLmps")]
    pub lists: Listed<Hours>,
}

/// The hours of a day.
#[derive(Debug, Deserialize)]
pub struct Hours {
    /// One by one.
    #[serde(rename = "HourlyLmp", default)]
    pub hours: Listed<Hour>,
}

/// The price of an hour.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Hour {
    /// The start, with the offset of New England.
    pub begin_date: String,
    /// The location that it holds for.
    pub location: Location,
    /// USD/MWh, with congestion and losses.
    pub(crate) lmp_total: Option<Number>,
}

/// A location.
#[derive(Debug, Deserialize)]
pub struct Location {
    /// Such as `4000`.
    #[serde(rename = "@LocId")]
    pub(crate) id: Number,
}

/// What there may be many of: a list, a single one, or none as empty text or `null`.
#[derive(Debug)]
pub struct Listed<T>(pub Vec<T>);

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let members = match raw.get() {
            "null" | "\"\"" => Ok(Vec::new()),
            text if text.starts_with('[') => serde_json::from_str(text),
            text => serde_json::from_str(text).map(|member| vec![member]),
        };
        members.map(Self).map_err(serde::de::Error::custom)
    }
}
