//! Pages of rates, the newest first, and pages of products.

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

/// A page of the products that are sold at an instant.
#[derive(Debug, Deserialize)]
pub struct ProductPage {
    /// Where the next one is; `null` on the last.
    pub next: Option<String>,
    /// The products.
    pub results: Vec<Product>,
}

/// What is sold.
#[derive(Debug, Deserialize)]
pub struct Product {
    /// Such as `AGILE-24-10-01`.
    pub code: String,
    /// `IMPORT`, what is bought, or `EXPORT`, what is fed in.
    pub direction: Option<String>,
    /// Such as `OCTOPUS_ENERGY`.
    pub brand: Option<String>,
    /// From when new agreements are made on it.
    pub available_from: Option<String>,
    /// Until when; `null` as long as its end is not known.
    pub available_to: Option<String>,
}
