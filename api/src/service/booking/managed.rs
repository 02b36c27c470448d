//! What is known of reservations in the resource manager.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use planner::resource_manager::{JobPhase, JobsSummary, ManagedJob, WithJobs};
use planner::time::Timestamp;
use storage::StoredManagedReservation;

use super::{BookingError, BookingService};
use crate::service::shared::{Access, Fault, cut_page};

/// What is known of a reservation in the resource manager.
pub struct ManagedOf {
    /// How it stands there.
    pub managed: StoredManagedReservation,
    /// The newest of its jobs, by submission.
    pub jobs: Vec<ManagedJob>,
    /// What all of its jobs are together.
    pub summary: JobsSummary,
}

/// Of a reservation that is shown by itself so many jobs are told beside it.
pub const JOBS_OF_ONE: u16 = 100;

/// Of each reservation in a list so many jobs are told.
pub const JOBS_OF_EACH: u16 = 10;

/// A page of a reservation's jobs.
pub struct JobsPage {
    /// By submission.
    pub jobs: Vec<ManagedJob>,
    /// The last of them, where there are more.
    pub next: Option<(Timestamp, String)>,
}

impl BookingService {
    /// What is known of these reservations in the resource manager, with the newest jobs `of_each`. Those that
    /// were never to be made there are left out.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn managed_of(
        &self,
        reservations: &[Reservation],
        of_each: u16,
    ) -> Result<HashMap<ReservationId, ManagedOf>, Fault> {
        if self.shared.settings.manager.is_none() || reservations.is_empty() {
            return Ok(HashMap::new());
        }
        let (database, now) = (&self.shared.database, self.shared.now());
        let ids: Vec<ReservationId> = reservations.iter().map(|it| it.id).collect();
        let rows = database.managed_reservations_of(&ids).await?;
        let ids: Vec<ReservationId> = rows.iter().map(|row| row.reservation_id).collect();
        let mut jobs: HashMap<ReservationId, Vec<ManagedJob>> = HashMap::new();
        for (id, job) in database.newest_managed_jobs_of(&ids, of_each).await? {
            jobs.entry(id).or_default().push(job);
        }
        let mut summaries = database.managed_jobs_summary(&ids, now).await?;
        let of_one = |managed: StoredManagedReservation| {
            let jobs = jobs.remove(&managed.reservation_id).unwrap_or_default();
            let summary = summaries.remove(&managed.reservation_id).unwrap_or_default();
            (managed.reservation_id, ManagedOf { managed, jobs, summary })
        };
        Ok(rows.into_iter().map(of_one).collect())
    }

    /// A page of the jobs that ran, run or wait in a reservation, behind one of them.
    ///
    /// # Errors
    /// There is no such reservation, or it is not the caller's.
    pub async fn jobs_of(
        &self,
        access: Access<'_>,
        id: ReservationId,
        after: Option<(Timestamp, String)>,
        limit: u16,
    ) -> Result<JobsPage, BookingError> {
        let id = self.reservation(access, id).await?.id;
        let more = limit.saturating_add(1);
        let mut jobs = self.shared.database.managed_jobs_page(id, after, more).await?;
        let next = cut_page(&mut jobs, limit, |job| (job.submitted, job.id.clone()));
        Ok(JobsPage { jobs, next })
    }

    /// Refuses to cancel a reservation with jobs, where the site wants that. Jobs that were submitted since
    /// the last poll are not known yet, so that to look beforehand is as good as in the transaction.
    pub(super) async fn refuse_with_jobs(&self, id: ReservationId) -> Result<(), BookingError> {
        let manager = self.shared.settings.manager.as_ref();
        if manager.is_none_or(|it| it.rules.with_jobs != WithJobs::Refuse) {
            return Ok(());
        }
        let now = self.shared.now();
        let jobs = self.shared.database.recent_managed_jobs_of(&[id], now).await?;
        let lasting = jobs.iter().filter(|(_, job)| job.phase != JobPhase::Ended);
        let jobs: Vec<String> = lasting.map(|(_, job)| job.id.clone()).collect();
        if jobs.is_empty() { Ok(()) } else { Err(BookingError::HasJobs { id, jobs }) }
    }

    /// Refuses to choose an offer of a reservation that takes the place of one with jobs: that one would be
    /// cancelled.
    pub(super) async fn check_replaced(
        &self,
        access: Access<'_>,
        chosen: &Reservation,
    ) -> Result<(), BookingError> {
        let now = self.shared.now();
        let is_held = chosen.state_at(now) == ReservationState::Proposed;
        let Some(replaced) = chosen.replaces.filter(|_| is_held) else { return Ok(()) };
        let stored = self.shared.database.reservation(replaced).await?;
        let Some(stored) = stored.filter(|it| !it.state_at(now).is_final()) else { return Ok(()) };
        if !access.may_change(&stored) {
            return Err(BookingError::NotTheirs { id: replaced, owner: stored.owner });
        }
        self.refuse_with_jobs(replaced).await
    }
}
