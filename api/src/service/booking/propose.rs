//! Proposals: a reservation whose offers are held for its owner.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::json::decision::DecisionDocument;
use planner::quantity::{CarbonMass, Money};
use planner::reservation::{OfferTerms, ReservationState};
use planner::time::Timestamp;
use storage::NewReservation;
use uuid::Uuid;

use super::draft::{AtMost, Draft, draft};
use super::proposal_queue::{Asked, PROPOSED, Proposed};
use super::standing::AccountShare;
use super::{BookingError, BookingRequest, BookingService, OnCap, PlannedRequest};
use crate::service::shared::{Access, IdempotencyKey, KeyError, Party, SiteState};

impl BookingService {
    /// Plans a request and holds its offers; or, where only the cap is in the way and the request says so,
    /// has the supplier asked for extra power.
    ///
    /// # Errors
    /// `Impossible`, `NotNegotiated` and `Quota` with the reasons, `BookChanged`, `Key`, `NoGain`,
    /// `OfferChanged`, `TooManyHolds`, `TooMuchHeld`, `WrongState`, `Quote`.
    pub async fn propose(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
        key: Option<&IdempotencyKey>,
    ) -> Result<Proposed, BookingError> {
        let at_most = match request.replaces {
            Some(replaced) => self.to_be_replaced(access, replaced).await?,
            None => None,
        };
        self.propose_better(access, request, key, at_most).await
    }

    /// Plans what takes the place of a reservation that cannot stand, and holds its offers.
    pub(in crate::service) async fn propose_replacing(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
    ) -> Result<Proposed, BookingError> {
        self.propose_better(access, request, None, None).await
    }

    /// Plans a request and holds its offers, if one of them costs or emits no more than `at_most`.
    async fn propose_better(
        &self,
        access: Access<'_>,
        request: &BookingRequest,
        key: Option<&IdempotencyKey>,
        at_most: Option<AtMost>,
    ) -> Result<Proposed, BookingError> {
        let asked = Asked {
            owner: access.owner.to_owned(),
            kind: access.kind,
            request: self.under_quotas(access, request),
            key: key.cloned(),
            at_most,
            share: self.share_of(access, request.project.as_deref().unwrap_or_default()),
        };
        self.propose_in_turn(Party::of(access), asked).await
    }

    /// What is to be written of a request: its offers, or that it awaits the supplier.
    pub(super) async fn drafted(
        &self,
        state: &Arc<SiteState>,
        request: &BookingRequest,
    ) -> Result<Draft, BookingError> {
        let refused = match self.drafted_now(state, request).await {
            Err(refused @ (BookingError::Impossible(_) | BookingError::Quota(..))) => refused,
            drafted => return drafted,
        };
        if !self.asking_would_help(state, request).await? {
            return Err(refused);
        }
        if self.shared.settings.negotiation.asks && request.expected.is_none() {
            return Ok(Draft::awaiting());
        }
        match refused {
            BookingError::Impossible(impossible) | BookingError::Quota(_, Some(impossible)) => {
                Err(BookingError::NotNegotiated(impossible))
            }
            refused => Err(refused),
        }
    }

    /// The offers of a request, whether or not the supplier could help.
    ///
    /// # Errors
    /// `Impossible`, `Quota`, `Quote`.
    pub(super) async fn drafted_now(
        &self,
        state: &Arc<SiteState>,
        request: &BookingRequest,
    ) -> Result<Draft, BookingError> {
        let drafting = |planned: PlannedRequest| (draft(&planned, None), planned.refused_by_quota);
        let planned = self.plan(Party::Booking, Arc::clone(state), request, drafting);
        match planned.await? {
            (Ok(drafted), _) => Ok(drafted),
            (Err(impossible), Some(refused)) => {
                Err(BookingError::Quota(Box::new(refused), Some(impossible)))
            }
            (Err(impossible), None) => Err(BookingError::Impossible(impossible)),
        }
    }

    /// Whether offers are what is expected of them, and worth it.
    pub(super) async fn admit(
        &self,
        drafted: &Draft,
        request: &BookingRequest,
        at_most: Option<AtMost>,
        state: &Arc<SiteState>,
    ) -> Result<(), BookingError> {
        if let Some(differences) = drafted.differences(request) {
            let decision = Some(self.possible_at(Arc::clone(state), request).await?);
            return Err(BookingError::OfferChanged { differences, decision });
        }
        if at_most.is_some_and(|most| !drafted.is_within(most)) {
            let min_gain = self.shared.settings.negotiation.min_gain.as_f64();
            return Err(BookingError::NoGain { min_gain });
        }
        Ok(())
    }

