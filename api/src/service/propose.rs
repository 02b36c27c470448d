//! Proposals: a reservation whose offers are held for its owner.

use std::sync::Arc;

use planner::decision::Offer;
use planner::json::decision::{DecisionDocument, OfferDocument};
use planner::time::Timestamp;
use serde_json::Value;
use storage::{
    NewOffer, NewReservation, OfferId, PlanBasis, ProposeError, ReservationId, ReservationState,
};
use uuid::Uuid;

use super::quote::Planned;
use super::shared::{IdempotencyKey, Party, SiteState as State};
use super::{Access, OnCap, Service, ServiceError, Wish};

/// How often a proposal is planned anew when other processes change the book meanwhile.
const TRIES: usize = 8;

/// The status of the answer to a proposal: 201.
const PROPOSED: u16 = 201;

/// What became of a proposal.
#[derive(Debug)]
pub enum Proposed {
    /// A new reservation.
    New(ReservationId),
    /// The key was used before for the same request: the reservation made then.
    Before(ReservationId),
}

impl Service {
    /// Plans a wish and holds its offers; or, where only the cap is in the way and the wish says so,
    /// has the supplier asked for extra power.
    ///
    /// # Errors
    /// `Impossible` with the reasons, `Busy`, `IdempotencyKeyReused`, `NoGain`, `TooManyHolds`,
    /// `TooMuchHeld`, and those of planning.
    pub async fn propose(
        &self,
        access: Access<'_>,
        wish: &Wish,
        key: Option<&IdempotencyKey>,
    ) -> Result<Proposed, ServiceError> {
        let least = match wish.replaces {
            Some(replaced) => self.to_be_replaced(access, replaced).await?,
            None => None,
        };
        self.propose_better(access, wish, key, least).await
    }

    /// Plans what takes the place of a reservation that cannot stand, and holds its offers.
    pub(super) async fn propose_replacing(
        &self,
        access: Access<'_>,
        wish: &Wish,
    ) -> Result<Proposed, ServiceError> {
        self.propose_better(access, wish, None, None).await
    }

    /// The same if one of the offers is better than what is to be replaced by what the site wants.
    async fn propose_better(
        &self,
        access: Access<'_>,
        wish: &Wish,
        key: Option<&IdempotencyKey>,
        least: Option<Figures>,
    ) -> Result<Proposed, ServiceError> {
        let owner = access.owner;
        let _booking = self.pool.booking_turn(Party::of(access)).await?;
        for _ in 0..TRIES {
            // The same request may have been booked while this one waited or was planned.
            if let Some(before) = self.proposed_before(owner, key).await? {
                return Ok(before);
            }
            let state = self.state().await?;
            let Some(basis) = state.marks.map(PlanBasis::from) else {
                return Err(ServiceError::Internal(anyhow::anyhow!("no state was read")));
            };
            let held = self.held_so_far(access, &state).await?;
            let drafting = |planned| draft(&planned, 0.0);
            let planned = self.plan(Party::Booking, Arc::clone(&state), wish, drafting);
            let drafted = match planned.await? {
                Ok(drafted) => drafted,
                Err(impossible) => {
                    let asks = self.settings.negotiation.asks;
                    let would_help = self.asking_would_help(&state, wish).await?;
                    if would_help && asks && wish.expected.is_none() {
                        Drafted::awaiting()
                    } else if let Some(before) = self.proposed_before(owner, key).await? {
                        return Ok(before);
                    } else if would_help {
                        return Err(ServiceError::NotNegotiated(impossible));
                    } else {
                        return Err(ServiceError::Impossible(impossible));
                    }
                }
            };
            if let Some(differences) = drafted.differences(wish) {
                let decision = Some(self.possible_now(wish).await?);
                return Err(ServiceError::OfferChanged { differences, decision });
            }
            if let Some(least) = least
                && !drafted.beats(least)
            {
                return Err(ServiceError::NoGain { min_gain: self.settings.negotiation.min_gain });
            }
            if let Some(held) = held {
                held.admit(&state, &drafted.offers)?;
            }
            let waits = drafted.offers.is_empty();
            match self.hold(owner, basis, wish, drafted, key).await {
                Ok(id) => {
                    if waits {
                        self.dialogue_bell.notify_one();
                    }
                    metrics::counter!("wattbook_proposals_total").increment(1);
                    return Ok(Proposed::New(id));
                }
                Err(
                    ProposeError::BookChanged { .. }
                    | ProposeError::HoldChosen
                    | ProposeError::DoubleBooking
                    | ProposeError::IdempotencyKeyReused
                    | ProposeError::UnknownNodes { .. },
                ) => {}
                Err(ProposeError::Storage(error)) => return Err(error.into()),
            }
        }
        Err(ServiceError::Busy)
    }

    /// What is possible now for a wish that is about to be booked.
    async fn possible_now(&self, wish: &Wish) -> Result<Box<DecisionDocument>, ServiceError> {
        let (state, pareto_nodes) = (self.state().await?, wish.pareto_nodes);
        let document = move |planned: Planned| Box::new(planned.document(pareto_nodes));
        self.plan(Party::Booking, state, wish, document).await
    }

