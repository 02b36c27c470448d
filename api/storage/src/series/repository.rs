//! Series. They are no part of the book: what they book is, and has its own transactions.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::error::StorageError;
use crate::events::repository::Events;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::repository::Answers;
use crate::identity::SeriesId;
use crate::reservations::reservation::SeenBy;
use crate::series::error::CreateSeriesError;
use crate::series::row::{OccurrenceRow, SeriesRow};
use crate::series::{Occurrence, OccurrencesDue, RecurringSeries, SeriesChange, SeriesFilter};

repository!(
    /// Series of reservations and their occurrences.
    impl Database for SeriesRows {
        /// Stores a series with its occurrences, and the answer to be remembered.
        ///
        /// # Errors
        /// [`CreateSeriesError::IdempotencyKeyReused`]; storage failed.
        pub async fn create_series(
            &self,
            new: &RecurringSeries,
            rest: &SeriesChange,
            idempotency: Option<&IdempotencyRecord>,
        ) -> Result<(), CreateSeriesError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            if let Some(record) = idempotency
                && !Answers::<Engine>::remember(&mut transaction, std::slice::from_ref(record))
                    .await?
            {
                return Err(CreateSeriesError::IdempotencyKeyReused);
            }
            Self::bound_series(sqlx::query(sql::INSERT_SERIES), new)
                .execute(&mut *transaction)
                .await?;
            for occurrence in &rest.added {
                Self::bound_occurrence(sqlx::query(sql::INSERT_OCCURRENCE), occurrence)
                    .execute(&mut *transaction)
                    .await?;
            }
            Events::<Engine>::record(&mut transaction, &rest.events, new.created).await?;
            Ok(transaction.commit().await?)
        }

        /// Writes what becomes of a series and its occurrences, all of it or nothing: `false` where something was
        /// changed meanwhile.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn change_series(
            &self,
            change: &SeriesChange,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            if let Some(series) = &change.series {
                let updated = Self::bound_series(sqlx::query(sql::UPDATE_SERIES), series);
                if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
                    return Ok(false);
                }
            }
            for occurrence in &change.changed {
                let updated = sqlx::query(sql::UPDATE_OCCURRENCE);
                let updated = Self::bound_occurrence(updated, occurrence);
                if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
                    return Ok(false);
                }
            }
            for (name, occurrence) in &change.renamed {
                let renamed = sqlx::query(sql::RENAME_OCCURRENCE)
                    .bind(occurrence.series)
                    .bind(name)
                    .bind(&occurrence.occurrence);
                renamed.execute(&mut *transaction).await?;
                let updated = sqlx::query(sql::UPDATE_OCCURRENCE);
                let updated = Self::bound_occurrence(updated, occurrence);
                if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
                    return Ok(false);
                }
            }
            for occurrence in &change.added {
                Self::bound_occurrence(sqlx::query(sql::INSERT_OCCURRENCE), occurrence)
                    .execute(&mut *transaction)
                    .await?;
            }
            Events::<Engine>::record(&mut transaction, &change.events, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Notes that the first bookings of a series have all been tried.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn series_made(&self, id: SeriesId) -> Result<(), StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            sqlx::query(sql::SERIES_MADE).bind(id).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }

        /// Completes series of which nothing is left to come; how many.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn complete_series(&self, now: Timestamp) -> Result<u64, StorageError> {
            let any: bool = sqlx::query_scalar(sql::ANY_SERIES_TO_COMPLETE)
                .bind(now.as_unix_seconds())
                .fetch_one(&self.reader)
                .await?;
            if !any {
                return Ok(0);
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let completed = sqlx::query(sql::COMPLETE_SERIES)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(completed.rows_affected())
        }

        /// One series.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn series(&self, id: SeriesId) -> Result<Option<RecurringSeries>, StorageError> {
            let row: Option<SeriesRow> =
                sqlx::query_as(sql::SERIES).bind(id).fetch_optional(&self.reader).await?;
            row.map(RecurringSeries::try_from).transpose()
        }

        /// A page of series in the order of their ids, after the cursor, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn list_series(
            &self,
            filter: &SeriesFilter,
            after: Option<SeriesId>,
            limit: u16,
        ) -> Result<Vec<RecurringSeries>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::SERIES_WHERE);
            if let Some(owner) = &filter.owner {
                query.push(" AND owner = ").push_bind(owner);
            }
            if let Some(SeenBy { owner, projects, .. }) = &filter.seen_by {
                let projects: Vec<&str> = projects.iter().map(String::as_str).collect();
                query.push(" AND (owner = ").push_bind(owner).push(" OR project IN ");
                Engine::push_texts(&mut query, &projects);
                query.push(")");
            }
            if !filter.states.is_empty() {
                let mut states = query.push(" AND state IN (").separated(", ");
                for state in &filter.states {
                    states.push_bind(state.word());
                }
                states.push_unseparated(")");
            }
            if let Some(after) = after {
                query.push(" AND id > ").push_bind(after);
            }
            query.push(" ORDER BY id LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<SeriesRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(RecurringSeries::try_from).collect()
        }

        /// The occurrences of a series, in time order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn occurrences_of(&self, id: SeriesId) -> Result<Vec<Occurrence>, StorageError> {
            let rows: Vec<OccurrenceRow> =
                sqlx::query_as(sql::OCCURRENCES_OF).bind(id).fetch_all(&self.reader).await?;
            rows.into_iter().map(Occurrence::try_from).collect()
        }

        /// One occurrence.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn occurrence(
            &self,
            id: SeriesId,
            occurrence: &str,
        ) -> Result<Option<Occurrence>, StorageError> {
            let row: Option<OccurrenceRow> = sqlx::query_as(sql::OCCURRENCE)
                .bind(id)
                .bind(occurrence)
                .fetch_optional(&self.reader)
                .await?;
            row.map(Occurrence::try_from).transpose()
        }

        /// The occurrences of which reservations are, by reservation; those of no series are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn occurrences_by_reservation(
            &self,
            ids: &[ReservationId],
        ) -> Result<HashMap<ReservationId, Occurrence>, StorageError> {
            let mut found = HashMap::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::OCCURRENCES_BY_RESERVATION_WHERE);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(")");
                let rows: Vec<OccurrenceRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for row in rows {
                    let occurrence = Occurrence::try_from(row)?;
                    found.extend(occurrence.reservation.map(|id| (id, occurrence)));
                }
            }
            Ok(found)
        }

        /// Occurrences about which something is to be done, of one series or all, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn occurrences_due(
            &self,
            of: Option<SeriesId>,
            due: OccurrencesDue,
            limit: u16,
        ) -> Result<Vec<Occurrence>, StorageError> {
            let statement =
                if of.is_some() { sql::OCCURRENCES_DUE_OF } else { sql::OCCURRENCES_DUE };
            let mut query = sqlx::query_as(statement)
                .bind(due.by.as_unix_seconds())
                .bind(due.known.as_unix_seconds())
                .bind(due.opens.as_unix_seconds())
                .bind(i64::from(limit));
            if let Some(of) = of {
                query = query.bind(of);
            }
            let rows: Vec<OccurrenceRow> = query.fetch_all(&self.reader).await?;
            rows.into_iter().map(Occurrence::try_from).collect()
        }

        /// Notes that the occurrence of a reservation, if it is of one, was changed on its own.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn set_exception(&self, id: ReservationId) -> Result<(), StorageError> {
            let row: Option<OccurrenceRow> = sqlx::query_as(sql::OCCURRENCE_BY_RESERVATION)
                .bind(id.as_uuid())
                .fetch_optional(&self.reader)
                .await?;
            if row.is_none_or(|row| row.is_exception) {
                return Ok(());
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            sqlx::query(sql::SET_EXCEPTION).bind(id.as_uuid()).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl SeriesRows {
        fn bound_series<'q>(
            query: sqlx::query::Query<'q, Engine, <Engine as sqlx::Database>::Arguments>,
            series: &'q RecurringSeries,
        ) -> sqlx::query::Query<'q, Engine, <Engine as sqlx::Database>::Arguments> {
            query
                .bind(series.id)
                .bind(&series.owner)
                .bind(&series.project)
                .bind(series.standing.word())
                .bind(series.state.word())
                .bind(&series.request)
                .bind(&series.rule)
                .bind(series.being_made)
                .bind(series.releases)
                .bind(series.created.as_unix_seconds())
                .bind(series.ended.map(Timestamp::as_unix_seconds))
                .bind(series.revision)
                .bind(series.row_version)
        }

        fn bound_occurrence<'q>(
            query: sqlx::query::Query<'q, Engine, <Engine as sqlx::Database>::Arguments>,
            occurrence: &'q Occurrence,
        ) -> sqlx::query::Query<'q, Engine, <Engine as sqlx::Database>::Arguments> {
            let reason = occurrence.reason.as_ref();
            query
                .bind(occurrence.series)
                .bind(&occurrence.occurrence)
                .bind(occurrence.earliest_start.as_unix_seconds())
                .bind(occurrence.latest_start.as_unix_seconds())
                .bind(occurrence.known_by.as_unix_seconds())
                .bind(occurrence.state.word())
                .bind(occurrence.is_exception)
                .bind(occurrence.reservation.map(ReservationId::as_uuid))
                .bind(occurrence.revision)
                .bind(occurrence.next_try.map(Timestamp::as_unix_seconds))
                .bind(reason.map(|(code, _)| code))
                .bind(reason.map(|(_, words)| words))
                .bind(occurrence.version)
        }
    }
);
