//! What offers rest on, as documents.

use serde::Serialize;

use super::co2_accounting::Co2AccountingDocument;
use crate::time::Timestamp;

/// One of the things that a decision rests on: values of one source, as known at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BasisDocument {
    /// `price`, `co2` or `power_cap`.
    #[cfg_attr(feature = "openapi", schema(example = "price"))]
    pub quantity: &'static str,
    /// The name of the source; empty for what the site made itself.
    #[cfg_attr(feature = "openapi", schema(example = "entsoe-fr"))]
    pub source: String,
    /// `put` (by hand or by the supplier through the API), `fresh`, `last_good` (the source is
    /// late), `contract`, `forecast` (the site's own) or `safe_mode` (no cap is known).
    #[cfg_attr(feature = "openapi", schema(example = "fresh"))]
    pub standing: &'static str,
    /// `measured` (or binding as published), `forecast` or `estimated`.
    #[cfg_attr(feature = "openapi", schema(example = "measured"))]
    pub quality: &'static str,
    /// When the supplier says it issued these values, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub issued_at: Option<Timestamp>,
    /// When they were first received, RFC 3339; null for what the site made itself.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub received_at: Option<Timestamp>,
    /// Of CO2: how it is counted; absent of other quantities, and where nobody said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_accounting: Option<Co2AccountingDocument>,
}
