//! Decisions and offers as documents.

use serde::Serialize;

use super::basis::BasisDocument;
use super::co2_accounting::Co2AccountingDocument;
use super::explanation::ExplanationDocument;
use super::notice::ranges_of;
use super::savings::SavingsDocument;
use super::standing::{OfferStandingDocument, StandingDocument};
use crate::criterion::Values;
use crate::decision::{Binding, Decision, Offer, Reason, Shortage};
use crate::node::Nodes;
use crate::order::NodeOrder;
use crate::quantity::{CarbonMass, MILLION, Money};
use crate::recalibration::LearntUtilisation;
use crate::reservation::{NamedNodes, OfferTerms};
use crate::search::Explanation;
use crate::time::Timestamp;

/// A [`Decision`] as JSON.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionDocument {
    /// `choice`, `optimum` or `impossible`.
    #[cfg_attr(feature = "openapi", schema(example = "choice"))]
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
    pub pareto: Vec<OfferDocument>,
    /// The start on the Pareto front that gives up least of what is best: of its losses in energy, cost, CO2 and delay, in parts
    /// of their range on the front, the largest is least. It may win no ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compromise: Option<OfferDocument>,
    /// What the offers rest on, where that is known. One that rests on a part of it says which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basis: Vec<BasisDocument>,
    /// How the CO2 of the offers is counted; absent where that is not known, or not the same for all of it: `basis` says it
    /// of each source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// How `other_co2_g` of the offers is counted; absent where the site keeps no other agenda of CO2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// What lies beside the best starts, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationDocument>,
    /// The utilisation that was planned with, where the request says none and earlier runs of its application tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnt_utilisation: Option<LearntUtilisationDocument>,
    /// How the account stands that the request is for; absent where the site has no shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingDocument>,
}

/// A [`LearntUtilisation`] as JSON.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LearntUtilisationDocument {
    /// The application, as the request's label names it.
    #[cfg_attr(feature = "openapi", schema(example = "nemo"))]
    pub application: String,
    /// The median over its newest runs.
    #[cfg_attr(feature = "openapi", schema(example = 0.62))]
    pub utilisation: f64,
    /// The median distance of these runs from it.
    #[cfg_attr(feature = "openapi", schema(example = 0.03))]
    pub spread: f64,
    /// How many runs count.
    pub runs: u32,
}

impl LearntUtilisationDocument {
    /// What was learnt of an application.
    pub fn new(application: &str, learnt: &LearntUtilisation) -> Self {
        let share = |millionths: i64| millionths as f64 / MILLION as f64;
        Self {
            application: application.to_owned(),
            utilisation: share(learnt.utilisation),
            spread: share(learnt.spread),
            runs: learnt.runs,
        }
    }
}

/// A [`Reason`] as JSON.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReasonDocument {
    /// `no_slot`, `agenda_gap`, `nodes`, `power_cap` or `quota`.
    #[cfg_attr(feature = "openapi", schema(example = "power_cap"))]
    pub code: &'static str,
    /// How many candidate starts it excluded; 0 of `no_slot`, where there is none.
    pub excluded_starts: u64,
    /// Where it binds: at the start that came closest to being feasible.
    pub binding: BindingDocument,
    /// The same in words.
    pub detail: String,
}

/// A [`Binding`] as JSON. What is missing is there, unless a quota is exceeded; where the window has no slot, the slots beside it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BindingDocument {
    /// The start that it excludes, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at_start: Timestamp,
    /// From when on something is missing, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub start: Timestamp,
    /// Until when, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub end: Timestamp,
    /// The agenda that has no value: `price`, `co2` or `power_cap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_agenda: Option<&'static str>,
    /// How many nodes are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_nodes: Option<u32>,
    /// How much power is missing under the cap, watts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_power_w: Option<f64>,
    /// Where the window has no slot: how far apart slots are, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot_s: Option<i64>,
    /// And the last one before the window, RFC 3339; absent where it is in the past.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub slot_before: Option<Timestamp>,
    /// And the first one after it, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime))]
    pub slot_after: Option<Timestamp>,
}

