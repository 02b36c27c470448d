//! What is known of reservations in the resource manager.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use planner::resource_manager::{JobPhase, ManagedJob, WithJobs, node_seconds_used};
use storage::StoredManagedReservation;

use super::{BookingError, BookingService};
use crate::service::shared::Fault;

/// What is known of a reservation in the resource manager.
pub struct ManagedOf {
    /// How it stands there.
    pub managed: StoredManagedReservation,
    /// Its jobs, by submission.
    pub jobs: Vec<ManagedJob>,
    /// What these have used by now, node-seconds.
    pub used_node_seconds: u64,
}

impl BookingService {
    /// What is known of these reservations in the resource manager. Those that were never to be made there
    /// are left out.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn managed_of(
        &self,
        reservations: &[Reservation],
    ) -> Result<HashMap<ReservationId, ManagedOf>, Fault> {
        if self.shared.settings.manager.is_none() || reservations.is_empty() {
            return Ok(HashMap::new());
        }
        let (database, now) = (&self.shared.database, self.shared.now());
        let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
        let rows = database.managed_reservations_of(&ids).await?;
        let ids: Vec<ReservationId> = rows.iter().map(|row| row.reservation_id).collect();
        let mut jobs: HashMap<ReservationId, Vec<ManagedJob>> = HashMap::new();
        for (id, job) in database.managed_jobs_of(&ids).await? {
            jobs.entry(id).or_default().push(job);
        }
        let of_one = |managed: StoredManagedReservation| {
            let jobs = jobs.remove(&managed.reservation_id).unwrap_or_default();
            let used_node_seconds = node_seconds_used(&jobs, now);
            (managed.reservation_id, ManagedOf { managed, jobs, used_node_seconds })
        };
        Ok(rows.into_iter().map(of_one).collect())
    }

    /// Refuses to cancel a reservation with jobs, where the site wants that. Jobs that were submitted since
    /// the last poll are not known yet, so that to look beforehand is as good as in the transaction.
    pub(super) async fn refuse_with_jobs(&self, id: ReservationId) -> Result<(), BookingError> {
        let manager = self.shared.settings.manager.as_ref();
        if manager.is_none_or(|it| it.rules.with_jobs != WithJobs::Refuse) {
            return Ok(());
        }
        let jobs = self.shared.database.managed_jobs_of(&[id]).await?;
        let lasting = jobs.iter().filter(|(_, job)| job.phase != JobPhase::Ended);
        let jobs: Vec<String> = lasting.map(|(_, job)| job.id.clone()).collect();
        if jobs.is_empty() { Ok(()) } else { Err(BookingError::HasJobs { id, jobs }) }
    }

    /// Refuses to choose an offer of a reservation that takes the place of one with jobs: that one would be
    /// cancelled.
    pub(super) async fn refuse_to_replace_jobs(
        &self,
        chosen: &Reservation,
    ) -> Result<(), BookingError> {
        let now = self.shared.now();
        let is_held = chosen.state_at(now) == ReservationState::Proposed;
        let Some(replaced) = chosen.replaces.filter(|_| is_held) else { return Ok(()) };
        let stored = self.shared.database.reservation(replaced).await?;
        let is_over = stored.is_none_or(|it| it.state_at(now).is_final());
        if is_over { Ok(()) } else { self.refuse_with_jobs(replaced).await }
    }
}
