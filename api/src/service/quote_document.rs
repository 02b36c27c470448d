//! Decisions as the service answers them.

use planner::decision::{Decision, Offer};
use planner::json::decision::{DecisionDocument, OfferDocument, ReasonDocument, SavingsDocument};
use planner::json::explanation::ExplanationDocument;
use planner::node::Nodes;
use planner::order::NodeOrder;
use planner::search::Explanation;
use planner::time::Timestamp;

/// What is possible for a request.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct QuoteDocument {
    /// `choice`, `optimum` or `impossible`.
    #[schema(example = "choice")]
    pub decision: &'static str,
    /// The starts looked at before feasibility.
    pub candidate_starts: u64,
    /// Why starts were excluded; each counts once.
    pub reasons: Vec<ReasonDocument>,
    /// The first feasible start.
    pub as_soon_as_possible: Option<OfferDocument>,
    /// The offers to choose from, in time order.
    pub offers: Vec<OfferDocument>,
    /// The starts that no other beats in energy, cost, CO2 and delay, in time order.
    pub pareto: Vec<ParetoDocument>,
    /// What lies beside the best starts, where `explain` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationDocument>,
}

/// A start on the Pareto front. Which nodes it takes is told unless `pareto_nodes` is false.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ParetoDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// How many nodes it takes.
    pub node_count: u32,
    /// Names, up to 64 nodes; absent beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<String>>,
    /// Inclusive pairs of ordinals in input order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_ranges: Option<Vec<[u32; 2]>>,
    /// Joules.
    pub energy_j: f64,
    /// In units of `currency`.
    pub cost: f64,
    /// ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Grams of CO2.
    pub co2_g: f64,
    /// The sum of the nodes' maximum power, watts.
    pub peak_power_w: f64,
    /// From the earliest start, seconds.
    pub delay_s: i64,
    /// Against starting as soon as possible.
    pub saves: SavingsDocument,
}

impl QuoteDocument {
    /// A decision made over `order` with its Pareto front apart, with the names of `nodes`.
    pub fn new(
        decision: &Decision,
        front: &[Offer],
        order: &NodeOrder,
        nodes: &Nodes,
        pareto_nodes: bool,
    ) -> Self {
        let document = DecisionDocument::new(decision, order, nodes);
        let on_the_front = |offer: &Offer| {
            if pareto_nodes {
                ParetoDocument::with_nodes(OfferDocument::new(offer, order, nodes))
            } else {
                ParetoDocument::new(offer)
            }
        };
        Self {
            decision: document.decision,
            candidate_starts: document.candidate_starts,
            reasons: document.reasons,
            as_soon_as_possible: document.as_soon_as_possible,
            offers: document.offers,
            pareto: front.iter().map(on_the_front).collect(),
            explanation: None,
        }
    }

    /// The same with an explanation, if there is one.
    #[must_use]
    pub fn explained(self, explanation: Option<&Explanation>) -> Self {
        Self { explanation: explanation.map(ExplanationDocument::new), ..self }
    }
}

impl ParetoDocument {
    fn new(offer: &Offer) -> Self {
        Self {
            start: offer.span.start(),
            end: offer.span.end(),
            node_count: offer.ranks.count(),
            nodes: None,
            node_ranges: None,
            energy_j: offer.values.energy.as_joules(),
            cost: offer.values.cost.as_units(),
            currency: offer.values.cost.currency().to_string(),
            co2_g: offer.values.co2.as_grams(),
            peak_power_w: offer.peak_power.as_watts(),
            delay_s: offer.delay.get(),
            saves: SavingsDocument {
                energy_j: offer.saves.energy.as_joules(),
                cost: offer.saves.cost.as_units(),
                co2_g: offer.saves.co2.as_grams(),
            },
        }
    }

    fn with_nodes(offer: OfferDocument) -> Self {
        Self {
            start: offer.start,
            end: offer.end,
            node_count: offer.node_count,
            nodes: offer.nodes,
            node_ranges: Some(offer.node_ranges),
            energy_j: offer.energy_j,
            cost: offer.cost,
            currency: offer.currency,
            co2_g: offer.co2_g,
            peak_power_w: offer.peak_power_w,
            delay_s: offer.delay_s,
            saves: offer.saves,
        }
    }
}
