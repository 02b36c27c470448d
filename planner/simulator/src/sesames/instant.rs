//! Instants read from documents.

use planner::time::Timestamp;
use serde::{Deserialize, Deserializer};

/// Reads an RFC 3339 time.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    Timestamp::parse(&text).map_err(|error| serde::de::Error::custom(format!("{text:?} {error}")))
}
