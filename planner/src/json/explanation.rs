//! Explanations as documents.

use serde::Serialize;

use super::savings::SavingsDocument;
use crate::search::{Explanation, RankingExplanation, StartValues};
use crate::slower_states::Speed;
use crate::time::Timestamp;

/// What lies beside the best start of each ranking.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplanationDocument {
    /// One for each of the six, in the order of the paper's Algorithm 1.
    pub rankings: Vec<RankingExplanationDocument>,
}

/// What lies beside one ranking's best start; absent where there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RankingExplanationDocument {
    /// Which ranking.
    #[cfg_attr(feature = "openapi", schema(example = "cost_co2_energy"))]
    pub ranking: String,
    /// The start that wins it.
    pub best: Option<StartDocument>,
    /// The one that would win if nothing could begin at that instant.
    pub next_best: Option<StartDocument>,
    /// What the best start saves against the next best.
    pub saves_against_next_best: Option<SavingsDocument>,
    /// The one that would win if everything could begin, and be over, an hour later.
    pub one_more_hour: Option<StartDocument>,
    /// What that would save against the best start.
    pub one_more_hour_saves: Option<SavingsDocument>,
}

/// A start and what it would consume; where the site counts idle energy, with what it would change of that, as rankings compare.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StartDocument {
    /// RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub end: Timestamp,
    /// How many nodes it takes.
    pub node_count: u32,
    /// Joules.
    pub energy_j: f64,
    /// In units of `currency`.
    pub cost: f64,
    /// ISO 4217.
    #[cfg_attr(feature = "openapi", schema(example = "EUR"))]
    pub currency: String,
    /// Grams of CO2.
    pub co2_g: f64,
    /// How fast nodes compute, a share of full speed; absent at full speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
}

impl ExplanationDocument {
    /// An explanation in words and numbers.
    pub fn new(explanation: &Explanation) -> Self {
        Self {
            rankings: explanation.rankings.iter().map(RankingExplanationDocument::new).collect(),
        }
    }
}

impl RankingExplanationDocument {
    fn new(explanation: &RankingExplanation) -> Self {
        let start = |start: &Option<StartValues>| start.as_ref().map(StartDocument::new);
        Self {
            ranking: explanation.ranking.to_string(),
            best: start(&explanation.best),
            next_best: start(&explanation.next_best),
            saves_against_next_best: explanation
                .saves_against_next_best()
                .map(SavingsDocument::new),
            one_more_hour: start(&explanation.one_more_hour),
            one_more_hour_saves: explanation.one_more_hour_saves().map(SavingsDocument::new),
        }
    }
}

impl StartDocument {
    fn new(start: &StartValues) -> Self {
        Self {
            start: start.span.start(),
            end: start.span.end(),
            node_count: start.nodes,
            energy_j: start.values.energy.as_joules(),
            cost: start.values.cost.as_units(),
            currency: start.values.cost.currency().to_string(),
            co2_g: start.values.co2.as_grams(),
            speed: (start.speed < Speed::FULL).then(|| start.speed.as_share()),
        }
    }
}
