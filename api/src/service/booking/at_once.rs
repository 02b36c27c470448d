//! Bookings at once: a request is proposed and the best offer by a ranking chosen, in one step.

use planner::identity::ReservationId;
use planner::ranking::Ranking;
use planner::reservation::{OfferSelector, Reservation};

use super::{BookingError, BookingRequest, BookingService, Choice, Proposed};
use crate::service::shared::Access;

impl BookingService {
    /// Books a request for somebody by the offer that wins a ranking.
    ///
    /// # Errors
    /// `Forbidden`, those of proposals, `TooFarAhead`, and those of choices. A proposal of which nothing could be chosen ends with
    /// its hold.
    pub(in crate::service) async fn book_at_once(
        &self,
        access: Access<'_>,
        request: BookingRequest,
        ranking: Ranking,
    ) -> Result<Reservation, BookingError> {
        let request = self.within_rights(access, request)?;
        self.check_ahead(access, &request)?;
        let request = self.with_learnt_utilisation(request).await?;
        let (Proposed::New(id) | Proposed::Before(id)) =
            self.propose(access, &request, None).await?;
        self.choose_by(access, id, ranking).await
    }

    /// Chooses the offer of a proposal that wins a ranking.
    ///
    /// # Errors
    /// Those of choices.
    pub(in crate::service) async fn choose_by(
        &self,
        access: Access<'_>,
        id: ReservationId,
        ranking: Ranking,
    ) -> Result<Reservation, BookingError> {
        let state = self.shared.state().await?;
        let choice = Choice { selector: OfferSelector::Ranking(ranking), expected: None };
        Ok(self.choose(access, id, &choice, None, &state).await?.after)
    }
}