    /// The reservation that was made with this key, if there is a key and it was used.
    ///
    /// # Errors
    /// `IdempotencyKeyReused` where it was used for another request.
    pub async fn proposed_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<Proposed>, ServiceError> {
        let id = self.answered_before(owner, key, PROPOSED).await?;
        Ok(id.map(|id| Proposed::Before(ReservationId::new(id))))
    }

    /// Whether a wish lacks power only, and wants the supplier to be asked for it.
    async fn asking_would_help(&self, state: &State, wish: &Wish) -> Result<bool, ServiceError> {
        Ok(wish.on_cap != OnCap::Refuse && self.lacks_power_only(state, wish).await?)
    }

    /// What an offer must beat to take a reservation's place: cost and CO2 as expected now, less
    /// what the site wants to be saved. `None` where the reservation cannot stand anyway.
    async fn to_be_replaced(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<Option<Figures>, ServiceError> {
        let stored = self.reservation(access, id).await?;
        let chosen = match (stored.state_at(self.now()), stored.chosen) {
            (ReservationState::Confirmed, Some((chosen, _))) => chosen,
            (state, _) => {
                return Err(ServiceError::WrongState {
                    state: state.word().to_owned(),
                    way_out: "only a confirmed reservation that has not begun can be replaced",
                });
            }
        };
        if stored.degraded {
            return Ok(None);
        }
        let expected = self.expected_of(std::slice::from_ref(&stored)).await?;
        let expected = expected.get(&id).map(|it| it["offers"][0].clone()).unwrap_or_default();
        let offered = stored.offers.iter().find(|offer| offer.id == chosen);
        let offered = offered.and_then(|it| serde_json::from_str::<Value>(&it.document).ok());
        let offered = offered.unwrap_or_default();
        let figure = |name: &str| expected[name].as_f64().or_else(|| offered[name].as_f64());
        let gain = self.settings.negotiation.min_gain;
        // A negative cost is beaten by what is more negative.
        let at_most = |value: f64| value - gain * value.abs();
        let (cost, co2_g) = (figure("cost").map(at_most), figure("co2_g").map(at_most));
        Ok(Some(Figures { cost, co2_g }))
    }

    /// Until when a request waits for the supplier: not beyond its last start.
    fn answer_by(&self, wish: &Wish, now: Timestamp) -> Timestamp {
        let latest = wish.request.shapes().map(|it| wish.request.latest_start_for(it.duration));
        let silence = now + self.settings.negotiation.answer_within;
        latest.max().map_or(silence, |latest| latest.min(silence))
    }

    async fn hold(
        &self,
        owner: &str,
        basis: PlanBasis,
        wish: &Wish,
        drafted: Drafted,
        key: Option<&IdempotencyKey>,
    ) -> Result<ReservationId, ProposeError> {
        let id = ReservationId::new(Uuid::now_v7());
        let now = self.now();
        let Drafted { summary, offers, .. } = drafted;
        let reservation = NewReservation {
            id,
            owner: owner.to_owned(),
            request: wish.document(),
            document: summary,
            created: now,
            expires: match offers.as_slice() {
                [] => self.answer_by(wish, now),
                _ => now + self.settings.hold,
            },
            priority: wish.priority,
            replaces: wish.replaces,
            offers,
        };
        let record = key.map(|key| key.record(owner, PROPOSED, id.as_uuid(), now));
        self.database.propose(basis, &reservation, now, record.as_ref()).await?;
        Ok(id)
    }
}

/// What is written of a decision.
pub(super) struct Drafted {
    /// Beside the offers.
    pub(super) summary: String,
    pub(super) offers: Vec<NewOffer>,
    /// Of the offers.
    figures: Vec<Figures>,
}

/// What a start costs and emits.
#[derive(Clone, Copy, Debug)]
struct Figures {
    cost: Option<f64>,
    co2_g: Option<f64>,
}

impl Drafted {
    /// Of a request that awaits the supplier.
    fn awaiting() -> Self {
        Self { summary: "{}".to_owned(), offers: Vec::new(), figures: Vec::new() }
    }

    /// How all offers differ from what is expected of one: those of the nearest.
    fn differences(&self, wish: &Wish) -> Option<String> {
        let expected = wish.expected.as_ref()?;
        let of_each = self.offers.iter().map(|offer| expected.differences(&offer.document));
        let nearest = of_each.min_by_key(Vec::len).filter(|it| !it.is_empty())?;
        Some(nearest.join(", "))
    }

    /// Whether an offer costs or emits no more than that.
    fn beats(&self, least: Figures) -> bool {
        let within =
            |is: Option<f64>, most: Option<f64>| is.zip(most).is_some_and(|(is, most)| is <= most);
        self.figures.iter().any(|it| within(it.cost, least.cost) || within(it.co2_g, least.co2_g))
    }
}

/// A decision as it is written, or what is told where nothing is possible. `fee` is what the supplier
/// takes for the extra power that all of its offers need; it is a part of their cost.
pub(super) fn draft(planned: &Planned, fee: f64) -> Result<Drafted, Box<DecisionDocument>> {
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
    Ok(Drafted { summary, offers, figures })
}

fn held(planned: &Planned, offer: &Offer, document: &OfferDocument) -> NewOffer {
    NewOffer {
        id: OfferId::new(Uuid::now_v7()),
        span: offer.span,
        rankings: offer.rankings.clone(),
        ranks: planned.selection.book_ranks(&offer.ranks),
        document: serde_json::to_string(document).unwrap_or_default(),
    }
}
