//! What the CO2 of the ledger and of reports rests on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::service::ledger::Co2Source;

/// A source of intensities, and by how much they may be off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Co2SourceDocument {
    /// `location`, by the grid's intensity, or `market`, by what the site bought (GHG Protocol, Scope 2).
    #[schema(example = "location")]
    pub method: String,
    /// A feed, `api`, or what the settings call the source of what the site bought; empty for what the site made itself.
    #[schema(example = "entsoe-fr")]
    pub source: String,
    /// `measured`, `forecast` or `estimated`; null by market.
    #[schema(example = "measured")]
    pub quality: Option<String>,
    /// Seconds of the time that is asked for in which it says the intensity.
    pub seconds: i64,
    /// By how much of itself the CO2 may be off, such as 0.05 for 5 %: half of the bands of forecasts, else as the
    /// settings say; null where neither says it.
    #[schema(example = 0.05)]
    pub error: Option<f64>,
}

impl From<Co2Source> for Co2SourceDocument {
    fn from(source: Co2Source) -> Self {
        let Co2Source { method, source, quality, length, error } = source;
        Self {
            method: method.word().to_owned(),
            source,
            quality: quality.map(|it| it.word().to_owned()),
            seconds: length.get(),
            error,
        }
    }
}