    /// What is possible at a state for a request that is about to be booked.
    pub(super) async fn possible_at(
        &self,
        state: Arc<SiteState>,
        request: &BookingRequest,
    ) -> Result<Box<DecisionDocument>, BookingError> {
        let pareto_nodes = request.pareto_nodes;
        let document = move |planned: PlannedRequest| Box::new(planned.document(pareto_nodes));
        Ok(self.plan(Party::Booking, state, request, document).await?)
    }

    /// The reservation that was made with this key, if there is a key and it was used.
    ///
    /// # Errors
    /// [`KeyError::Reused`] where it was used for another request.
    pub async fn proposed_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<Proposed>, KeyError> {
        let id = self.shared.answered_before(owner, key, PROPOSED).await?;
        Ok(id.map(|id| Proposed::Before(ReservationId::new(id))))
    }

    /// Whether a request lacks power only, and wants the supplier to be asked for it.
    async fn asking_would_help(
        &self,
        state: &SiteState,
        request: &BookingRequest,
    ) -> Result<bool, BookingError> {
        Ok(request.on_cap != OnCap::Refuse && self.lacks_power_only(state, request).await?)
    }

    /// What an offer must beat to take a reservation's place: cost and CO2 as expected now, less
    /// what the site wants to be saved. `None` where the reservation cannot stand anyway.
    pub(super) async fn to_be_replaced(
        &self,
        access: Access<'_>,
        id: ReservationId,
    ) -> Result<Option<AtMost>, BookingError> {
        self.shared.advance(self.shared.now()).await?;
        let stored = self.changeable(access, id).await?;
        let chosen = match (stored.state_at(self.shared.now()), stored.chosen) {
            (ReservationState::Confirmed, Some((chosen, _))) => chosen,
            (state, _) => {
                return Err(BookingError::WrongState {
                    state: state.word().to_owned(),
                    way_out: "only a confirmed reservation that has not begun can be replaced",
                });
            }
        };
        if stored.degraded {
            return Ok(None);
        }
        let expected = self.expected_of(std::slice::from_ref(&stored)).await?;
        let expected = expected.get(&id).and_then(|it| it.of(chosen));
        let terms = stored.chosen_offer().map(|offer| &offer.terms);
        let cost = expected.and_then(|it| it.cost).or(terms.map(OfferTerms::cost));
        let co2 = expected.and_then(|it| it.co2).or(terms.map(|terms| terms.values.co2));
        let gain = self.shared.settings.negotiation.min_gain;
        Ok(Some(AtMost {
            cost: cost.map(|it| Money::from_exact(gain.gained(it.as_exact()), it.currency())),
            co2: co2.map(|it| CarbonMass::from_exact(gain.gained(it.as_exact()))),
        }))
    }

    /// Until when a request waits for the supplier: not beyond its last start.
    fn answer_by(&self, request: &BookingRequest, now: Timestamp) -> Timestamp {
        let latest =
            request.planning.shapes().map(|it| request.planning.latest_start_for(it.duration));
        let silence = now + self.shared.settings.negotiation.answer_within;
        latest.max().map_or(silence, |latest| latest.min(silence))
    }

    /// Until when offers are held that are made now.
    fn held_until(&self, share: Option<AccountShare>) -> Timestamp {
        self.shared.now() + share.and_then(|it| it.hold()).unwrap_or(self.shared.settings.hold)
    }

    /// A reservation that was asked for, with its offers.
    pub(super) fn new_reservation(&self, asked: &Asked, drafted: Draft) -> NewReservation {
        let Asked { owner, request, share, .. } = asked;
        let now = self.shared.now();
        let Draft { summary, offers } = drafted;
        NewReservation {
            id: request.id.unwrap_or_else(|| ReservationId::new(Uuid::now_v7())),
            owner: owner.clone(),
            request: request.document(),
            summary,
            created: now,
            expires: match offers.as_slice() {
                [] => self.answer_by(request, now),
                _ => self.held_until(*share),
            },
            priority: request.priority,
            share_factor: share.map(|it| it.factor),
            project: request.project.clone().unwrap_or_default(),
            replaces: request.replaces,
            gives_back: request.gives_back,
            offers,
        }
    }
}
