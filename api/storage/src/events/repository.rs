//! Events: recorded inside the transactions of what they tell of.

use std::collections::{BTreeSet, HashMap, HashSet};

use planner::time::Timestamp;
use serde_json::json;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, pieces};
use crate::error::StorageError;
use crate::events::row::EventRow;
use crate::events::{ActedFor, EVENT_KINDS, Event, EventsKept, NewEvent, OwnedKind};
use crate::identity::EventId;

/// Events that are deleted together, so that writers do not wait.
const FORGOTTEN_TOGETHER: i64 = 5000;

/// Events as they are told to the users with whom their reservations are shared, each once: what was told to a user already
/// is not told again.
fn shared_events(events: &[NewEvent], receivers: &HashMap<Uuid, Vec<String>>) -> Vec<NewEvent> {
    let mut told: HashSet<(Uuid, &str, &str)> = HashSet::new();
    let of_reservations = || events.iter().filter_map(|it| Some((it.reservation()?, it)));
    for (id, event) in of_reservations() {
        told.extend(event.owner.as_deref().map(|owner| (id, event.kind.as_str(), owner)));
    }
    let mut shared = Vec::new();
    for (id, event) in of_reservations() {
        for user in receivers.get(&id).into_iter().flatten() {
            if told.insert((id, &event.kind, user)) {
                shared.push(event.shared_with(user));
            }
        }
    }
    shared
}

repository!(
    /// What happened. Whatever this handle writes records its events in the same transaction.
    impl Database for Events {
        /// Events after one, all where none is named, in the order in which they were committed: none
        /// will ever come in between. At most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn events_after(
            &self,
            after: Option<EventId>,
            limit: u16,
        ) -> Result<Vec<Event>, StorageError> {
            let rows: Vec<EventRow> = sqlx::query_as(sql::EVENTS_AFTER)
                .bind(after.map_or(0, EventId::get))
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(Event::from).collect())
        }

        /// Tells a user what somebody did for them.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn tell_acted_for(
            &self,
            acted: &ActedFor<'_>,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let (kind, id) = match acted.kind {
                OwnedKind::Reservation => ("reservation.acted_for", "reservation_id"),
                OwnedKind::Series => ("series.acted_for", "series"),
            };
            let data = json!({
                id: acted.id, "state": acted.state, "by": acted.actor, "action": acted.action,
            });
            let event = NewEvent::new(kind, data).of(acted.owner);
            let mut transaction = self.begin_beside_the_book().await?;
            Self::record_beside(&mut transaction, &[event], now).await?;
            transaction.commit().await?;
            Ok(())
        }

        /// Events of a user's reservations since an instant that are still kept, the newest first. At
        /// most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reservation_events_of(
            &self,
            owner: &str,
            since: Timestamp,
            limit: u16,
        ) -> Result<Vec<Event>, StorageError> {
            let rows: Vec<EventRow> = sqlx::query_as(sql::RESERVATION_EVENTS_OF)
                .bind(owner)
                .bind(since.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(Event::from).collect())
        }

        /// Events of a user's reservations after one, in the order in which they were committed. At most
        /// `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn reservation_events_after(
            &self,
            owner: &str,
            after: EventId,
            limit: u16,
        ) -> Result<Vec<Event>, StorageError> {
            let rows: Vec<EventRow> = sqlx::query_as(sql::RESERVATION_EVENTS_AFTER)
                .bind(owner)
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(Event::from).collect())
        }

        /// The oldest and the newest event that are kept.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn events_kept(&self) -> Result<EventsKept, StorageError> {
            Ok(sqlx::query_as(sql::EVENTS_KEPT).fetch_one(&self.reader).await?)
        }

        /// Forgets events from before an instant, and all but the `most` newest; how many. The newest
        /// stays.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_events(
            &self,
            before: Timestamp,
            most: u32,
        ) -> Result<u64, StorageError> {
            let Some(newest) = self.events_kept().await?.newest else { return Ok(0) };
            let mut forgotten = 0;
            loop {
                let mut transaction = self.begin_beside_the_book().await?;
                let done = sqlx::query(sql::FORGET_EVENTS)
                    .bind(before.as_unix_seconds())
                    .bind(newest.get() - i64::from(most))
                    .bind(FORGOTTEN_TOGETHER)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                match done.rows_affected() {
                    0 => return Ok(forgotten),
                    count => forgotten += count,
                }
            }
        }
    }

    /// Parts of transactions.
    impl Events {
        /// Records events inside a caller's transaction that began with `begin_write`. Those of reservations
        /// are told to the users with whom they are shared, too.
        pub(crate) async fn record(
            connection: &mut Connection<Engine>,
            events: &[NewEvent],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            Self::insert(&mut *connection, events, now).await?;
            let ids: BTreeSet<Uuid> = events.iter().filter_map(NewEvent::reservation).collect();
            if ids.is_empty() {
                return Ok(());
            }
            let ids: Vec<Uuid> = ids.into_iter().collect();
            let receivers = Self::receivers(&mut *connection, &ids).await?;
            let shared = shared_events(events, &receivers);
            Self::insert(connection, &shared, now).await
        }

        /// The users with whom reservations are shared, by name or as members of a project that the site keeps.
        async fn receivers(
            connection: &mut Connection<Engine>,
            ids: &[Uuid],
        ) -> Result<HashMap<Uuid, Vec<String>>, StorageError> {
            let mut users: HashMap<Uuid, Vec<String>> = HashMap::new();
            let mut query = QueryBuilder::<Engine>::new(sql::RECEIVING_USERS);
            Engine::push_among(&mut query, ids);
            query.push(sql::RECEIVING_MEMBERS);
            Engine::push_among(&mut query, ids);
            query.push(" ORDER BY 1, 2");
            let rows: Vec<(Uuid, String)> = query.build_query_as().fetch_all(connection).await?;
            for (id, user) in rows {
                users.entry(id).or_default().push(user);
            }
            Ok(users)
        }

        async fn insert(
            connection: &mut Connection<Engine>,
            events: &[NewEvent],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            for event in events {
                debug_assert!(EVENT_KINDS.contains(&event.kind.as_str()), "{}", event.kind);
            }
            for chunk in pieces(events) {
                let mut insert = QueryBuilder::<Engine>::new(sql::EVENTS_BULK);
                insert.push_values(chunk, |mut row, event| {
                    row.push_bind(now.as_unix_seconds())
                        .push_bind(&event.kind)
                        .push_bind(event.owner.as_deref())
                        .push_bind(event.data.to_string());
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        /// Records events in a transaction that writes nothing of the book. It waits for its turn
        /// among the book's writers, so it must be called last.
        pub(crate) async fn record_beside(
            connection: &mut Connection<Engine>,
            events: &[NewEvent],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::TAKE_TURN).execute(&mut *connection).await?;
            Self::record(connection, events, now).await
        }
    }
);
