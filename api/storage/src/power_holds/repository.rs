//! Nodes that are not switched off until an instant. No part of the book.

use std::collections::BTreeSet;

use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::power_holds::PowerHold;
use crate::power_holds::row::PowerHoldRow;
use crate::power_log::repository::PowerLog;
use crate::power_log::{LogWhat, NewLogEntry};

repository!(
    /// Nodes that are not switched off until an instant.
    impl Database for PowerHolds {
        /// Keeps nodes from being switched off until an instant, or releases them where none is given, and logs it
        /// in the same transaction. What was said of a node before does not hold any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_power_holds(
            &self,
            nodes: &[String],
            until: Option<Timestamp>,
            by: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let nodes: BTreeSet<&str> = nodes.iter().map(String::as_str).collect();
            let nodes: Vec<&str> = nodes.into_iter().collect();
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            sqlx::query(sql::FORGET_POWER_HOLDS)
                .bind(now.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            let (what, changed) = match until {
                Some(until) => {
                    (LogWhat::Held, Self::hold(connection, &nodes, until, by, now).await?)
                }
                None => (LogWhat::Released, Self::release(connection, &nodes).await?),
            };
            let entry = |node: String| NewLogEntry {
                node,
                action_id: None,
                what,
                by: Some(by.to_owned()),
                because: until.map(|until| format!("until {until}")),
            };
            let entries: Vec<NewLogEntry> = changed.into_iter().map(entry).collect();
            PowerLog::<Engine>::record(connection, &entries, now).await?;
            Ok(transaction.commit().await?)
        }

        /// The nodes that are not switched off at `now`, by name.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn power_holds(&self, now: Timestamp) -> Result<Vec<PowerHold>, StorageError> {
            let rows: Vec<PowerHoldRow> = sqlx::query_as(sql::POWER_HOLDS)
                .bind(now.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(PowerHold::from).collect())
        }
    }

    /// Parts of transactions.
    impl PowerHolds {
        async fn hold(
            connection: &mut Connection<Engine>,
            nodes: &[&str],
            until: Timestamp,
            by: &str,
            now: Timestamp,
        ) -> Result<Vec<String>, StorageError> {
            for chunk in nodes.chunks(MAX_BOUND_VALUES / 4) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_HOLDS_BULK);
                insert.push_values(chunk, |mut row, node| {
                    row.push_bind(*node)
                        .push_bind(until.as_unix_seconds())
                        .push_bind(by)
                        .push_bind(now.as_unix_seconds());
                });
                insert.push(sql::POWER_HOLDS_BULK_END);
                insert.build().execute(&mut *connection).await?;
            }
            Ok(nodes.iter().map(|node| (*node).to_owned()).collect())
        }

        /// Releases nodes; those that were held.
        async fn release(
            connection: &mut Connection<Engine>,
            nodes: &[&str],
        ) -> Result<Vec<String>, StorageError> {
            let mut released = Vec::new();
            for chunk in nodes.chunks(MAX_BOUND_VALUES) {
                let mut delete = QueryBuilder::<Engine>::new(sql::RELEASE_POWER_HOLDS_WHERE);
                let mut list = delete.separated(", ");
                for node in chunk {
                    list.push_bind(*node);
                }
                list.push_unseparated(") RETURNING node");
                let nodes: Vec<String> =
                    delete.build_query_scalar().fetch_all(&mut *connection).await?;
                released.extend(nodes);
            }
            released.sort_unstable();
            Ok(released)
        }
    }
);
