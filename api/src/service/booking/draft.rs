//! What is written of a decision: its offers, and a summary beside them.

use planner::decision::{Decision, Offer};
use planner::identity::OfferId;
use planner::json::decision::{DecisionDocument, OfferDocument};
use planner::quantity::{CarbonMass, Money};
use planner::reservation::OfferTerms;
use storage::NewOffer;
use uuid::Uuid;

use super::{BookingRequest, HeldStarts, PlannedRequest, StoredOtherCo2};

/// What is written of a decision.
pub(in crate::service) struct Draft {
    /// What is shown beside the offers, as JSON.
    pub(in crate::service) summary: String,
    pub(in crate::service) offers: Vec<NewOffer>,
}

/// What one of the offers must cost or emit at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtMost {
    pub(super) cost: Option<Money>,
    pub(super) co2: Option<CarbonMass>,
}

impl Draft {
    /// Of a request that awaits the supplier.
    pub(super) fn awaiting() -> Self {
        Self { summary: "{}".to_owned(), offers: Vec::new() }
    }

    /// How all offers differ from what is expected of one: those of the nearest.
    pub(super) fn differences(&self, request: &BookingRequest) -> Option<String> {
        let expected = request.expected.as_ref()?;
        let of_each = self.offers.iter().map(|offer| expected.differences(&offer.terms));
        let nearest = of_each.min_by_key(Vec::len).filter(|it| !it.is_empty())?;
        Some(nearest.join(", "))
    }

    /// Whether an offer costs or emits no more than that.
    pub(super) fn is_within(&self, most: AtMost) -> bool {
        self.offers.iter().any(|offer| {
            let terms = &offer.terms;
            most.cost.is_some_and(|cost| terms.cost() <= cost)
                || most.co2.is_some_and(|co2| terms.values.co2 <= co2)
        })
    }
}

/// A decision as it is written, or what is told where nothing is possible. `fee` is what the supplier
/// takes for the extra power that all of its offers need; it is a part of their cost. The compromise is one more offer where it is
/// to be held, and no ranking picks it.
pub(in crate::service) fn draft(
    planned: &PlannedRequest,
    fee: Option<Money>,
) -> Result<Draft, Box<DecisionDocument>> {
    if planned.decision.offers().is_empty() {
        return Err(Box::new(planned.document(false)));
    }
    let decision = &planned.decision;
    let (order, nodes) = (planned.selection.order(), &planned.state.cluster.nodes);
    let terms =
        |offer: &Offer| OfferTerms { extra_power_fee: fee, ..OfferTerms::new(offer, order, nodes) };
    let mut soonest = decision.as_soon_as_possible.as_ref().map(terms);
    let compromise = decision.compromise();
    let offered =
        offered(decision, compromise.filter(|_| planned.held == HeldStarts::BestAndCompromise));
    let is_compromise = |offer: &Offer| compromise.is_some_and(|it| it.is_same_start(offer));
    let as_held =
        |offer: &&Offer| OfferTerms { is_compromise: is_compromise(offer), ..terms(offer) };
    let mut all: Vec<OfferTerms> = offered.iter().map(as_held).collect();
    let offers = offered.iter().copied().zip(&mut all);
    let offers = offers.chain(decision.as_soon_as_possible.iter().zip(&mut soonest));
    let basis = planned.state.provenance.tell_offers(offers);
    let ids: Vec<OfferId> = offered.iter().map(|_| OfferId::new(Uuid::now_v7())).collect();
    let other_co2 = planned
        .other_co2
        .as_ref()
        .map(|other| StoredOtherCo2::new(other, ids.iter().copied().zip(offered.iter().copied())));
    let summary = serde_json::json!({
        "candidate_starts": decision.candidate_starts,
        "decision": decision.word(),
        "as_soon_as_possible": soonest.map(OfferDocument::of_terms),
        "basis": basis,
        "other_co2": other_co2,
        "learnt_utilisation": planned.learnt,
    })
    .to_string();
    let offer = |((offer, terms), id): ((&Offer, OfferTerms), OfferId)| NewOffer {
        id,
        terms,
        ranks: planned.selection.book_ranks(&offer.ranks),
    };
    let offers = offered.into_iter().zip(all).zip(ids).map(offer).collect();
    Ok(Draft { summary, offers })
}

/// The starts that are held, in time order: the best by each ranking, and one more that may be among them.
fn offered<'a>(decision: &'a Decision, more: Option<&'a Offer>) -> Vec<&'a Offer> {
    let best = decision.offers();
    let is_among = |it: &&Offer| best.iter().any(|offer| offer.is_same_start(it));
    let mut all: Vec<&Offer> = best.iter().chain(more.filter(|it| !is_among(it))).collect();
    all.sort_by_key(|it| it.span.start());
    all
}