/// One start with its nodes, and what it takes: an offer, as JSON.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OfferDocument {
    /// The rankings that this start wins; absent on the Pareto front.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = json!(["cost_co2_energy"])))]
    pub rankings: Option<Vec<String>>,
    /// True of the offer of a reservation that is the compromise: it gives up least of what is best. Absent of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compromise: Option<bool>,
    /// RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub start: Timestamp,
    /// RFC 3339, the first instant after.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub end: Timestamp,
    /// How many nodes it takes.
    pub node_count: u32,
    /// Names, up to 64 nodes; absent beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<String>>,
    /// Inclusive pairs of ordinals in input order; absent where nodes are not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_ranges: Option<Vec<[u32; 2]>>,
    /// Joules.
    pub energy_j: f64,
    /// In units of `currency`.
    pub cost: f64,
    /// ISO 4217.
    #[cfg_attr(feature = "openapi", schema(example = "EUR"))]
    pub currency: String,
    /// The part of the cost that the supplier takes for extra power; absent where none is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_power_fee: Option<f64>,
    /// Grams of CO2.
    pub co2_g: f64,
    /// Grams of CO2 by the site's other accounting (`other_co2_accounting`), which nothing is planned by; absent where that is
    /// not known throughout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_co2_g: Option<f64>,
    /// What it changes of what nodes consume that nobody has: below nothing where it avoids some. Rankings and `saves` count
    /// it beside `energy_j`, `cost` and `co2_g`. Absent where the site does not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_change: Option<IdleChangeDocument>,
    /// The sum of the nodes' maximum power, watts.
    pub peak_power_w: f64,
    /// From the earliest start, seconds.
    pub delay_s: i64,
    /// Against starting as soon as possible.
    pub saves: SavingsDocument,
    /// Where a part of the prices is an estimate of the site: the least that it will probably cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_low: Option<f64>,
    /// And the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_high: Option<f64>,
    /// Where a part of the intensities is an estimate of the site: the least it will probably emit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_low_g: Option<f64>,
    /// And the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_high_g: Option<f64>,
    /// Positions in the decision's `basis` that this offer rests on; absent where it is all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Vec<usize>>,
    /// The slower state of its nodes; absent at full speed, as are the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_state: Option<String>,
    /// How fast nodes compute in it, a share of full speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// How much later it ends than at full speed, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later_s: Option<i64>,
    /// What it would do to how its account stands; absent where the site has no shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<OfferStandingDocument>,
}

/// What an offer changes of idle energy as JSON.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IdleChangeDocument {
    /// Joules.
    pub energy_j: f64,
    /// In units of the offer's currency.
    pub cost: f64,
    /// Grams of CO2.
    pub co2_g: f64,
}

impl DecisionDocument {
    /// A decision made over `order`, with the names of `nodes`.
    pub fn new(decision: &Decision, order: &NodeOrder, nodes: &Nodes) -> Self {
        let on_front = |offer: &Offer| OfferDocument::new(offer, order, nodes);
        Self::with_front(decision, order, nodes, on_front)
    }

    /// A decision made over `order`, with the names of `nodes`; the starts on the Pareto front do not
    /// tell their nodes, which are the largest part of an answer.
    pub fn without_front_nodes(decision: &Decision, order: &NodeOrder, nodes: &Nodes) -> Self {
        Self::with_front(decision, order, nodes, OfferDocument::without_nodes)
    }

    fn with_front(
        decision: &Decision,
        order: &NodeOrder,
        nodes: &Nodes,
        on_front: impl Fn(&Offer) -> OfferDocument,
    ) -> Self {
        let offer = |offer: &Offer| OfferDocument::new(offer, order, nodes);
        let without_rankings = |offer: &Offer| OfferDocument { rankings: None, ..on_front(offer) };
        Self {
            decision: decision.word(),
            candidate_starts: decision.candidate_starts,
            reasons: decision.reasons.iter().map(ReasonDocument::new).collect(),
            as_soon_as_possible: decision.as_soon_as_possible.as_ref().map(offer),
            offers: decision.offers().iter().map(offer).collect(),
            pareto: decision.pareto.iter().map(without_rankings).collect(),
            compromise: decision.compromise().map(offer),
            basis: Vec::new(),
            co2_accounting: None,
            other_co2_accounting: None,
            explanation: None,
            learnt_utilisation: None,
            standing: None,
        }
    }

