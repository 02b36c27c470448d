//! Power states of nodes. No part of the book.

use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::power_states::NodePowerState;
use crate::power_states::row::{PowerStateRow, word};

repository!(
    /// When nodes were on, off and on their way.
    impl Database for PowerStates {
        /// What was noted last of each node, by name. Of a node that is not told nothing was noted: it is on.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_power_states(&self) -> Result<Vec<NodePowerState>, StorageError> {
            let rows: Vec<PowerStateRow> =
                sqlx::query_as(sql::NEWEST_POWER_STATES).fetch_all(&self.reader).await?;
            rows.into_iter().map(NodePowerState::try_from).collect()
        }

        /// Notes since when nodes are so, all of them or none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_power_states(
            &self,
            states: &[NodePowerState],
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for chunk in states.chunks(MAX_BOUND_VALUES / 3) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_STATES_BULK);
                insert.push_values(chunk, |mut row, state| {
                    row.push_bind(&state.node)
                        .push_bind(state.since.as_unix_seconds())
                        .push_bind(word(state.power));
                });
                insert.push(sql::POWER_STATES_BULK_END);
                insert.build().execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        }
    }
);
