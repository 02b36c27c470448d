//! Jobs in managed reservations. No part of the book.

use std::collections::{BTreeMap, HashMap};

use planner::identity::ReservationId;
use planner::resource_manager::{JobsSummary, ManagedJob};
use planner::time::{Seconds, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::amounts::energy_text;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::managed_jobs::row::{JobsSummaryRow, ManagedJobRow};
use crate::reservations::row::{BETWEEN_NAMES, name_text};

repository!(
    /// Jobs that the resource manager ran, or will run, in reservations of ours.
    impl Database for ManagedJobs {
        /// Notes jobs, each with its reservation. One that is known, by its id and when it was submitted, is
        /// noted as it is now; an energy that was measured and a raw id stay where none is told.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_managed_jobs(
            &self,
            jobs: &[(ReservationId, ManagedJob)],
        ) -> Result<(), StorageError> {
            if jobs.is_empty() {
                return Ok(());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let jobs = jobs.iter().map(|(reservation, job)| (Some(*reservation), job));
            Self::put_all(&mut transaction, jobs, Over::Changed).await?;
            Ok(transaction.commit().await?)
        }

        /// Forgets jobs, by their ids and when they were submitted.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_managed_jobs(
            &self,
            jobs: &[(String, Timestamp)],
        ) -> Result<(), StorageError> {
            if jobs.is_empty() {
                return Ok(());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            for (id, submitted) in jobs {
                sqlx::query(sql::FORGET_MANAGED_JOB)
                    .bind(id)
                    .bind(submitted.as_unix_seconds())
                    .execute(&mut *transaction)
                    .await?;
            }
            Ok(transaction.commit().await?)
        }

        /// At most `limit` jobs that ended at `since` or later and whose consumption is not known, and those that
        /// are in `state`, of which nobody saw the end, from another instant on; those that ended first before
        /// others, each with its reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unaccounted_managed_jobs(
            &self,
            since: Timestamp,
            state: &str,
            state_since: Timestamp,
            limit: u16,
        ) -> Result<Vec<(ReservationId, ManagedJob)>, StorageError> {
            let rows: Vec<ManagedJobRow> = sqlx::query_as(sql::UNACCOUNTED_MANAGED_JOBS)
                .bind(since.as_unix_seconds())
                .bind(state)
                .bind(state_since.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(ManagedJobRow::job_of_reservation).collect()
        }

        /// The jobs of these reservations that wait or run, and those that ended at `ended_since` or later, each
        /// with its reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn recent_managed_jobs_of(
            &self,
            ids: &[ReservationId],
            ended_since: Timestamp,
        ) -> Result<Vec<(ReservationId, ManagedJob)>, StorageError> {
            let mut jobs = Vec::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES - 1) {
                let mut query = QueryBuilder::<Engine>::new(sql::RECENT_MANAGED_JOBS);
                query.push_bind(ended_since.as_unix_seconds()).push(") AND reservation_id IN (");
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(") ORDER BY reservation_id, submitted_s, id");
                let rows: Vec<ManagedJobRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for row in rows {
                    jobs.push(row.job_of_reservation()?);
                }
            }
            Ok(jobs)
        }

        /// The newest jobs of these reservations, so many of `each` at the most, by reservation, submission and id.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_managed_jobs_of(
            &self,
            ids: &[ReservationId],
            each: u16,
        ) -> Result<Vec<(ReservationId, ManagedJob)>, StorageError> {
            let mut jobs = Vec::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES - 1) {
                let mut query = QueryBuilder::<Engine>::new(sql::NEWEST_MANAGED_JOBS);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                query.push(sql::NEWEST_MANAGED_JOBS_END).push_bind(i64::from(each));
                query.push(" ORDER BY reservation_id, submitted_s, id");
                let rows: Vec<ManagedJobRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for row in rows {
                    jobs.push(row.job_of_reservation()?);
                }
            }
            Ok(jobs)
        }

        /// At most `limit` jobs that ran, in reservations or outside of them: those that ended last, the last one first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn last_ended_jobs(&self, limit: u16) -> Result<Vec<ManagedJob>, StorageError> {
            let rows: Vec<ManagedJobRow> = sqlx::query_as(sql::LAST_ENDED_JOBS)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(|row| Ok(row.job()?.1)).collect()
        }

        /// At most `limit` jobs of a reservation behind one, which is named by its submission and id, by
        /// submission and id.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_jobs_page(
            &self,
            id: ReservationId,
            after: Option<(Timestamp, String)>,
            limit: u16,
        ) -> Result<Vec<ManagedJob>, StorageError> {
            let (submitted, job) = after.unwrap_or((Timestamp::MIN, String::new()));
            let rows: Vec<ManagedJobRow> = sqlx::query_as(sql::MANAGED_JOBS_PAGE)
                .bind(id.as_uuid())
                .bind(submitted.as_unix_seconds())
                .bind(job)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(|row| Ok(row.job()?.1)).collect()
        }

        /// What the jobs of these reservations are together at `now`. Those without jobs are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_jobs_summary(
            &self,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<HashMap<ReservationId, JobsSummary>, StorageError> {
            let mut summaries = HashMap::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES - 2) {
                let mut query = QueryBuilder::<Engine>::new(sql::MANAGED_JOBS_SUMMARY);
                query.push_bind(now.as_unix_seconds()).push(sql::MANAGED_JOBS_SUMMARY_TAB);
                query.push_bind(BETWEEN_NAMES).push(sql::MANAGED_JOBS_SUMMARY_IDS);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                query.push(sql::MANAGED_JOBS_SUMMARY_END);
                let rows: Vec<JobsSummaryRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                summaries.extend(rows.into_iter().map(JobsSummaryRow::summary));
            }
            Ok(summaries)
        }
    }

    /// Parts of transactions.
    impl ManagedJobs {
        /// Notes jobs, each with its reservation if it ran in one; of those that are known what `over` says.
        pub(crate) async fn put_all<'j>(
            connection: &mut Connection<Engine>,
            jobs: impl Iterator<Item = (Option<ReservationId>, &'j ManagedJob)>,
            over: Over,
        ) -> Result<(), StorageError> {
            // A statement may name a row once.
            let jobs: BTreeMap<(&str, Timestamp), (Option<ReservationId>, &ManagedJob)> =
                jobs.map(|it| ((it.1.id.as_str(), it.1.submitted), it)).collect();
            let jobs: Vec<(Option<ReservationId>, &ManagedJob)> = jobs.into_values().collect();
            for chunk in jobs.chunks((MAX_BOUND_VALUES - 1) / 16) {
                let mut insert = QueryBuilder::<Engine>::new(sql::MANAGED_JOBS_BULK);
                insert.push_values(chunk, |mut row, (reservation_id, job)| {
                    row.push_bind(&job.id)
                        .push_bind(job.submitted.as_unix_seconds())
                        .push_bind(reservation_id.map(ReservationId::as_uuid))
                        .push_bind(&job.user)
                        .push_bind(&job.account)
                        .push_bind(&job.partition)
                        .push_bind(&job.name)
                        .push_bind(&job.state)
                        .push_bind(job.phase.word())
                        .push_bind(job.start.map(Timestamp::as_unix_seconds))
                        .push_bind(job.end.map(Timestamp::as_unix_seconds))
                        .push_bind(job.limit.map(Seconds::get))
                        .push_bind(name_text(&job.nodes))
                        .push_bind(job.reservation.as_deref())
                        .push_bind(job.energy.map(energy_text))
                        .push_bind(job.raw_id);
                });
                insert.push(sql::MANAGED_JOBS_BULK_KNOWN);
                match over {
                    Over::Changed => insert.push(sql::MANAGED_JOBS_CHANGED),
                    Over::Unseen => {
                        insert.push(sql::MANAGED_JOBS_UNSEEN).push_bind(ManagedJob::FORGOTTEN);
                        insert.push(")")
                    }
                };
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);

/// Which of the jobs that are known are noted anew.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Over {
    /// Those that changed.
    Changed,
    /// Those outside of reservations of which nobody saw how they ended.
    Unseen,
}
