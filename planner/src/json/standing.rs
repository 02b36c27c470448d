//! How accounts stand as documents.

use serde::Serialize;

use crate::fair_share::Advice;
use crate::time::Timestamp;

/// What an offer would do to how its account stands.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferStandingDocument {
    /// The factor now, from 0 to 1: the higher, the better the account stands.
    #[cfg_attr(feature = "openapi", schema(example = 0.968))]
    pub factor: f64,
    /// The factor once this offer is booked, all of which counts at once.
    #[cfg_attr(feature = "openapi", schema(example = 0.951))]
    pub factor_after: f64,
    /// What counts of it, in the unit of what the site counts: joules, seconds of nodes, the currency or grams.
    #[cfg_attr(feature = "openapi", schema(example = 1_620_000.0))]
    pub uses: f64,
}

/// How the account stands that a request is for, and how it can stand better.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StandingDocument {
    /// The user.
    #[cfg_attr(feature = "openapi", schema(example = "ada"))]
    pub account: String,
    /// The project that it is for; empty for none.
    #[cfg_attr(feature = "openapi", schema(example = "ocean"))]
    pub parent: String,
    /// What counts: `energy`, `node_seconds`, `cost` or `co2`.
    #[cfg_attr(feature = "openapi", schema(example = "energy"))]
    pub counts: &'static str,
    /// The factor now, from 0 to 1: the higher, the better the account stands.
    #[cfg_attr(feature = "openapi", schema(example = 0.968))]
    pub factor: f64,
    /// How much more may be used until the factor is a half, in the unit of what counts; null where nothing counts, since there
    /// was nothing to use.
    pub until_half: Option<f64>,
    /// What can be done about it.
    pub advice: Vec<AdviceDocument>,
}

/// How an account can stand better, or what it may do.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AdviceDocument {
    /// `wait`: use nothing until `at`; `least_used`: take the offer at the position `offer`; `until_half`: use no more than
    /// that.
    #[cfg_attr(feature = "openapi", schema(example = "wait"))]
    pub code: String,
    /// The instant of `wait`, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub at: Option<String>,
    /// The position of an offer among `offers`, from 0, of `least_used`.
    pub offer: Option<usize>,
    /// The factor that follows.
    pub factor: Option<f64>,
    /// The same in words.
    pub detail: String,
}

impl AdviceDocument {
    /// Advice with what tells it in words.
    pub fn new(advice: Advice, detail: String) -> Self {
        let (code, at, offer, factor) = match advice {
            Advice::Wait { until, factor, .. } => ("wait", Some(until), None, factor),
            Advice::LeastUsed { offer, factor, .. } => ("least_used", None, Some(offer), factor),
            Advice::UntilHalf { .. } => ("until_half", None, None, 0.5),
        };
        let at = at.map(|at: Timestamp| at.to_string());
        Self { code: code.to_owned(), at, offer, factor: Some(factor), detail }
    }
}
