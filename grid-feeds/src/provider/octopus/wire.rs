//! Pages of rates, the newest first.

use serde::Deserialize;

use crate::feed::Number;

/// A page.
#[derive(Debug, Deserialize)]
pub struct Page {
    /// Where the next one is; `null` on the last.
    pub next: Option<String>,
    /// Where the one before is.
    pub previous: Option<String>,
    /// The rates.
    pub results: Vec<Rate>,
}

/// Pence per kWh over a span.
#[derive(Debug, Deserialize)]
pub struct Rate {
    /// Without value-added tax.
    pub(crate) value_exc_vat: Option<Number>,
    /// With it.
    pub(crate) value_inc_vat: Option<Number>,
    /// The start.
    pub valid_from: String,
    /// The end; `null` for an open end.
    pub valid_to: Option<String>,
    /// `DIRECT_DEBIT`, `NON_DIRECT_DEBIT` or `null` for either.
    pub payment_method: Option<String>,
}
