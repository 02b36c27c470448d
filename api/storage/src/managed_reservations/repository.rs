//! Managed reservations. No part of the book: plans do not rest on how reservations stand in the resource
//! manager, but on what it withholds (`outages`).

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::resource_manager::{ManagedState, WantedReservation, reservation_name};
use planner::time::Timestamp;
use serde_json::json;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::managed_reservations::row::{ManagedReservationRow, UnseenJobsRow, pushed_text};
use crate::managed_reservations::{ManagedReservationEvent, StoredManagedReservation};

/// What is told of a managed reservation.
fn told(
    event: ManagedReservationEvent,
    managed: &StoredManagedReservation,
    owner: &str,
) -> NewEvent {
    let data = json!({
        "reservation_id": managed.reservation_id.to_string(),
        "name": managed.name,
        "state": managed.state.word(),
    });
    NewEvent::new(event.word(), data).of(owner)
}

repository!(
    /// Reservations in the resource manager that stand for ours.
    impl Database for ManagedReservations {
        /// How these reservations stand in the resource manager, by their ids. Those that were never to be
        /// made there are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_reservations_of(
            &self,
            ids: &[ReservationId],
        ) -> Result<Vec<StoredManagedReservation>, StorageError> {
            let mut found = Vec::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::MANAGED_RESERVATIONS_WHERE);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(") ORDER BY reservation_id");
                let rows: Vec<ManagedReservationRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for row in rows {
                    found.push(row.try_into()?);
                }
            }
            Ok(found)
        }

        /// Reservations that are confirmed or active at `now` and were chosen while there was no resource
        /// manager, with their owners.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unmanaged_reservations(
            &self,
            now: Timestamp,
        ) -> Result<Vec<(ReservationId, String)>, StorageError> {
            let unmanaged: Vec<(Uuid, String)> = sqlx::query_as(sql::UNMANAGED_RESERVATIONS)
                .bind(now.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(unmanaged.into_iter().map(|(id, owner)| (ReservationId::new(id), owner)).collect())
        }

        /// Puts reservations into the outbox that are confirmed or active at `now` and were chosen while
        /// there was no resource manager, and tells their owners; which.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn adopt_reservations(
            &self,
            now: Timestamp,
        ) -> Result<Vec<ReservationId>, StorageError> {
            let unmanaged: HashMap<ReservationId, String> =
                self.unmanaged_reservations(now).await?.into_iter().collect();
            if unmanaged.is_empty() {
                return Ok(Vec::new());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let ids: Vec<ReservationId> = unmanaged.keys().copied().collect();
            let mut adopted = Self::insert(&mut transaction, &ids, now).await?;
            adopted.sort_unstable();
            let event = |id: &ReservationId| {
                let managed = StoredManagedReservation::new(*id, now);
                told(ManagedReservationEvent::Waiting, &managed, &unmanaged[id])
            };
            let events: Vec<NewEvent> = adopted.iter().map(event).collect();
            Events::<Engine>::record_beside(&mut transaction, &events, now).await?;
            transaction.commit().await?;
            Ok(adopted)
        }

        /// Notes how a reservation stands in the resource manager, and tells its owner of `event` in the
        /// same transaction.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_managed_reservation(
            &self,
            managed: &StoredManagedReservation,
            event: Option<ManagedReservationEvent>,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let pushed = managed.pushed.as_ref().map(|(wanted, at)| (pushed_text(wanted), *at));
            let (pushed, row_version) = pushed.unzip();
            sqlx::query(sql::PUT_MANAGED_RESERVATION)
                .bind(managed.reservation_id.as_uuid())
                .bind(&managed.name)
                .bind(managed.state.word())
                .bind(managed.because.as_deref())
                .bind(pushed)
                .bind(row_version)
                .bind(managed.drift.as_deref())
                .bind(managed.changed.as_unix_seconds())
                .bind(i64::from(managed.attempts))
                .bind(managed.next_attempt.map(Timestamp::as_unix_seconds))
                .bind(managed.idle_since.map(Timestamp::as_unix_seconds))
                .bind(i64::try_from(managed.used_node_seconds).unwrap_or(i64::MAX))
                .execute(&mut *connection)
                .await?;
            if let Some(event) = event {
                let owner: String = sqlx::query_scalar(sql::OWNER_OF_RESERVATION)
                    .bind(managed.reservation_id.as_uuid())
                    .fetch_one(&mut *connection)
                    .await?;
                let event = told(event, managed, &owner);
                Events::<Engine>::record_beside(connection, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Notes that jobs may have run unseen in reservations, as they were pushed last.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_unseen_jobs(&self, ids: &[ReservationId]) -> Result<(), StorageError> {
            if ids.is_empty() {
                return Ok(());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::NOTE_UNSEEN_JOBS);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(")");
                query.build().execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Some reservations in which jobs may have run unseen, with what had been pushed then.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unseen_jobs(
            &self,
            most: u16,
        ) -> Result<Vec<(ReservationId, WantedReservation)>, StorageError> {
            let rows: Vec<UnseenJobsRow> = sqlx::query_as(sql::UNSEEN_JOBS)
                .bind(i64::from(most))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(TryInto::try_into).collect()
        }

        /// Notes that the jobs that may have run unseen in a reservation are known.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_unseen_jobs(&self, id: ReservationId) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::FORGET_UNSEEN_JOBS)
                .bind(id.as_uuid())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl ManagedReservations {
        /// Those that are not settled for good, by their reservations' ids.
        pub(crate) async fn open(
            connection: &mut Connection<Engine>,
        ) -> Result<Vec<StoredManagedReservation>, StorageError> {
            let rows: Vec<ManagedReservationRow> =
                sqlx::query_as(sql::OPEN_MANAGED_RESERVATIONS).fetch_all(connection).await?;
            rows.into_iter().map(StoredManagedReservation::try_from).collect()
        }

        /// Puts a reservation that was just chosen into the outbox, inside a caller's transaction that began
        /// with `begin_write`.
        pub(crate) async fn enqueue(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            owner: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            Self::insert(connection, &[id], now).await?;
            let managed = StoredManagedReservation::new(id, now);
            let event = told(ManagedReservationEvent::Waiting, &managed, owner);
            Events::<Engine>::record(connection, &[event], now).await
        }

        /// Those of the reservations that were not in the outbox.
        async fn insert(
            connection: &mut Connection<Engine>,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<Vec<ReservationId>, StorageError> {
            let mut inserted: Vec<Uuid> = Vec::with_capacity(ids.len());
            for chunk in ids.chunks(MAX_BOUND_VALUES / 4) {
                let mut insert = QueryBuilder::<Engine>::new(sql::MANAGED_RESERVATIONS_BULK);
                insert.push_values(chunk, |mut row, id| {
                    row.push_bind(id.as_uuid())
                        .push_bind(reservation_name(*id))
                        .push_bind(ManagedState::Waiting.word())
                        .push_bind(now.as_unix_seconds());
                });
                insert.push(sql::MANAGED_RESERVATIONS_BULK_END);
                inserted
                    .extend(insert.build_query_scalar::<Uuid>().fetch_all(&mut *connection).await?);
            }
            Ok(inserted.into_iter().map(ReservationId::new).collect())
        }
    }
);
