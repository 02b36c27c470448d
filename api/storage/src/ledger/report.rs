//! Rows of the ledger added up for reports.

use planner::identity::ReservationId;
use planner::quantity::Currency;
use planner::time::Timestamp;
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::error::StorageError;
use crate::ledger::repository::Ledger;
use crate::ledger::row::{PartRow, ReportSumRow, UsedRow, WholeRow};
use crate::ledger::{DayUsage, LedgerFilter, ReportKey, ReportPart, ReportSum, WholeEnergy};
use crate::promises::OfferPromise;
use crate::promises::repository::Promises;

const DAY_S: i64 = 86_400;

repository!(
    /// Rows of the ledger added up for reports.
    impl Database for LedgerReports {
        /// What rows amount to by these keys and the currency, in their order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn report_sums(
            &self,
            filter: &LedgerFilter,
            by: &[ReportKey],
        ) -> Result<Vec<ReportSum>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new("SELECT ");
            Self::push_keys(&mut query, by);
            query.push(sql::REPORT_SUMS);
            Ledger::<Engine>::push_conditions(&mut query, filter);
            query.push(" GROUP BY ");
            Self::push_grouping(&mut query, by);
            query.push(
                "currency ORDER BY user_name, project, application, partition_name, currency, job_id,
                job_submitted_s NULLS FIRST, job_raw_id NULLS FIRST, of_reservation NULLS FIRST",
            );
            let rows: Vec<ReportSumRow> = query.build_query_as().fetch_all(&self.reader).await?;
            Ok(rows.into_iter().map(ReportSum::from).collect())
        }

        /// What rows of reservations amount to by these keys and the reservation.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn report_parts(
            &self,
            filter: &LedgerFilter,
            by: &[ReportKey],
        ) -> Result<Vec<ReportPart>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new("SELECT ");
            Self::push_keys(&mut query, by);
            query.push(sql::REPORT_PARTS);
            Ledger::<Engine>::push_conditions(&mut query, filter);
            query.push(" AND reservation_id IS NOT NULL GROUP BY ");
            Self::push_grouping(&mut query, by);
            query.push("currency, reservation_id");
            let rows: Vec<PartRow> = query.build_query_as().fetch_all(&self.reader).await?;
            Ok(rows.into_iter().map(ReportPart::from).collect())
        }

        /// What users used on so many days before an instant, by the age of the day, user and project: what was reserved,
        /// and jobs outside of reservations. Costs in another currency than that are left out.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn used_by_day(
            &self,
            to: Timestamp,
            days: u32,
            currency: Currency,
        ) -> Result<Vec<DayUsage>, StorageError> {
            let to_s = to.as_unix_seconds();
            let query = sqlx::query_as(sql::USED_BY_DAY).bind(to_s);
            let query = query.bind(to_s - i64::from(days) * DAY_S).bind(currency.to_string());
            let rows: Vec<UsedRow> = query.fetch_all(&self.reader).await?;
            Ok(rows.into_iter().map(DayUsage::from).collect())
        }

        /// What the chosen offers of reservations promised, as these stand at `now`, each with the joules of all its rows,
        /// whenever they count. Those that were pruned are among them.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn promises_in_ledger(
            &self,
            ids: &[ReservationId],
            now: Timestamp,
        ) -> Result<Vec<(OfferPromise, WholeEnergy)>, StorageError> {
            let mut transaction = self.begin_read().await?;
            let mut found = Vec::with_capacity(ids.len());
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut query = QueryBuilder::<Engine>::new(sql::WHOLE_WHERE);
                let mut list = query.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(") GROUP BY reservation_id ORDER BY reservation_id");
                let wholes: Vec<WholeRow> =
                    query.build_query_as().fetch_all(&mut *transaction).await?;
                let wholes: std::collections::HashMap<ReservationId, WholeEnergy> =
                    wholes.into_iter().map(Into::into).collect();
                for promise in Promises::<Engine>::of(&mut transaction, chunk, now).await? {
                    let energy = wholes.get(&promise.reservation).copied().unwrap_or_default();
                    found.push((promise, energy));
                }
            }
            transaction.commit().await?;
            Ok(found)
        }
    }

    /// Parts of the above.
    impl LedgerReports {
        /// The columns of the keys; those that are not asked for are empty.
        fn push_keys(query: &mut QueryBuilder<Engine>, by: &[ReportKey]) {
            for key in ReportKey::ALL {
                query.push(key.read(by.contains(&key))).push(", ");
            }
        }

        fn push_grouping(query: &mut QueryBuilder<Engine>, by: &[ReportKey]) {
            for key in ReportKey::ALL.into_iter().filter(|key| by.contains(key)) {
                query.push(key.columns()).push(", ");
            }
        }
    }
);
