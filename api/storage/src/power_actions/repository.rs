//! Power actions. No part of the book.

use std::collections::{HashMap, HashSet};

use planner::identity::ReservationId;
use planner::power_action::PowerActionState;
use planner::quantity::Power;
use planner::time::{Seconds, Timestamp};
use serde_json::{Map, json};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{SERVICE, sql};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::PowerActionId;
use crate::power_actions::row::{PowerActionRow, change_word, limit_of, saves_texts};
use crate::power_actions::{NewPowerAction, PowerAction, PowerActionChange, PowerActionFilter};
use crate::power_log::repository::PowerLog;
use crate::power_log::{LogWhat, NewLogEntry};

/// Columns of a new power action that are written.
const NEW_COLUMNS: usize = 16;

/// Columns of a power action that are bound to write what is new of it.
const CHANGED_COLUMNS: usize = 17;

repository!(
    /// What is done to switch nodes, and how far it is.
    impl Database for PowerActions {
        /// Plans power actions, and logs each in the same transaction. Of a node, a change and a reservation only
        /// one is open, and of a node only one without a reservation: what is open already stays as it is. How many
        /// are new. Operators are told of those that are for no reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn plan_power_actions(
            &self,
            actions: &[NewPowerAction],
            now: Timestamp,
        ) -> Result<u64, StorageError> {
            if actions.is_empty() {
                return Ok(0);
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let planned = Self::insert(connection, actions, now).await?;
            let entries: Vec<NewLogEntry> = planned.iter().map(entry_of_new).collect();
            PowerLog::<Engine>::record(connection, &entries, now).await?;
            let alone = planned.iter().filter(|it| it.reservation_id.is_none());
            let events: Vec<NewEvent> = alone.map(|it| event_of(it, None)).collect();
            if !events.is_empty() {
                Events::<Engine>::record_beside(connection, &events, now).await?;
            }
            transaction.commit().await?;
            Ok(planned.len() as u64)
        }

        /// Forgets power actions that have yet to be ordered. Others stay.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_power_actions(
            &self,
            ids: &[PowerActionId],
        ) -> Result<(), StorageError> {
            if ids.is_empty() {
                return Ok(());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut delete = QueryBuilder::<Engine>::new(sql::FORGET_POWER_ACTIONS_WHERE);
                let mut list = delete.separated(", ");
                for id in chunk {
                    list.push_bind(*id);
                }
                list.push_unseparated(")");
                delete.build().execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// The nodes, by name, that were ordered for these reservations, whatever came of it.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn nodes_ordered_for(
            &self,
            ids: &[ReservationId],
        ) -> Result<HashSet<(ReservationId, String)>, StorageError> {
            let mut ordered = HashSet::new();
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::NODES_ORDERED_WHERE);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(")");
                let rows: Vec<(Uuid, String)> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                ordered.extend(rows.into_iter().map(|(id, node)| (ReservationId::new(id), node)));
            }
            Ok(ordered)
        }

        /// Of each node the newest action that limited its power or lifted the limit: those that were ordered, and lifts
        /// whatever became of them.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_limits(&self) -> Result<Vec<PowerAction>, StorageError> {
            let rows: Vec<PowerActionRow> =
                sqlx::query_as(sql::NEWEST_LIMITS).fetch_all(&self.reader).await?;
            rows.into_iter().map(PowerAction::try_from).collect()
        }

        /// The nodes, by name, whose power was to be limited for a reservation, whatever came of it.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn nodes_limited_for(
            &self,
            id: ReservationId,
        ) -> Result<HashSet<String>, StorageError> {
            let nodes: Vec<String> = sqlx::query_scalar(sql::NODES_LIMITED)
                .bind(id.as_uuid())
                .fetch_all(&self.reader)
                .await?;
            Ok(nodes.into_iter().collect())
        }

        /// Power actions that are not final, oldest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn open_power_actions(&self) -> Result<Vec<PowerAction>, StorageError> {
            let rows: Vec<PowerActionRow> =
                sqlx::query_as(sql::OPEN_POWER_ACTIONS).fetch_all(&self.reader).await?;
            rows.into_iter().map(PowerAction::try_from).collect()
        }

        /// A power action; `None` where there is none with this id.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn power_action(
            &self,
            id: PowerActionId,
        ) -> Result<Option<PowerAction>, StorageError> {
            let row: Option<PowerActionRow> =
                sqlx::query_as(sql::POWER_ACTION).bind(id).fetch_optional(&self.reader).await?;
            row.map(PowerAction::try_from).transpose()
        }

        /// Power actions, the newest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn power_actions(
            &self,
            filter: &PowerActionFilter,
        ) -> Result<Vec<PowerAction>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::POWER_ACTIONS_WHERE);
            query.push_bind(filter.before.map_or(i64::MAX, PowerActionId::get));
            if let Some(node) = &filter.node {
                query.push(" AND node = ").push_bind(node);
            }
            if let Some(open) = filter.open {
                query.push(if open { sql::AND_OPEN } else { sql::AND_FINAL });
            }
            query.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(filter.limit));
            let rows: Vec<PowerActionRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(PowerAction::try_from).collect()
        }

        /// Writes what is new of power actions, each only where nobody else wrote it since it was read: their ids.
        /// In the same transaction it is logged, and, unless an action has only changed within its state, told to
        /// operators and to the owner of its reservation.
        ///
        /// # Errors
        /// Storage failed; nothing is written then.
        pub async fn put_power_actions(
            &self,
            changes: &[PowerActionChange],
            now: Timestamp,
        ) -> Result<HashSet<PowerActionId>, StorageError> {
            if changes.is_empty() {
                return Ok(HashSet::new());
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let mut owners = Self::update(connection, changes).await?;
            let written: HashSet<PowerActionId> = owners.keys().copied().collect();
            let (mut entries, mut events) = (Vec::new(), Vec::new());
            for change in changes {
                let Some(owner) = owners.remove(&change.action.id) else { continue };
                entries.push(entry_of(change));
                if change.what != LogWhat::Changed {
                    events.push(event_of(&change.action, owner));
                }
            }
            PowerLog::<Engine>::record(connection, &entries, now).await?;
            if !events.is_empty() {
                Events::<Engine>::record_beside(connection, &events, now).await?;
            }
            transaction.commit().await?;
            Ok(written)
        }

        /// How often nodes were ordered off, by name, from one instant to before another. Nodes that never were are
        /// left out. An action that was ordered several times counts once, when it was ordered last.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn switched_off_on(
            &self,
            nodes: &[String],
            from: Timestamp,
            to: Timestamp,
        ) -> Result<HashMap<String, u32>, StorageError> {
            let mut counts = HashMap::new();
            for chunk in nodes.chunks(MAX_BOUND_VALUES - 2) {
                let mut query = QueryBuilder::<Engine>::new(sql::SWITCHED_OFF_WHERE);
                query.push_bind(from.as_unix_seconds());
                query.push(" AND ordered_s < ").push_bind(to.as_unix_seconds());
                query.push(" AND node IN (");
                let mut list = query.separated(", ");
                for node in chunk {
                    list.push_bind(node);
                }
                query.push(sql::SWITCHED_OFF_WHERE_END);
                let rows: Vec<(String, i64)> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                let count = |(node, count)| (node, u32::try_from(count).unwrap_or(u32::MAX));
                counts.extend(rows.into_iter().map(count));
            }
            Ok(counts)
        }

        /// How long nodes took from the order until they were on, by name: the newest first, 20 of each at
        /// the most. Nodes that were never seen to come are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn boot_times(
            &self,
            nodes: &[String],
        ) -> Result<HashMap<String, Vec<Seconds>>, StorageError> {
            let mut times: HashMap<String, Vec<Seconds>> = HashMap::new();
            for chunk in nodes.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::BOOT_TIMES_WHERE);
                let mut list = query.separated(", ");
                for node in chunk {
                    list.push_bind(node);
                }
                query.push(sql::BOOT_TIMES_WHERE_END);
                let rows: Vec<(String, i64)> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for (node, taken_s) in rows {
                    times.entry(node).or_default().push(Seconds::new(taken_s));
                }
            }
            Ok(times)
        }
    }

    /// Parts of transactions.
    impl PowerActions {
        /// Inserts what is not open already: what is new, by node.
        async fn insert(
            connection: &mut Connection<Engine>,
            actions: &[NewPowerAction],
            now: Timestamp,
        ) -> Result<Vec<PowerAction>, StorageError> {
            let mut planned = Vec::new();
            for chunk in actions.chunks(MAX_BOUND_VALUES / NEW_COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_ACTIONS_BULK);
                insert.push_values(chunk, |mut row, action| {
                    row.push_bind(&action.node)
                        .push_bind(change_word(action.change))
                        .push_bind(action.reservation_id.map(ReservationId::as_uuid))
                        .push_bind(action.state.word())
                        .push_bind(action.because.as_deref())
                        .push_bind(now.as_unix_seconds())
                        .push_bind(&action.asked_by)
                        .push_bind(now.as_unix_seconds())
                        .push_bind(0_i64)
                        .push_bind(action.due.as_unix_seconds())
                        .push_bind(action.until.map(Timestamp::as_unix_seconds))
                        .push_bind(action.wake_at.map(Timestamp::as_unix_seconds));
                    for amount in saves_texts(action.saves.as_ref()) {
                        row.push_bind(amount);
                    }
                    row.push_bind(limit_of(action.change).map(Power::as_microwatts));
                });
                insert.push(sql::POWER_ACTIONS_BULK_END);
                let rows: Vec<PowerActionRow> =
                    insert.build_query_as().fetch_all(&mut *connection).await?;
                for row in rows {
                    planned.push(PowerAction::try_from(row)?);
                }
            }
            planned.sort_unstable_by_key(|it| it.id);
            Ok(planned)
        }

        /// Writes those that nobody else wrote since they were read: their ids, each with the owner of its reservation.
        async fn update(
            connection: &mut Connection<Engine>,
            changes: &[PowerActionChange],
        ) -> Result<HashMap<PowerActionId, Option<String>>, StorageError> {
            let mut written = HashMap::new();
            for chunk in changes.chunks(MAX_BOUND_VALUES / CHANGED_COLUMNS) {
                let mut update = QueryBuilder::<Engine>::new(sql::PUT_POWER_ACTIONS);
                update.push_values(chunk, |mut row, PowerActionChange { action, .. }| {
                    row.push_bind(action.id)
                        .push_bind(action.row_version)
                        .push_bind(action.state.word())
                        .push_bind(action.because.as_deref())
                        .push_bind(action.since.as_unix_seconds())
                        .push_bind(i64::from(action.orders))
                        .push_bind(action.due.as_unix_seconds())
                        .push_bind(action.until.map(Timestamp::as_unix_seconds))
                        .push_bind(action.wake_at.map(Timestamp::as_unix_seconds));
                    for amount in saves_texts(action.saves.as_ref()) {
                        row.push_bind(amount);
                    }
                    row.push_bind(action.ordered.map(Timestamp::as_unix_seconds))
                        .push_bind(action.done.map(Timestamp::as_unix_seconds))
                        .push_bind(action.decided_by.as_deref())
                        .push_bind(action.decided.map(Timestamp::as_unix_seconds))
                        .push_bind(action.former_limit.map(Power::as_microwatts));
                });
                update.push(sql::PUT_POWER_ACTIONS_END);
                let rows: Vec<(PowerActionId, Option<String>)> =
                    update.build_query_as().fetch_all(&mut *connection).await?;
                written.extend(rows);
            }
            Ok(written)
        }
    }
);