    /// This document with an explanation.
    #[must_use]
    pub fn explained(self, explanation: &Explanation) -> Self {
        Self { explanation: Some(ExplanationDocument::new(explanation)), ..self }
    }
}

impl ReasonDocument {
    fn new(reason: &Reason) -> Self {
        Self {
            code: reason.code.word(),
            excluded_starts: reason.excluded_starts,
            binding: BindingDocument::new(&reason.binding),
            detail: reason.detail.clone(),
        }
    }
}

impl BindingDocument {
    fn new(binding: &Binding) -> Self {
        let mut document = Self {
            at_start: binding.start,
            start: binding.span.start(),
            end: binding.span.end(),
            missing_agenda: None,
            missing_nodes: None,
            missing_power_w: None,
            slot_s: None,
            slot_before: None,
            slot_after: None,
        };
        match binding.shortage {
            Shortage::Slot { slot, before, after } => {
                document.slot_s = Some(slot.get());
                (document.slot_before, document.slot_after) = (before, Some(after));
            }
            Shortage::Agenda(agenda) => document.missing_agenda = Some(agenda),
            Shortage::Nodes(nodes) => document.missing_nodes = Some(nodes),
            Shortage::Power(power) => document.missing_power_w = Some(power.as_watts()),
            Shortage::Quota | Shortage::Budget(_) => {}
        }
        document
    }
}

impl IdleChangeDocument {
    fn new(Values { energy, cost, co2 }: Values) -> Self {
        Self { energy_j: energy.as_joules(), cost: cost.as_units(), co2_g: co2.as_grams() }
    }
}

impl OfferDocument {
    /// An offer whose nodes are ranks of `order`.
    pub fn new(offer: &Offer, order: &NodeOrder, nodes: &Nodes) -> Self {
        Self::of_terms(OfferTerms::new(offer, order, nodes))
    }

    /// An offer that says how many nodes it takes, but not which.
    pub fn without_nodes(offer: &Offer) -> Self {
        let terms = OfferTerms::on(NamedNodes::default(), offer);
        let node_count = offer.ranks.count();
        Self { node_count, nodes: None, node_ranges: None, ..Self::of_terms(terms) }
    }

    /// An offer as it is held. It takes the names of nodes: quotes tell those of many offers.
    pub fn of_terms(terms: OfferTerms) -> Self {
        let (cost_low, cost_high) = terms.cost_band.unzip();
        let (co2_low, co2_high) = terms.co2_band.unzip();
        let slowing = terms.slowing.as_ref();
        Self {
            rankings: Some(terms.rankings.iter().map(ToString::to_string).collect()),
            compromise: terms.is_compromise.then_some(true),
            start: terms.span.start(),
            end: terms.span.end(),
            node_count: terms.nodes.count(),
            energy_j: terms.values.energy.as_joules(),
            cost: terms.cost().as_units(),
            node_ranges: Some(ranges_of(&terms.nodes.ordinals)),
            nodes: terms.nodes.names,
            currency: terms.values.cost.currency().to_string(),
            extra_power_fee: terms.extra_power_fee.map(Money::as_units),
            co2_g: terms.values.co2.as_grams(),
            other_co2_g: None,
            idle_change: terms.idle_change.map(IdleChangeDocument::new),
            peak_power_w: terms.peak_power.as_watts(),
            delay_s: terms.delay.get(),
            saves: SavingsDocument::new(terms.saves),
            cost_low: cost_low.map(Money::as_units),
            cost_high: cost_high.map(Money::as_units),
            co2_low_g: co2_low.map(CarbonMass::as_grams),
            co2_high_g: co2_high.map(CarbonMass::as_grams),
            power_state: slowing.map(|it| it.state.name.to_string()),
            speed: slowing.map(|it| it.state.speed.as_share()),
            later_s: slowing.map(|it| it.later.get()),
            basis: terms.basis,
            standing: None,
        }
    }
}
