//! The ledger, whose rows are added and never changed. No part of the book.

use planner::identity::ReservationId;
use planner::ledger::LedgerRow;
use planner::time::{Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::ledger::row::{LedgerGroupRow, LedgerRecordRow};
use crate::ledger::{LedgerFilter, LedgerGroup, LedgerRecord, NewStatement};

/// Columns of a row that are written.
const COLUMNS: usize = 30;

repository!(
    /// What was stated of hours.
    impl Database for Ledger {
        /// States an hour, whole or not at all; `false` where another process stated it first by this number, or it is to be
        /// stated anew and is sealed, and nothing is written.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_statement(&self, statement: &NewStatement) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let connection = &mut *transaction;
            let serial: i64 =
                sqlx::query_scalar(sql::NEXT_SERIAL).fetch_one(&mut *connection).await?;
            // What it rests on may have been pruned since it was read.
            let sealed: i64 =
                sqlx::query_scalar(sql::SEALED_UNTIL).fetch_one(&mut *connection).await?;
            if statement.number > 0 && statement.hour.as_unix_seconds() < sealed {
                return Ok(false);
            }
            let noted = sqlx::query(sql::INSERT_STATEMENT)
                .bind(statement.hour.as_unix_seconds())
                .bind(i64::from(statement.number))
                .bind(statement.counted.as_unix_seconds())
                .bind(statement.stated.as_unix_seconds())
                .bind(serial)
                .bind(&statement.other_co2_accounting)
                .execute(&mut *connection)
                .await?;
            if noted.rows_affected() == 0 {
                return Ok(false);
            }
            Self::insert_rows(connection, statement).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// The start of the newest hour that was stated.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn newest_stated_hour(&self) -> Result<Option<Timestamp>, StorageError> {
            let newest: Option<i64> =
                sqlx::query_scalar(sql::NEWEST_HOUR).fetch_one(&self.reader).await?;
            Ok(newest.map(Timestamp::from_unix_seconds))
        }

        /// The starts of the hours in a window that were stated, in order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn stated_hours(&self, window: Span) -> Result<Vec<Timestamp>, StorageError> {
            let hours: Vec<i64> = sqlx::query_scalar(sql::STATED_HOURS)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(hours.into_iter().map(Timestamp::from_unix_seconds).collect())
        }

        /// How often an hour was stated, and all rows of that.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn stated_of_hour(
            &self,
            hour: Timestamp,
        ) -> Result<(u32, Vec<LedgerRow>), StorageError> {
            let mut transaction = self.begin_read().await?;
            let count: i64 = sqlx::query_scalar(sql::STATEMENTS_OF_HOUR)
                .bind(hour.as_unix_seconds())
                .fetch_one(&mut *transaction)
                .await?;
            let rows: Vec<LedgerRecordRow> = sqlx::query_as(sql::ROWS_OF_HOUR)
                .bind(hour.as_unix_seconds())
                .fetch_all(&mut *transaction)
                .await?;
            transaction.commit().await?;
            let row = |row: LedgerRecordRow| Ok(LedgerRecord::try_from(row)?.row);
            let rows = rows.into_iter().map(row).collect::<Result<_, StorageError>>()?;
            Ok((u32::try_from(count).unwrap_or(u32::MAX), rows))
        }

        /// A page of rows by the hour in which they count and their ids, after a row of an hour, at most
        /// `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn ledger_rows(
            &self,
            filter: &LedgerFilter,
            after: Option<(Timestamp, i64)>,
            limit: u16,
        ) -> Result<Vec<LedgerRecord>, StorageError> {
            let mut query = Self::filtered(sql::ROWS_WHERE, filter);
            if let Some((hour, id)) = after {
                let hour = hour.as_unix_seconds();
                query.push(" AND counted_s >= ").push_bind(hour);
                query.push(" AND (counted_s > ").push_bind(hour);
                query.push(" OR id > ").push_bind(id).push(")");
            }
            query.push(" ORDER BY counted_s, id LIMIT ").push_bind(i64::from(limit));
            let rows: Vec<LedgerRecordRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(LedgerRecord::try_from).collect()
        }

        /// How the statements that count in a window count CO2 by the accounting that the site does not plan by, in their
        /// words; nothing where nothing is known of it.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn other_co2_accountings(
            &self,
            window: Span,
        ) -> Result<Vec<String>, StorageError> {
            let found = sqlx::query_scalar(sql::OTHER_ACCOUNTINGS)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(found)
        }

        /// What rows amount to, by holder.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn ledger_groups(
            &self,
            filter: &LedgerFilter,
        ) -> Result<Vec<LedgerGroup>, StorageError> {
            let mut query = Self::filtered(sql::GROUPS_WHERE, filter);
            query.push(sql::GROUPS_END);
            let rows: Vec<LedgerGroupRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(LedgerGroup::try_from).collect()
        }
    }

    /// Parts of the above.
    impl Ledger {
        async fn insert_rows(
            connection: &mut Connection<Engine>,
            statement: &NewStatement,
        ) -> Result<(), StorageError> {
            for chunk in statement.rows.chunks(MAX_BOUND_VALUES / COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::ROWS_BULK);
                insert.push_values(chunk, |mut row, LedgerRow { party, amounts }| {
                    row.push_bind(statement.hour.as_unix_seconds())
                        .push_bind(i64::from(statement.number))
                        .push_bind(statement.counted.as_unix_seconds())
                        .push_bind(party.holder.word())
                        .push_bind(party.reservation.map(ReservationId::as_uuid))
                        .push_bind(&party.job)
                        .push_bind(&party.user)
                        .push_bind(&party.owner)
                        .push_bind(&party.project)
                        .push_bind(&party.application)
                        .push_bind(&party.partition)
                        .push_bind(amounts.nodes)
                        .push_bind(amounts.node_s)
                        .push_bind(amounts.missing_s)
                        .push_bind(amounts.measured_j)
                        .push_bind(amounts.estimated_j)
                        .push_bind(amounts.cost_millionths)
                        .push_bind(amounts.unpriced_j)
                        .push_bind(statement.currency.to_string())
                        .push_bind(amounts.co2_location_mg)
                        .push_bind(amounts.unrated_j)
                        .push_bind(amounts.co2_market_mg)
                        .push_bind(amounts.other_co2_mg)
                        .push_bind(amounts.other_rated_j)
                        .push_bind(party.submission.and_then(|it| it.raw_id))
                        .push_bind(party.submission.map(|it| it.at.as_unix_seconds()));
                    for quarter in amounts.quarters_j {
                        row.push_bind(quarter);
                    }
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        fn filtered(beginning: &'static str, filter: &LedgerFilter) -> QueryBuilder<Engine> {
            let mut query = QueryBuilder::<Engine>::new(beginning);
            Self::push_conditions(&mut query, filter);
            query
        }

        /// The rows of a filter; what stands before ends with `counted_s >= `.
        pub(crate) fn push_conditions(query: &mut QueryBuilder<Engine>, filter: &LedgerFilter) {
            query.push_bind(filter.window.start().as_unix_seconds());
            query.push(" AND counted_s < ").push_bind(filter.window.end().as_unix_seconds());
            if let Some(of) = &filter.of {
                query.push(" AND (owner = ").push_bind(of.clone());
                query.push(" OR (user_name = ").push_bind(of.clone());
                query.push(" AND (holder <> 'job' OR reservation_id IS NOT NULL)))");
            }
            if let Some(user) = &filter.user {
                query.push(" AND user_name = ").push_bind(user.clone());
            }
            if let Some(project) = &filter.project {
                query.push(" AND project = ").push_bind(project.clone());
            }
        }
    }
);