/// What is logged of a power action that was planned.
fn entry_of_new(action: &PowerAction) -> NewLogEntry {
    let proposed = action.state == PowerActionState::Proposed;
    let by_service = SERVICE.contains(&action.asked_by.as_str());
    NewLogEntry {
        node: action.node.clone(),
        action_id: Some(action.id),
        what: if proposed { LogWhat::Proposed } else { LogWhat::Asked },
        by: (!by_service).then(|| action.asked_by.clone()),
        because: action.because.clone(),
    }
}

/// What is logged of a power action that changed.
fn entry_of(change: &PowerActionChange) -> NewLogEntry {
    NewLogEntry {
        node: change.action.node.clone(),
        action_id: Some(change.action.id),
        what: change.what,
        by: change.by.clone(),
        because: change.action.because.clone(),
    }
}

/// What is told of a power action that came to its state, to operators and to the owner of its reservation.
fn event_of(action: &PowerAction, owner: Option<String>) -> NewEvent {
    let mut data = Map::from_iter([
        ("action_id".to_owned(), json!(action.id.get())),
        ("node".to_owned(), json!(action.node)),
        ("action".to_owned(), json!(change_word(action.change))),
    ]);
    if let Some(limit) = limit_of(action.change) {
        data.insert("limit_w".to_owned(), json!(limit.as_watts()));
    }
    if let Some(id) = action.reservation_id {
        data.insert("reservation_id".to_owned(), json!(id.to_string()));
    }
    let kind = format!("power_action.{}", action.state.word());
    NewEvent { kind, owner, data: data.into() }
}
