//! Reservations that ended are deleted with all that refers to them, and series before theirs.

use planner::identity::ReservationId;
use planner::reservation::ReservationState;
use planner::time::Timestamp;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::promises::OfferPromise;
use crate::promises::repository::Promises;

/// Reservations whose rows are deleted together: of each some ten rows.
const RESERVATIONS_TOGETHER: i64 = 100;

/// States in which reservations of which an offer was chosen end, each with what is noted of their offers.
const ENDS: [(ReservationState, &str); 3] = [
    (ReservationState::Completed, "offers_completed"),
    (ReservationState::Cancelled, "offers_cancelled"),
    (ReservationState::Failed, "offers_failed"),
];

/// States in which reservations end of which none was chosen.
const UNCHOSEN_ENDS: [ReservationState; 4] = [
    ReservationState::Expired,
    ReservationState::Cancelled,
    ReservationState::Rejected,
    ReservationState::Failed,
];

repository!(
    /// Reservations, offers and series that are over.
    impl Database for EndedReservations {
        /// How many offers were not chosen, of reservations that ended before an instant and had one that was.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn old_offers(&self, before: Timestamp) -> Result<i64, StorageError> {
            self.count(sql::OLD_OFFERS, before, &ENDS.map(|(state, _)| state)).await
        }

        /// How many reservations ended before an instant of which no offer was chosen.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn old_proposals(&self, before: Timestamp) -> Result<i64, StorageError> {
            self.count(sql::OLD_PROPOSALS, before, &UNCHOSEN_ENDS).await
        }

        /// How many reservations ended before an instant that nothing keeps.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn old_reservations(
            &self,
            before: Timestamp,
        ) -> Result<i64, StorageError> {
            self.count(sql::OLD_RESERVATIONS, before, &ENDS.map(|(state, _)| state)).await
        }

        /// Deletes some offers that were not chosen; how many, `None` where there are none: then it is noted up to when they were
        /// looked for.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_offers(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            for (state, mark) in ENDS {
                let from: i64 = sqlx::query_scalar(sql::KEPT_FROM)
                    .bind(mark)
                    .fetch_one(&mut *self.reading().await?)
                    .await?;
                let found: Vec<(Uuid, i64)> = sqlx::query_as(sql::FIND_OFFERS)
                    .bind(before.as_unix_seconds())
                    .bind(state.word())
                    .bind(RESERVATIONS_TOGETHER)
                    .bind(from)
                    .fetch_all(&mut *self.reading().await?)
                    .await?;
                let reached = found.last().map_or(before.as_unix_seconds(), |(_, end_s)| *end_s);
                let ids: Vec<Uuid> = found.into_iter().map(|(id, _)| id).collect();
                let deleted = match ids.as_slice() {
                    [] if reached <= from => continue,
                    ids => self.delete_all(&sql::PRUNE_OFFERS_OF, ids, &[], Some((mark, reached))),
                };
                let deleted = deleted.await?;
                if !ids.is_empty() {
                    return Ok(Some(deleted));
                }
            }
            Ok(None)
        }

        /// Deletes some reservations of which no offer was chosen; how many, `None` where there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_proposals(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            for state in UNCHOSEN_ENDS {
                let ids = self.found(sql::FIND_PROPOSALS, before, state).await?;
                if !ids.is_empty() {
                    let delete = self.delete_all(&sql::PRUNE_RESERVATIONS_OF, &ids, &[], None);
                    return delete.await.map(Some);
                }
            }
            Ok(None)
        }

        /// Deletes some reservations that nothing keeps, and keeps what their offers promised; how many,
        /// `None` where there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_reservations(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            for (state, _) in ENDS {
                let ids = self.found(sql::FIND_RESERVATIONS, before, state).await?;
                if ids.is_empty() {
                    continue;
                }
                let reservations: Vec<ReservationId> =
                    ids.iter().map(|id| ReservationId::new(*id)).collect();
                let promises = self.promises_of(&reservations, before).await?;
                let delete = self.delete_all(&sql::PRUNE_RESERVATIONS_OF, &ids, &promises, None);
                return delete.await.map(Some);
            }
            Ok(None)
        }

        /// Deletes some series that are over, with their occurrences; how many, `None` where there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_series(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let ids: Vec<Uuid> = sqlx::query_scalar(sql::FIND_SERIES)
                .bind(before.as_unix_seconds())
                .bind(RESERVATIONS_TOGETHER / 10)
                .fetch_all(&mut *self.reading().await?)
                .await?;
            if ids.is_empty() {
                return Ok(None);
            }
            let mut transaction = self.begin_beside_the_book().await?;
            for id in &ids {
                for statement in [sql::PRUNE_OCCURRENCES, sql::PRUNE_SERIES] {
                    sqlx::query(statement).bind(*id).execute(&mut *transaction).await?;
                }
            }
            transaction.commit().await?;
            Ok(Some(ids.len() as u64))
        }
    }

    /// Parts of the above.
    impl EndedReservations {
        async fn count(
            &self,
            statement: &'static str,
            before: Timestamp,
            states: &[ReservationState],
        ) -> Result<i64, StorageError> {
            let mut sum = 0;
            for state in states {
                let count: i64 = sqlx::query_scalar(statement)
                    .bind(before.as_unix_seconds())
                    .bind(state.word())
                    .fetch_one(&mut *self.reading().await?)
                    .await?;
                sum += count;
            }
            Ok(sum)
        }

        async fn found(
            &self,
            statement: &'static str,
            before: Timestamp,
            state: ReservationState,
        ) -> Result<Vec<Uuid>, StorageError> {
            let found = sqlx::query_scalar(statement)
                .bind(before.as_unix_seconds())
                .bind(state.word())
                .bind(RESERVATIONS_TOGETHER);
            Ok(found.fetch_all(&mut *self.reading().await?).await?)
        }

        /// What the offers of reservations that have ended promised.
        async fn promises_of(
            &self,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<Vec<OfferPromise>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let promises = Promises::<Engine>::of(&mut transaction, ids, now).await?;
            transaction.commit().await?;
            Ok(promises)
        }

        /// Deletes by statements that the ids of reservations follow, keeps promises and moves a mark, all or nothing; how
        /// many rows the last statement deleted.
        async fn delete_all(
            &self,
            statements: &[&'static str],
            ids: &[Uuid],
            promises: &[OfferPromise],
            mark: Option<(&'static str, i64)>,
        ) -> Result<u64, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Promises::<Engine>::keep(&mut transaction, promises).await?;
            let mut deleted = 0;
            for statement in statements.iter().filter(|_| !ids.is_empty()) {
                let mut query = QueryBuilder::<Engine>::new(*statement);
                let mut list = query.separated(", ");
                for id in ids {
                    list.push_bind(*id);
                }
                list.push_unseparated(")");
                deleted = query.build().execute(&mut *transaction).await?.rows_affected();
            }
            if let Some((kind, from_s)) = mark {
                let moved = sqlx::query(sql::MOVE_KEPT_FROM).bind(kind).bind(from_s);
                moved.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(deleted)
        }
    }
);
