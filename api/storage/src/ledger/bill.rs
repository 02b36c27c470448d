//! Rows of the ledger as bills need them.

use planner::ledger::{LedgerRow, QUARTERS};
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::ledger::repository::Ledger;
use crate::ledger::row::{BillSumRow, HourQuartersRow, LedgerRecordRow};
use crate::ledger::{BillSum, LedgerFilter, LedgerRecord};

repository!(
    /// Rows of the ledger as bills need them.
    impl Database for LedgerBills {
        /// What rows of a currency amount to by holder, reservation, user and project, in their order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn bill_sums(
            &self,
            filter: &LedgerFilter,
            currency: Currency,
        ) -> Result<Vec<BillSum>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::BILL_SUMS);
            Ledger::<Engine>::push_conditions(&mut query, filter);
            query.push(" AND currency = ").push_bind(currency.to_string());
            query.push(
                " GROUP BY holder, reservation_id, user_name, project
                ORDER BY holder, user_name, project, reservation_id",
            );
            let rows: Vec<BillSumRow> = query.build_query_as().fetch_all(&self.reader).await?;
            rows.into_iter().map(BillSum::try_from).collect()
        }

        /// What everything amounts to in each quarter-hour of the stated hours in a window. Corrections that count
        /// in another hour, as their month was closed, change nothing.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn stated_quarters(
            &self,
            window: Span,
        ) -> Result<Vec<(Timestamp, [i64; QUARTERS])>, StorageError> {
            let rows: Vec<HourQuartersRow> = sqlx::query_as(sql::QUARTERS_IN_HOURS)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(Into::into).collect())
        }

        /// The rows of an hour that count in it.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn rows_counted_in_their_hour(
            &self,
            hour: Timestamp,
        ) -> Result<Vec<LedgerRow>, StorageError> {
            let rows: Vec<LedgerRecordRow> = sqlx::query_as(sql::ROWS_IN_HOUR)
                .bind(hour.as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(|row| Ok(LedgerRecord::try_from(row)?.row)).collect()
        }
    }
);
