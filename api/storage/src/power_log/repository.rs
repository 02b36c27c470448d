//! The log of what was decided and done about the power of nodes. No part of the book.

use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::power_log::row::PowerLogRow;
use crate::power_log::{NewLogEntry, PowerLogEntry, PowerLogFilter};

repository!(
    /// What was decided and done about the power of nodes.
    impl Database for PowerLog {
        /// Entries of the log, the newest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn power_log(
            &self,
            filter: &PowerLogFilter,
        ) -> Result<Vec<PowerLogEntry>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::POWER_LOG_WHERE);
            query.push_bind(filter.before.unwrap_or(i64::MAX));
            if let Some(node) = &filter.node {
                query.push(" AND node = ").push_bind(node);
            }
            if let Some(from) = filter.from {
                query.push(" AND at_s >= ").push_bind(from.as_unix_seconds());
            }
            if let Some(to) = filter.to {
                query.push(" AND at_s < ").push_bind(to.as_unix_seconds());
            }
            query.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(filter.limit));
            let rows: Vec<PowerLogRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(PowerLogEntry::try_from).collect()
        }
    }

    /// Parts of transactions.
    impl PowerLog {
        /// Writes entries inside a caller's transaction.
        pub(crate) async fn record(
            connection: &mut Connection<Engine>,
            entries: &[NewLogEntry],
            now: Timestamp,
        ) -> Result<(), StorageError> {
            for chunk in entries.chunks(MAX_BOUND_VALUES / 6) {
                let mut insert = QueryBuilder::<Engine>::new(sql::POWER_LOG_BULK);
                insert.push_values(chunk, |mut row, entry| {
                    row.push_bind(now.as_unix_seconds())
                        .push_bind(&entry.node)
                        .push_bind(entry.action_id)
                        .push_bind(entry.what.word())
                        .push_bind(entry.by.as_deref())
                        .push_bind(entry.because.as_deref());
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);
