//! Bookings at once: a request is proposed and the best offer by a ranking chosen, in one step.

use planner::identity::ReservationId;
use planner::preference::Preference;
use planner::reservation::{OfferSelector, Reservation};

use super::{BookingError, BookingRequest, BookingService, Choice};
use crate::service::shared::Access;

impl BookingService {
    /// Books a request for somebody by the offer that is chosen by a preference.
    ///
    /// # Errors
    /// `Forbidden`, those of proposals, `TooFarAhead`, and those of choices. A proposal of which nothing could be chosen ends with
    /// its hold.
    pub(in crate::service) async fn book_at_once(
        &self,
        access: Access<'_>,
        request: BookingRequest,
        preference: Preference,
    ) -> Result<Reservation, BookingError> {
        let request = self.within_rights(access, request)?.to_choose_by(preference);
        self.check_ahead(access, &request)?;
        let request = self.with_learnt_utilisation(request).await?;
        let proposed = self.propose(access, &request, None).await?;
        self.choose_by(access, proposed.id(), preference).await
    }

    /// Chooses an offer of a proposal by a preference.
    ///
    /// # Errors
    /// Those of choices.
    pub(in crate::service) async fn choose_by(
        &self,
        access: Access<'_>,
        id: ReservationId,
        preference: Preference,
    ) -> Result<Reservation, BookingError> {
        let state = self.shared.state().await?;
        let choice = Choice { selector: OfferSelector::Preferred(preference), expected: None };
        Ok(self.choose(access, id, &choice, None, &state).await?.after)
    }
}
