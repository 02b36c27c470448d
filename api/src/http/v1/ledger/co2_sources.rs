//! What the CO2 of the ledger and of reports rests on.

use planner::json::co2_accounting::Co2AccountingDocument;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::service::ledger::Co2Source;
use crate::service::shared::provenance::Co2Accounting;

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
    /// How it is counted; null by market, and where nobody said it.
    #[serde(default)]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Seconds of the time that is asked for in which it says the intensity.
    pub seconds: i64,
    /// By how much of itself the CO2 may be off, such as 0.05 for 5 %: half of the bands of forecasts, else as the
    /// settings say; null where neither says it.
    #[schema(example = 0.05)]
    pub error: Option<f64>,
}

impl From<Co2Source> for Co2SourceDocument {
    fn from(source: Co2Source) -> Self {
        let Co2Source { method, source, quality, accounting, length, error } = source;
        Self {
            method: method.word().to_owned(),
            source,
            quality: quality.map(|it| it.word().to_owned()),
            co2_accounting: accounting.map(Co2Accounting::document),
            seconds: length.get(),
            error,
        }
    }
}

/// How CO2 by location is counted by all of its sources.
pub fn common_accounting(sources: &[Co2SourceDocument]) -> Option<Co2AccountingDocument> {
    let by_location = sources.iter().filter(|it| it.method == "location");
    Co2AccountingDocument::common(by_location.map(|it| it.co2_accounting.as_ref()))
}
