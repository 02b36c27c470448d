//! Modifications: a reservation gets another request, and is planned anew as if it were not there. What it
//! holds is kept until what is new is certain.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::ranking::Ranking;
use planner::reservation::{Reservation, ReservationState};
use storage::{
    AfterModification, ChangeError, Modification, NewOffer, PlanBasis, ProposeError, Unchanged,
};

use super::request_patch::{RequestPatch, check_words};
use super::{BookingError, BookingRequest, BookingService, Draft, Purpose, draft};
use crate::service::shared::{Access, Party, SiteState};

/// How often a reservation is planned anew when others change the book meanwhile.
const TRIES: usize = 8;

impl BookingService {
    /// Changes the request of a reservation. A proposed one gets new offers, which are held anew; a confirmed
    /// one the best start by the patch's ranking, or by one that its chosen offer wins. Labels and the note change
    /// nothing that is held, so that they may change in every state but the final ones.
    ///
    /// # Errors
    /// `Impossible`, `OfferChanged`, `InvalidRequest`, `WrongState`, `VersionMismatch`, `NoReservation`,
    /// `PriorityIsForOperators`, `TooMuchHeld`, `NoGain`, `BookChanged`, `Quote`; nothing is changed then.
    pub async fn modify(
        &self,
        access: Access<'_>,
        id: ReservationId,
        patch: &RequestPatch,
        version: Option<i64>,
    ) -> Result<Reservation, BookingError> {
        let _booking = self.shared.pool.booking_turn(Party::of(access)).await?;
        for _ in 0..TRIES {
            let stored = self.expected_reservation(access, id, version).await?;
            let merged = patch.merged_into(&stored)?;
            if patch.changes_nothing(&merged) {
                return Ok(stored);
            }
            let modified = if patch.changes_words_only(&merged) {
                self.relabelled(&stored, &merged.text).await?
            } else {
                self.planned_anew(access, &stored, patch, &merged.text).await?
            };
            if let Some(modified) = modified {
                metrics::counter!("wattbook_modifications_total").increment(1);
                return self.changed(modified).await;
            }
        }
        Err(BookingError::BookChanged)
    }

    /// Writes other labels or another note; `None` where the reservation changed meanwhile.
    async fn relabelled(
        &self,
        stored: &Reservation,
        request: &str,
    ) -> Result<Option<Reservation>, BookingError> {
        check_words(request).map_err(BookingError::InvalidRequest)?;
        let (id, now) = (stored.id, self.shared.now());
        match self.shared.database.set_request(id, request, now, stored.row_version).await {
            Ok(relabelled) => Ok(Some(relabelled)),
            Err(ChangeError::VersionMismatch { .. }) => Ok(None),
            Err(ChangeError::NotFound) => Err(BookingError::NoReservation(id)),
            Err(ChangeError::WrongState { state }) => Err(not_modifiable(state)),
            Err(ChangeError::Storage(error)) => Err(error.into()),
        }
    }

    /// Plans a reservation anew by another request, and writes what is possible; `None` where it or the book
    /// changed meanwhile.
    async fn planned_anew(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        patch: &RequestPatch,
        request: &str,
    ) -> Result<Option<Reservation>, BookingError> {
        let now = self.shared.now();
        let before = stored.state_at(now);
        if !matches!(before, ReservationState::Proposed | ReservationState::Confirmed) {
            return Err(not_modifiable(before));
        }
        if stored.counting_offers().any(|offer| offer.terms.extra_power_fee.is_some()) {
            return Err(BookingError::WrongState {
                state: before.word().to_owned(),
                way_out: "the supplier gave it extra power as it is; cancel it and ask anew",
            });
        }
        // Read later than the reservation, so that whatever was chosen is in it.
        let state = self.shared.state().await?;
        let Some(basis) = state.marks.map(PlanBasis::from) else { return Ok(None) };
        let request = self.modified_request(access, stored, patch, request, &state).await?;
        let alone = Arc::new(state.without(stored.id));
        let drafting = |planned| draft(&planned, None);
        let planned = self.plan(Party::Booking, Arc::clone(&alone), &request, drafting).await?;
        let drafted = planned.map_err(BookingError::Impossible)?;
        let then = if before == ReservationState::Confirmed {
            let best = best_by(patch.ranking_for(stored), &drafted.offers);
            let Some(best) = best else { return Ok(None) };
            self.admit_chosen(&request, best, &alone).await?;
            AfterModification::Chosen(best.id)
        } else {
            self.admit_held(access, stored, &request, &drafted, &alone).await?;
            AfterModification::HeldUntil(now + self.shared.settings.hold)
        };
        let Draft { summary, offers } = drafted;
        let (priority, gives_back) = (request.priority, request.gives_back);
        let request = request.document();
        let new = Modification { request, summary, priority, gives_back, offers, then };
        let unchanged = Unchanged { id: stored.id, row_version: stored.row_version, basis };
        match self.shared.database.modify(unchanged, &new, now).await {
            Ok(modified) => Ok(modified),
            Err(ProposeError::Storage(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    /// The request that a reservation is to have.
    async fn modified_request(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        patch: &RequestPatch,
        text: &str,
        state: &SiteState,
    ) -> Result<BookingRequest, BookingError> {
        let request = self.read_request(text, Purpose::Reservation, state);
        let request = request.map_err(BookingError::InvalidRequest)?;
        if request.priority > stored.priority && !access.is_operator() {
            return Err(BookingError::PriorityIsForOperators);
        }
        let mut request = self.with_learnt_utilisation(request).await?;
        request.expected.clone_from(&patch.expected);
        Ok(request)
    }

    /// Whether the offer that is to be chosen is what is expected of it.
    async fn admit_chosen(
        &self,
        request: &BookingRequest,
        chosen: &NewOffer,
        alone: &Arc<SiteState>,
    ) -> Result<(), BookingError> {
        let Some(expected) = &request.expected else { return Ok(()) };
        let differences = expected.differences(&chosen.terms);
        if differences.is_empty() {
            return Ok(());
        }
        let decision = Some(self.possible_at(Arc::clone(alone), request).await?);
        Err(BookingError::OfferChanged { differences: differences.join(", "), decision })
    }

    /// Whether new offers may be held: one is what is expected, they are worth it where they are to take the
    /// place of another reservation, and their owner does not hold too much.
    async fn admit_held(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        request: &BookingRequest,
        drafted: &Draft,
        alone: &Arc<SiteState>,
    ) -> Result<(), BookingError> {
        let at_most = match stored.replaces {
            Some(replaced) => self.to_be_replaced(access, replaced).await?,
            None => None,
        };
        self.admit(drafted, request, at_most, alone).await?;
        let held = self.held_beside(access, alone, Some(stored.id)).await?;
        held.map_or(Ok(()), |held| held.admit(alone, &drafted.offers))
    }
}

/// The offer that wins a ranking.
fn best_by(ranking: Ranking, offers: &[NewOffer]) -> Option<&NewOffer> {
    offers.iter().find(|offer| offer.terms.rankings.contains(&ranking))
}

fn not_modifiable(state: ReservationState) -> BookingError {
    let way_out = match state {
        ReservationState::Active => {
            "while it runs, its labels and note can be changed, and its length by extending it or giving it back \
             (POST /api/v1/reservations/{id}/extend and release, wattbook extend and release)"
        }
        ReservationState::AwaitingSupplier => {
            "the supplier was asked for it as it is; cancel it and make another request"
        }
        _ => "it has ended, so there is nothing to change; make a new request",
    };
    BookingError::WrongState { state: state.word().to_owned(), way_out }
}
