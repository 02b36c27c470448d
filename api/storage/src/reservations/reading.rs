//! Reading reservations.

use std::collections::HashMap;

use planner::identity::ReservationId;
use planner::reservation::{HeldOffer, Reservation, SharedWith};
use planner::time::Timestamp;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;
use crate::reservations::reservation::{Filter, SeenBy};
use crate::reservations::row::{OfferRow, ReservationRow};
use crate::reservations::sharing::row::SharedRow;
use crate::reservations::sharing::sql as sharing;

repository!(
    /// Reservations as they are.
    impl Database for Reservations {
        /// One reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reservation(
            &self,
            id: ReservationId,
        ) -> Result<Option<Reservation>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let found = Self::find(&mut transaction, id).await?;
            transaction.commit().await?;
            Ok(found)
        }

        /// Reservations by their ids, in the order of these. Ids that are not known are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reservations_by_id(
            &self,
            ids: &[ReservationId],
        ) -> Result<Vec<Reservation>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let found = Self::of(&mut transaction, ids).await?;
            transaction.commit().await?;
            Ok(found)
        }

        /// A page of reservations in the order of their ids, after the cursor, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reservations(
            &self,
            filter: &Filter,
            after: Option<ReservationId>,
            limit: u16,
        ) -> Result<Vec<Reservation>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let mut query = Self::filtered(filter);
            if let Some(after) = after {
                let beyond = if filter.newest { " AND r.id < " } else { " AND r.id > " };
                query.push(beyond).push_bind(after.as_uuid());
            }
            let order = if filter.newest { " DESC" } else { "" };
            query.push(" ORDER BY r.id").push(order);
            query.push(" LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<ReservationRow> =
                query.build_query_as().fetch_all(&mut *transaction).await?;
            let reservations = Self::with_offers(&mut transaction, rows).await?;
            transaction.commit().await?;
            Ok(reservations)
        }

        /// The proposals of an owner that are held at an instant, each with the end of its hold; those
        /// that await the supplier too.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn held_by(
            &self,
            owner: &str,
            now: Timestamp,
        ) -> Result<Vec<(ReservationId, Timestamp)>, StorageError> {
            let rows: Vec<(Uuid, i64)> = sqlx::query_as(sql::HELD_BY)
                .bind(owner)
                .bind(now.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            let held =
                |(id, expires)| (ReservationId::new(id), Timestamp::from_unix_seconds(expires));
            Ok(rows.into_iter().map(held).collect())
        }
    }

    /// Parts of transactions.
    impl Reservations {
        /// A reservation with its offers, inside a caller's transaction.
        pub(crate) async fn find(
            connection: &mut Connection<Engine>,
            id: ReservationId,
        ) -> Result<Option<Reservation>, StorageError> {
            let row: Option<ReservationRow> = sqlx::query_as(sql::RESERVATION)
                .bind(id.as_uuid())
                .fetch_optional(&mut *connection)
                .await?;
            let Some(row) = row else { return Ok(None) };
            let offers: Vec<OfferRow> = sqlx::query_as(sql::OFFERS_OF_RESERVATION)
                .bind(id.as_uuid())
                .fetch_all(&mut *connection)
                .await?;
            let offers: Result<Vec<_>, _> = offers.into_iter().map(HeldOffer::try_from).collect();
            let shared = Self::shared_with(connection, &[id.as_uuid()]).await?;
            row.reservation(offers?, shared.into_values().next().unwrap_or_default()).map(Some)
        }

        /// Reservations with their offers, in the order of their ids, inside a caller's transaction. Ids
        /// that are not known are left out.
        pub(crate) async fn of(
            connection: &mut Connection<Engine>,
            ids: &[ReservationId],
        ) -> Result<Vec<Reservation>, StorageError> {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.as_uuid()).collect();
            let mut query = QueryBuilder::<Engine>::new(sql::RESERVATIONS_WHERE);
            query.push(" AND r.id");
            Engine::push_among(&mut query, &ids);
            let rows = query.build_query_as().fetch_all(&mut *connection).await?;
            let mut reservations = Self::with_offers(connection, rows).await?;
            reservations.sort_unstable_by_key(|it| it.id);
            Ok(reservations)
        }

        async fn with_offers(
            connection: &mut Connection<Engine>,
            rows: Vec<ReservationRow>,
        ) -> Result<Vec<Reservation>, StorageError> {
            let ids: Vec<Uuid> = rows.iter().map(|row| row.id.as_uuid()).collect();
            let mut offers = Self::offers_of(connection, &ids).await?;
            let mut shared = Self::shared_with(connection, &ids).await?;
            let with_offers = |row: ReservationRow| {
                let offers = offers.remove(&row.id).unwrap_or_default();
                let shared_with = shared.remove(&row.id).unwrap_or_default();
                row.reservation(offers, shared_with)
            };
            rows.into_iter().map(with_offers).collect()
        }

        /// With whom reservations are shared. Those that are shared with nobody are left out.
        async fn shared_with(
            connection: &mut Connection<Engine>,
            ids: &[Uuid],
        ) -> Result<HashMap<ReservationId, Vec<SharedWith>>, StorageError> {
            let mut shared: HashMap<ReservationId, Vec<SharedWith>> = HashMap::new();
            let mut query = QueryBuilder::<Engine>::new(sharing::SHARED_WITH);
            Engine::push_among(&mut query, ids);
            query.push(sharing::SHARED_WITH_END);
            let rows: Vec<SharedRow> = query.build_query_as().fetch_all(connection).await?;
            for row in rows {
                let (id, with) = row.try_into()?;
                shared.entry(id).or_default().push(with);
            }
            Ok(shared)
        }

        fn filtered(filter: &Filter) -> QueryBuilder<Engine> {
            let mut query = QueryBuilder::<Engine>::new(sql::RESERVATIONS_WHERE);
            if let Some(owner) = &filter.owner {
                query.push(" AND r.owner = ").push_bind(owner);
            }
            if let Some(seen_by) = &filter.seen_by {
                Self::push_seen_by(&mut query, seen_by);
            }
            if let Some(project) = &filter.project {
                query.push(" AND r.project = ").push_bind(project);
            }
            if let Some(series) = filter.series {
                query
                    .push(" AND r.id IN (SELECT reservation_id FROM series_occurrences WHERE series_id = ")
                    .push_bind(series)
                    .push(" AND reservation_id IS NOT NULL)");
            }
            if !filter.states.is_empty() {
                let mut states = query.push(" AND r.state IN (").separated(", ");
                for state in &filter.states {
                    states.push_bind(state.word());
                }
                states.push_unseparated(")");
            }
            if filter.from.is_none() && filter.to.is_none() {
                return query;
            }
            query.push(" AND ((r.chosen_offer_id IS NOT NULL");
            Self::push_overlap(&mut query, "r", filter);
            query
                .push(") OR (r.chosen_offer_id IS NULL AND EXISTS (SELECT 1 FROM offers AS o")
                .push(" WHERE o.reservation_id = r.id");
            Self::push_overlap(&mut query, "o", filter);
            query.push(")))");
            query
        }

        /// The condition that somebody sees a reservation: it is theirs or their projects', or shared with them. Each
        /// part goes by an index of its own.
        fn push_seen_by(query: &mut QueryBuilder<Engine>, seen_by: &SeenBy) {
            query.push(" AND r.id IN (SELECT o.id FROM reservations AS o WHERE o.owner = ");
            query.push_bind(seen_by.owner.clone());
            if !seen_by.projects.is_empty() {
                let projects: Vec<&str> = seen_by.projects.iter().map(String::as_str).collect();
                query.push(" UNION SELECT o.id FROM reservations AS o WHERE o.project <> ''");
                query.push(" AND o.project IN ");
                Engine::push_texts(query, &projects);
            }
            query.push(" UNION SELECT s.reservation_id FROM shared_reservations AS s");
            query.push(" WHERE (NOT s.is_project AND s.name = ").push_bind(seen_by.owner.clone());
            query.push(")");
            if !seen_by.member_of.is_empty() {
                let projects: Vec<&str> = seen_by.member_of.iter().map(String::as_str).collect();
                query.push(" OR (s.is_project AND s.name IN ");
                Engine::push_texts(query, &projects);
                query.push(")");
            }
            query.push(")");
        }

        /// The condition that the span of the row `alias` overlaps the filter's.
        fn push_overlap(query: &mut QueryBuilder<Engine>, alias: &'static str, filter: &Filter) {
            if let Some(from) = filter.from.map(Timestamp::as_unix_seconds) {
                query.push(" AND ").push(alias).push(".end_s > ").push_bind(from);
            }
            if let Some(to) = filter.to.map(Timestamp::as_unix_seconds) {
                query.push(" AND ").push(alias).push(".start_s < ").push_bind(to);
            }
        }

        async fn offers_of(
            connection: &mut Connection<Engine>,
            ids: &[Uuid],
        ) -> Result<HashMap<ReservationId, Vec<HeldOffer>>, StorageError> {
            let mut offers: HashMap<ReservationId, Vec<HeldOffer>> = HashMap::new();
            let mut query = QueryBuilder::<Engine>::new(sql::OFFERS_WHERE);
            Engine::push_among(&mut query, ids);
            query.push(" ORDER BY reservation_id, position");
            let rows: Vec<OfferRow> = query.build_query_as().fetch_all(connection).await?;
            for row in rows {
                offers.entry(row.reservation_id).or_default().push(row.try_into()?);
            }
            Ok(offers)
        }
    }
);
