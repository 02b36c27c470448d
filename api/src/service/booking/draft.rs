//! What is written of a decision: its offers, and a summary beside them.

use planner::decision::Offer;
use planner::json::decision::{DecisionDocument, OfferDocument};
use storage::{NewOffer, OfferId};
use uuid::Uuid;

use super::{BookingRequest, PlannedRequest};

/// What is written of a decision.
pub(in crate::service) struct Draft {
    /// Beside the offers.
    pub(in crate::service) summary: String,
    pub(in crate::service) offers: Vec<NewOffer>,
    /// Of the offers.
    figures: Vec<Figures>,
}

/// What a start costs and emits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) cost: Option<f64>,
    pub(super) co2_g: Option<f64>,
}

impl Draft {
    /// Of a request that awaits the supplier.
    pub(super) fn awaiting() -> Self {
        Self { summary: "{}".to_owned(), offers: Vec::new(), figures: Vec::new() }
    }

    /// How all offers differ from what is expected of one: those of the nearest.
    pub(super) fn differences(&self, request: &BookingRequest) -> Option<String> {
        let expected = request.expected.as_ref()?;
        let of_each = self.offers.iter().map(|offer| expected.differences(&offer.document));
        let nearest = of_each.min_by_key(Vec::len).filter(|it| !it.is_empty())?;
        Some(nearest.join(", "))
    }

    /// Whether an offer costs or emits no more than that.
    pub(super) fn beats(&self, least: Figures) -> bool {
        let within =
            |is: Option<f64>, most: Option<f64>| is.zip(most).is_some_and(|(is, most)| is <= most);
        self.figures.iter().any(|it| within(it.cost, least.cost) || within(it.co2_g, least.co2_g))
    }
}

/// A decision as it is written, or what is told where nothing is possible. `fee` is what the supplier
/// takes for the extra power that all of its offers need; it is a part of their cost.
pub(in crate::service) fn draft(
    planned: &PlannedRequest,
    fee: f64,
) -> Result<Draft, Box<DecisionDocument>> {
    if planned.decision.offers().is_empty() {
        return Err(Box::new(planned.document(false)));
    }
    let decision = &planned.decision;
    let shown = |offer: &Offer| {
        let (order, nodes) = (planned.selection.order(), &planned.state.cluster.nodes);
        let document = OfferDocument::new(offer, order, nodes);
        OfferDocument {
            cost: document.cost + fee,
            extra_power_fee: (fee > 0.0).then_some(fee),
            ..document
        }
    };
    let mut soonest = decision.as_soon_as_possible.as_ref().map(shown);
    let mut documents: Vec<OfferDocument> = decision.offers().iter().map(shown).collect();
    let offers = decision.offers().iter().zip(&mut documents);
    let told = offers.chain(decision.as_soon_as_possible.iter().zip(&mut soonest));
    let basis = planned.state.provenance.tell_offers(told);
    let summary = serde_json::json!({
        "candidate_starts": decision.candidate_starts,
        "decision": decision.word(),
        "as_soon_as_possible": soonest,
        "basis": basis,
    })
    .to_string();
    let held = |(offer, document): (&Offer, &OfferDocument)| held(planned, offer, document);
    let offers = decision.offers().iter().zip(&documents).map(held).collect();
    let figures = |it: &OfferDocument| Figures { cost: Some(it.cost), co2_g: Some(it.co2_g) };
    let figures = documents.iter().map(figures).collect();
    Ok(Draft { summary, offers, figures })
}

fn held(planned: &PlannedRequest, offer: &Offer, document: &OfferDocument) -> NewOffer {
    NewOffer {
        id: OfferId::new(Uuid::now_v7()),
        span: offer.span,
        rankings: offer.rankings.clone(),
        ranks: planned.selection.book_ranks(&offer.ranks),
        document: serde_json::to_string(document).unwrap_or_default(),
    }
}
