//! The resource manager's nodes. No part of the book: plans rest on our own nodes, and on what of them is
//! withheld (`outages`).

use planner::resource_manager::{GONE_KEPT_FOR, KnownNode, NodesRemembered};
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::{sql, told};
use crate::database::repository;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::managed_nodes::row::ManagedNodeRow;

repository!(
    /// The resource manager's nodes as it told them last.
    impl Database for ManagedNodes {
        /// All nodes that are remembered, those that are gone too, by name.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_nodes(&self) -> Result<Vec<KnownNode>, StorageError> {
            let rows: Vec<ManagedNodeRow> =
                sqlx::query_as(sql::MANAGED_NODES).fetch_all(&self.reader).await?;
            let nodes: Result<Vec<KnownNode>, StorageError> =
                rows.into_iter().map(KnownNode::try_from).collect();
            let mut nodes = nodes?;
            // Not by the engine's collation, which may be any.
            nodes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(nodes)
        }

        /// Those of these names that the resource manager has.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn managed_nodes_of(
            &self,
            names: &[String],
        ) -> Result<Vec<KnownNode>, StorageError> {
            let mut found = Vec::new();
            for chunk in names.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::MANAGED_NODES_WHERE);
                let mut list = query.separated(", ");
                for name in chunk {
                    list.push_bind(name);
                }
                list.push_unseparated(")");
                let rows: Vec<ManagedNodeRow> =
                    query.build_query_as().fetch_all(&self.reader).await?;
                for row in rows {
                    found.push(row.try_into()?);
                }
            }
            Ok(found)
        }

        /// Remembers nodes as they are told at `now`, and tells operators what became of them in the same
        /// transaction. Those that are gone for long are forgotten.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_managed_nodes(
            &self,
            remembered: &NodesRemembered,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for chunk in remembered.changed.chunks(MAX_BOUND_VALUES / 6) {
                let mut insert = QueryBuilder::<Engine>::new(sql::MANAGED_NODES_BULK);
                insert.push_values(chunk, |mut row, node| {
                    row.push_bind(&*node.name)
                        .push_bind(&*node.address)
                        .push_bind(i64::from(node.cpus))
                        .push_bind(i64::try_from(node.memory_mib).unwrap_or(i64::MAX))
                        .push_bind(&*node.generic_resources)
                        .push_bind(node.gone.map(Timestamp::as_unix_seconds));
                });
                insert.push(sql::MANAGED_NODES_BULK_END);
                insert.build().execute(&mut *transaction).await?;
            }
            sqlx::query(sql::FORGET_MANAGED_NODES)
                .bind((now - GONE_KEPT_FOR).as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            let events: Vec<NewEvent> = remembered.news.iter().map(told).collect();
            Events::<Engine>::record_beside(&mut transaction, &events, now).await?;
            Ok(transaction.commit().await?)
        }
    }
);
