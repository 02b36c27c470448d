//! Power actions. No part of the book.

use std::collections::{HashMap, HashSet};

use planner::identity::ReservationId;
use planner::time::{Seconds, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::PowerActionId;
use crate::power_actions::row::PowerActionRow;
use crate::power_actions::{NewPowerAction, PowerAction, PowerActionState};

repository!(
    /// What is done to nodes so that they are on when a reservation begins.
    impl Database for PowerActions {
        /// Plans power actions. What is underway for a node and a reservation already stays as it is. How
        /// many are new.
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
            let mut planned = 0;
            let mut transaction = self.begin_beside_the_book().await?;
            for chunk in actions.chunks(MAX_BOUND_VALUES / 5) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_ACTIONS_BULK);
                insert.push_values(chunk, |mut row, action| {
                    row.push_bind(&action.node)
                        .push_bind(action.kind.word())
                        .push_bind(action.reservation_id.as_uuid())
                        .push_bind(PowerActionState::Waiting.word())
                        .push_bind(now.as_unix_seconds());
                });
                insert.push(sql::POWER_ACTIONS_BULK_END);
                planned += insert.build().execute(&mut *transaction).await?.rows_affected();
            }
            transaction.commit().await?;
            Ok(planned)
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

        /// Power actions that are neither done nor failed, oldest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn open_power_actions(&self) -> Result<Vec<PowerAction>, StorageError> {
            let rows: Vec<PowerActionRow> =
                sqlx::query_as(sql::OPEN_POWER_ACTIONS).fetch_all(&self.reader).await?;
            rows.into_iter().map(PowerAction::try_from).collect()
        }

        /// Notes how far a power action is, and tells the owner of its reservation in the same transaction
        /// where it was ordered, is done or failed. Nothing is written where it is so already.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_power_action(
            &self,
            action: &PowerAction,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let changed: Option<String> = sqlx::query_scalar(sql::PUT_POWER_ACTION)
                .bind(action.id)
                .bind(action.state.word())
                .bind(action.because.as_deref())
                .bind(action.ordered.map(Timestamp::as_unix_seconds))
                .bind(action.done.map(Timestamp::as_unix_seconds))
                .fetch_optional(&mut *connection)
                .await?;
            let Some(owner) = changed else { return Ok(()) };
            if action.state != PowerActionState::Waiting {
                let data = json!({
                    "reservation_id": action.reservation_id.to_string(),
                    "node": action.node,
                    "action": action.kind.word(),
                });
                let kind = format!("power_action.{}", action.state.word());
                let event = NewEvent::new(kind, data).of(owner);
                Events::<Engine>::record_beside(connection, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
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
);
