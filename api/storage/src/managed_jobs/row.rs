//! Rows of jobs, and their way into the domain.

use planner::identity::ReservationId;
use planner::resource_manager::{JobPhase, JobsSummary, ManagedJob};
use planner::time::{Seconds, Timestamp};
use sqlx::FromRow;
use uuid::Uuid;

use crate::amounts::energy;
use crate::error::StorageError;
use crate::reservations::row::names_of;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct ManagedJobRow {
    id: String,
    submitted_s: i64,
    reservation_id: Option<Uuid>,
    user_name: String,
    account: String,
    partition_name: String,
    job_name: String,
    state: String,
    phase: String,
    start_s: Option<i64>,
    end_s: Option<i64>,
    limit_s: Option<i64>,
    nodes: String,
    ran_in: Option<String>,
    energy_uj: Option<String>,
    raw_id: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct JobsSummaryRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    jobs: i64,
    lasting: i64,
    unknown_ends: i64,
    begun: i64,
    last_end_s: Option<i64>,
    used_node_seconds: i64,
}

impl JobsSummaryRow {
    /// What the jobs of a reservation are together.
    pub(crate) fn summary(self) -> (ReservationId, JobsSummary) {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        let summary = JobsSummary {
            jobs: count(self.jobs),
            lasting: count(self.lasting),
            unknown_ends: count(self.unknown_ends),
            begun: count(self.begun),
            last_end: instant(self.last_end_s),
            used_node_seconds: count(self.used_node_seconds),
        };
        (self.reservation_id, summary)
    }
}

impl ManagedJobRow {
    /// The job of this row, which belongs to a reservation.
    pub(crate) fn job_of_reservation(self) -> Result<(ReservationId, ManagedJob), StorageError> {
        let (reservation, job) = self.job()?;
        let place = RowPlace { table: "managed_jobs", row: &job.id };
        Ok((place.readable("reservation_id", reservation)?, job))
    }

    /// The job of this row, and the reservation that it belongs to; `None` where it ran outside of reservations.
    pub(crate) fn job(self) -> Result<(Option<ReservationId>, ManagedJob), StorageError> {
        let row = self;
        let place = RowPlace { table: "managed_jobs", row: &row.id };
        let measured = |text: &str| place.readable("energy_uj", energy(text));
        let job = ManagedJob {
            phase: place.word("phase", &row.phase, JobPhase::from_word)?,
            energy: row.energy_uj.as_deref().map(measured).transpose()?,
            submitted: Timestamp::from_unix_seconds(row.submitted_s),
            start: instant(row.start_s),
            end: instant(row.end_s),
            limit: row.limit_s.map(Seconds::new),
            queued: None,
            nodes: names_of(&row.nodes),
            id: row.id,
            raw_id: row.raw_id,
            user: row.user_name,
            account: row.account,
            partition: row.partition_name,
            name: row.job_name,
            state: row.state,
            reservation: row.ran_in,
        };
        Ok((row.reservation_id.map(ReservationId::new), job))
    }
}
