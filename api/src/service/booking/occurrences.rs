//! Reservations that are occurrences of series.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use storage::Occurrence;

use super::BookingService;
use crate::service::shared::Fault;

impl BookingService {
    /// The occurrences of which reservations are, by reservation; those of no series are left out.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn occurrences_of(
        &self,
        reservations: &[Reservation],
    ) -> Result<HashMap<ReservationId, Occurrence>, Fault> {
        let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
        Ok(self.shared.database.occurrences_by_reservation(&ids).await?)
    }

    /// Notes that a reservation was changed on its own, so that changes of its series, if it has one, leave it alone.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn changed_alone(&self, id: ReservationId) -> Result<(), Fault> {
        Ok(self.shared.database.set_exception(id).await?)
    }
}
