//! Jobs outside of reservations. No part of the book.

use std::collections::BTreeSet;

use planner::resource_manager::ManagedJob;
use planner::time::{Span, Timestamp};

use super::sql;
use crate::changed_hours::repository::{ChangedHours, hour_s};
use crate::database::repository;
use crate::error::StorageError;
use crate::managed_jobs::repository::{ManagedJobs, Over};
use crate::managed_jobs::row::ManagedJobRow;

repository!(
    /// Jobs that the resource manager ran on our nodes outside of reservations of ours.
    impl Database for JobsOutside {
        /// Notes jobs outside of reservations, and when they were seen. One that is known, by its id and when it was
        /// submitted, is noted as it is now; if it was noted with a reservation it stays with it.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_jobs_outside(
            &self,
            jobs: &[ManagedJob],
            seen: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let all = jobs.iter().map(|job| (None, job));
            ManagedJobs::<Engine>::put_all(&mut transaction, all, Over::Changed).await?;
            sqlx::query(sql::PUT_JOBS_OUTSIDE_SEEN)
                .bind(seen.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// The jobs outside of reservations that run as far as is known, by id and submission, and when they were seen
        /// last; `None` before that was noted.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn running_jobs_outside(
            &self,
        ) -> Result<(Vec<ManagedJob>, Option<Timestamp>), StorageError> {
            let mut transaction = self.begin_read().await?;
            let rows: Vec<ManagedJobRow> =
                sqlx::query_as(sql::RUNNING_JOBS_OUTSIDE).fetch_all(&mut *transaction).await?;
            let seen: Option<i64> = sqlx::query_scalar(sql::JOBS_OUTSIDE_SEEN)
                .fetch_optional(&mut *transaction)
                .await?;
            transaction.commit().await?;
            let jobs = rows.into_iter().map(|row| Ok(row.job()?.1));
            let jobs: Result<Vec<ManagedJob>, StorageError> = jobs.collect();
            Ok((jobs?, seen.map(Timestamp::from_unix_seconds)))
        }

        /// Notes that jobs outside of reservations may have run unseen since they were seen last, until `until`. Where they
        /// were never seen there is nothing to note.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_unseen_outside(&self, until: Timestamp) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::NOTE_UNSEEN_OUTSIDE)
                .bind(until.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// Over which time jobs outside of reservations may have run unseen; `None` where all are known.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unseen_outside(&self) -> Result<Option<Span>, StorageError> {
            let row: Option<(i64, i64)> =
                sqlx::query_as(sql::UNSEEN_OUTSIDE).fetch_optional(&self.reader).await?;
            let [from, to] = match row {
                Some((from_s, to_s)) => [from_s, to_s].map(Timestamp::from_unix_seconds),
                None => return Ok(None),
            };
            Ok(Span::new(from, to))
        }

        /// Notes jobs outside of reservations that ran unseen in `span`, and that all that ran until its end are known. One
        /// that was seen to end, or is of a reservation, stays as it is known. The hours of the span are to be stated anew.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_unseen_outside(
            &self,
            jobs: &[ManagedJob],
            span: Span,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let all = jobs.iter().map(|job| (None, job));
            ManagedJobs::<Engine>::put_all(&mut transaction, all, Over::Unseen).await?;
            ChangedHours::<Engine>::note(&mut transaction, hours_of(span)).await?;
            sqlx::query(sql::KNOWN_OUTSIDE)
                .bind(span.end().as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }
);

/// The hours that a span touches, by their starts.
fn hours_of(span: Span) -> BTreeSet<i64> {
    (hour_s(span.start())..span.end().as_unix_seconds()).step_by(3600).collect()
}
