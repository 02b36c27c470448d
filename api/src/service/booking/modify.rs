//! Modifications: a reservation gets another request, and is planned anew as if it were not there. What it
//! holds is kept until what is new is certain.

use std::sync::Arc;

use planner::identity::ReservationId;
use planner::preference::Preference;
use planner::quota::QuotaSubject;
use planner::reservation::{Reservation, ReservationState};
use planner::time::Seconds;
use storage::{
    AfterModification, ChangeError, Modification, NewOffer, NewWords, PlanBasis, ProposeError,
    Unchanged,
};

use super::request_patch::{RequestPatch, words_of};
use super::{BookingError, BookingRequest, BookingService, ChangedReservation, Draft, Purpose};
use crate::service::shared::{Access, Party, SiteState, StoredWords, quota_subject};

/// How often a reservation is planned anew when others change the book meanwhile.
const TRIES: usize = 8;

/// A proposal that is modified is held for so many holds together at the most.
const MOST_HOLDS: i64 = 4;

impl BookingService {
    /// Changes the request of a reservation. A proposed one gets new offers, which are held anew; a confirmed
    /// one the best start by the patch's ranking, or by one that its chosen offer wins. Labels, the note and the
    /// project change nothing that is held, so that they may change in every state but the final ones.
    ///
    /// # Errors
    /// `Impossible`, `OfferChanged`, `InvalidRequest`, `WrongState`, `VersionMismatch`, `NoReservation`,
    /// `NotTheirs`, `NotInProject`, `NoProject`, `Quota`, `TooFarAhead`, `PriorityIsForOperators`, `TooMuchHeld`,
    /// `NoGain`, `BookChanged`, `Quote`; nothing is changed then.
    pub async fn modify(
        &self,
        access: Access<'_>,
        id: ReservationId,
        patch: &RequestPatch,
        version: Option<i64>,
    ) -> Result<ChangedReservation, BookingError> {
        let _booking = self.shared.pool.booking_turn(Party::of(access)).await?;
        for _ in 0..TRIES {
            let stored = self.expected_reservation(access, id, version).await?;
            let merged = patch.merged_into(&stored)?;
            if patch.changes_nothing(&merged) {
                return Ok(ChangedReservation { before: stored.clone(), after: stored });
            }
            let modified = if patch.changes_words_only(&merged) {
                self.reworded(access, &stored, &merged.text).await?
            } else {
                self.planned_anew(access, &stored, patch, &merged.text).await?
            };
            if let Some(modified) = modified {
                metrics::counter!("wattbook_modifications_total").increment(1);
                return Ok(ChangedReservation {
                    before: stored,
                    after: self.changed(modified).await?,
                });
            }
        }
        Err(BookingError::BookChanged)
    }

    /// Writes other labels, another note or another project; `None` where the reservation changed meanwhile.
    async fn reworded(
        &self,
        access: Access<'_>,
        stored: &Reservation,
        request: &str,
    ) -> Result<Option<Reservation>, BookingError> {
        let words = words_of(request).map_err(BookingError::InvalidRequest)?;
        let project = words.project.unwrap_or_default();
        let reworded =
            Reservation { project: project.clone(), request: request.to_owned(), ..stored.clone() };
        let owner = of_owner(access, stored);
        let (mut basis, mut share_factor) = (None, stored.share_factor);
        if project != stored.project {
            let named = Some(project.as_str()).filter(|project| !project.is_empty());
            self.check_project(access, named)?;
            self.is_allowed_by_rule(access, &reworded)?;
            self.check_ahead_of(owner, &reworded)?;
            share_factor = self.share_of(owner, &project).map(|it| it.factor);
        }
        if subject_of(&reworded) != subject_of(stored) {
            basis = self.shared.state().await?.marks.map(PlanBasis::from);
            self.check_quotas_of(access, &reworded, None).await?;
        }
        let (id, now, version) = (stored.id, self.shared.now(), stored.row_version);
        let words = NewWords { request, project: &project, share_factor, basis };
        match self.shared.database.set_request(id, words, now, version).await {
            Ok(relabelled) => Ok(Some(relabelled)),
            Err(ChangeError::VersionMismatch { .. } | ChangeError::BookChanged) => Ok(None),
            Err(ChangeError::NotFound) => Err(BookingError::NoReservation(id)),
            Err(ChangeError::WrongState { state }) => Err(not_modifiable(state)),
            Err(ChangeError::BeingReplaced) => Err(BookingError::BookChanged),
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
        let mut request = self.modified_request(access, stored, patch, request, &state).await?;
        let preference = patch.preference_for(stored);
        if before == ReservationState::Confirmed {
            request = request.to_choose_by(preference);
        }
        let alone = Arc::new(state.without(stored.id));
        let drafted = self.drafted_now(&alone, &request).await?;
        let project = request.project.clone().unwrap_or_default();
        let share = self.share_of(of_owner(access, stored), &project);
        let then = if before == ReservationState::Confirmed {
            let best = best_by(preference, &drafted.offers);
            let Some(best) = best else { return Ok(None) };
            self.admit_chosen(&request, best, &alone).await?;
            AfterModification::Chosen(best.id)
        } else {
            self.admit_held(access, stored, &request, &drafted, &alone).await?;
            let hold = share.and_then(|it| it.hold()).unwrap_or(self.shared.settings.hold);
            // Patched again and again, it does not keep nodes from others for ever.
            let longest = stored.created + Seconds::new(MOST_HOLDS * hold.get());
            let expires = (now + hold).min(longest).max(stored.expires);
            AfterModification::HeldUntil(expires)
        };
        let Draft { summary, offers } = drafted;
        let (priority, gives_back) = (request.priority, request.gives_back);
        let (request, share_factor) = (request.document(), share.map(|it| it.factor));
        let new = Modification {
            request,
            project,
            share_factor,
            summary,
            priority,
            gives_back,
            offers,
            then,
        };
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
        let mut request = request;
        if request.project.as_deref().unwrap_or_default() != stored.project {
            request = self.with_project(access, request)?;
        }
        let request = self.within_rights(access, request)?;
        let owner = of_owner(access, stored);
        self.check_ahead(owner, &request)?;
        let mut request = self.with_learnt_utilisation(self.under_quotas(owner, &request)).await?;
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
        let owner = of_owner(access, stored);
        let share = self.share_of(owner, request.project.as_deref().unwrap_or_default());
        let held = self.held_beside(owner, alone, stored.id).await?;
        let most_h = self.most_held_h(share);
        held.map_or(Ok(()), |held| held.admit(most_h, alone, &drafted.offers))
    }
}

/// The access of who changes a reservation, to what its owner may hold.
pub(super) fn of_owner<'a>(access: Access<'a>, stored: &'a Reservation) -> Access<'a> {
    Access { owner: &stored.owner, ..access }
}

/// Whose a reservation is, as quotas see it.
fn subject_of(stored: &Reservation) -> QuotaSubject {
    let words = StoredWords::of_request(&stored.request);
    let partition = words.partition.as_deref();
    quota_subject(&stored.owner, partition, &stored.project, &words.labels)
}

/// The first of the offers that are chosen by a preference.
fn best_by(preference: Preference, offers: &[NewOffer]) -> Option<&NewOffer> {
    offers.iter().find(|offer| offer.terms.is_preferred_by(preference))
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
