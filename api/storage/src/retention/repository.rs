//! What is pruned, piece by piece.

use planner::time::Timestamp;
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::dialect::Dialect;
use crate::error::StorageError;
use crate::simulations::sql as simulations;

/// Rows of one table that are deleted together.
const TOGETHER: i64 = 2000;

/// Nodes whose power states are deleted together, and how many of one.
const NODES_TOGETHER: i64 = 50;
const STATES_TOGETHER: i64 = 500;

/// Negotiations that are deleted together.
const NEGOTIATIONS_TOGETHER: i64 = 20;

repository!(
    /// Rules of retention, carried out.
    impl Database for Retention {
        /// What a statement counts.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn count_pruned(
            &self,
            statement: &'static str,
            before: Option<i64>,
        ) -> Result<i64, StorageError> {
            let mut query = sqlx::query_scalar(statement);
            if let Some(before) = before {
                query = query.bind(before);
            }
            Ok(query.fetch_one(&self.reader).await?)
        }

        /// Before when what a kind says may be gone.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn kept_from(
            &self,
            kind: &'static str,
        ) -> Result<Timestamp, StorageError> {
            let from = sqlx::query_scalar(sql::KEPT_FROM).bind(kind);
            Ok(Timestamp::from_unix_seconds(from.fetch_one(&self.reader).await?))
        }

        /// What a kind says before an instant may be gone from now on.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn move_kept_from(
            &self,
            kind: &'static str,
            before: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::MOVE_KEPT_FROM)
                .bind(kind)
                .bind(before.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// Deletes by a statement that finds by an index what goes; how many rows, `None` where there were none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_by(
            &self,
            statement: &'static str,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let deleted = sqlx::query(statement)
                .bind(before.as_unix_seconds())
                .bind(TOGETHER)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(Some(deleted.rows_affected()).filter(|count| *count > 0))
        }

        /// Deletes rows by the numbers that a statement finds; how many, `None` where it found none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_numbered(
            &self,
            find: (&'static str, i64),
            delete: &'static str,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let found: Vec<i64> = sqlx::query_scalar(find.0)
                .bind(before.as_unix_seconds())
                .bind(find.1)
                .fetch_all(&self.reader)
                .await?;
            if found.is_empty() {
                return Ok(None);
            }
            let mut transaction = self.begin_beside_the_book().await?;
            let mut query = QueryBuilder::<Engine>::new(delete);
            Engine::push_numbers(&mut query, found);
            let deleted = query.build().execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(Some(deleted.rows_affected()))
        }

        /// Deletes power states of some nodes before the newest that began before an instant; how many, `None` where there were none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_power_states(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let newest: Vec<(String, i64)> = sqlx::query_as(sql::FIND_POWER_STATES)
                .bind(before.as_unix_seconds())
                .bind(NODES_TOGETHER)
                .fetch_all(&self.reader)
                .await?;
            if newest.is_empty() {
                return Ok(None);
            }
            let (mut transaction, mut deleted) = (self.begin_beside_the_book().await?, 0);
            for (node, since_s) in newest {
                let query = sqlx::query(sql::PRUNE_POWER_STATES).bind(node).bind(since_s);
                let done = query.bind(STATES_TOGETHER).execute(&mut *transaction).await?;
                deleted += done.rows_affected();
            }
            transaction.commit().await?;
            Ok(Some(deleted))
        }

        /// Deletes the results of a cell of a simulation, or one without results; how many simulations, `None` where there was none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_simulation(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let found: Option<Uuid> = sqlx::query_scalar(sql::FIND_SIMULATIONS)
                .bind(before.as_unix_seconds())
                .bind(1_i64)
                .fetch_optional(&self.reader)
                .await?;
            let Some(id) = found else { return Ok(None) };
            let mut transaction = self.begin_beside_the_book().await?;
            let results = sqlx::query(sql::PRUNE_SIMULATION_RESULTS).bind(id);
            let deleted = match results.execute(&mut *transaction).await?.rows_affected() {
                0 => {
                    let delete = sqlx::query(simulations::DELETE_SIMULATION).bind(id);
                    delete.execute(&mut *transaction).await?.rows_affected()
                }
                _ => 0,
            };
            transaction.commit().await?;
            Ok(Some(deleted))
        }

        /// Deletes some negotiations with their messages; how many, `None` where there were none.
        ///
        /// # Errors
        /// Storage failed.
        pub(crate) async fn prune_negotiations(
            &self,
            before: Timestamp,
        ) -> Result<Option<u64>, StorageError> {
            let found: Vec<Uuid> = sqlx::query_scalar(sql::FIND_NEGOTIATIONS)
                .bind(before.as_unix_seconds())
                .bind(NEGOTIATIONS_TOGETHER)
                .fetch_all(&self.reader)
                .await?;
            if found.is_empty() {
                return Ok(None);
            }
            let mut transaction = self.begin_beside_the_book().await?;
            for id in &found {
                for statement in [sql::PRUNE_MESSAGES, sql::PRUNE_NEGOTIATION] {
                    sqlx::query(statement).bind(*id).execute(&mut *transaction).await?;
                }
            }
            transaction.commit().await?;
            Ok(Some(found.len() as u64))
        }
    }
);
