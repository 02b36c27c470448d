//! Quota adjustments. Whatever is done with one can make an earlier plan wrong.

use planner::identity::QuotaAdjustmentId;
use planner::quota::QuotaMeasure;
use planner::time::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::sql;
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::quota_adjustments::row::{PeriodText, QuotaAdjustmentRow, limit_text};
use crate::quota_adjustments::{QuotaAdjustmentFilter, StoredQuotaAdjustment};

repository!(
    /// Quota adjustments.
    impl Database for QuotaAdjustments {
        /// Stores an adjustment, which every decision knows from now on.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn create_quota_adjustment(
            &self,
            new: &StoredQuotaAdjustment,
        ) -> Result<(), StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let (rule, period) = (&new.rule, PeriodText::of(&new.rule));
            let key = &rule.key;
            let limit = |measure| limit_text(rule, measure);
            sqlx::query(sql::INSERT_QUOTA_ADJUSTMENT)
                .bind(new.id.as_uuid())
                .bind(&new.made_by)
                .bind(&new.reason)
                .bind(new.created.as_unix_seconds())
                .bind(new.row_version)
                .bind(new.from.as_unix_seconds())
                .bind(new.to.map(Timestamp::as_unix_seconds))
                .bind(key.partition.to_string())
                .bind(key.project.to_string())
                .bind(key.job_type.to_string())
                .bind(key.user.to_string())
                .bind(limit(QuotaMeasure::Nodes))
                .bind(limit(QuotaMeasure::Reservations))
                .bind(limit(QuotaMeasure::NodeHours))
                .bind(limit(QuotaMeasure::EnergyKwh))
                .bind(limit(QuotaMeasure::Cost))
                .bind(limit(QuotaMeasure::Co2Kg))
                .bind(rule.budgets.with_below)
                .bind(period.per)
                .bind(period.from)
                .bind(period.to)
                .execute(&mut *connection)
                .await?;
            Self::changed(connection, "quota.adjusted", new.id, new.created).await?;
            Ok(transaction.commit().await?)
        }

        /// Puts other limits, another end or another reason in place of what was read; `false` where it is not as it was
        /// read any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn change_quota_adjustment(
            &self,
            new: &StoredQuotaAdjustment,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let (rule, period) = (&new.rule, PeriodText::of(&new.rule));
            let limit = |measure| limit_text(rule, measure);
            let changed = sqlx::query(sql::CHANGE_QUOTA_ADJUSTMENT)
                .bind(new.id.as_uuid())
                .bind(new.row_version)
                .bind(&new.reason)
                .bind(new.to.map(Timestamp::as_unix_seconds))
                .bind(limit(QuotaMeasure::Nodes))
                .bind(limit(QuotaMeasure::Reservations))
                .bind(limit(QuotaMeasure::NodeHours))
                .bind(limit(QuotaMeasure::EnergyKwh))
                .bind(limit(QuotaMeasure::Cost))
                .bind(limit(QuotaMeasure::Co2Kg))
                .bind(rule.budgets.with_below)
                .bind(period.per)
                .bind(period.from)
                .bind(period.to)
                .execute(&mut *connection)
                .await?;
            if changed.rows_affected() == 0 {
                return Ok(false);
            }
            Self::changed(connection, "quota.adjusted", new.id, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Ends an adjustment at `now`; one that has yet to begin is taken back. `None` for an unknown one; one that has
        /// ended stays as it is.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_quota_adjustment(
            &self,
            id: QuotaAdjustmentId,
            now: Timestamp,
        ) -> Result<Option<StoredQuotaAdjustment>, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let Some(found) = Self::found(connection, id).await? else { return Ok(None) };
            if found.to.is_some_and(|to| to <= now) {
                return Ok(Some(found));
            }
            if found.from < now {
                sqlx::query(sql::END_QUOTA_ADJUSTMENT)
                    .bind(id.as_uuid())
                    .bind(now.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            } else {
                sqlx::query(sql::DELETE_QUOTA_ADJUSTMENT)
                    .bind(id.as_uuid())
                    .execute(&mut *connection)
                    .await?;
            }
            Self::changed(connection, "quota.adjustment_ended", id, now).await?;
            transaction.commit().await?;
            let (to, row_version) = (Some(now.max(found.from)), found.row_version + 1);
            Ok(Some(StoredQuotaAdjustment { row_version, to, ..found }))
        }

        /// An adjustment; `None` for an unknown one.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn quota_adjustment(
            &self,
            id: QuotaAdjustmentId,
        ) -> Result<Option<StoredQuotaAdjustment>, StorageError> {
            Self::found(&mut *self.reader.acquire().await?, id).await
        }

        /// So many adjustments after another in the order in which they were made.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn quota_adjustments(
            &self,
            filter: QuotaAdjustmentFilter,
            after: Option<QuotaAdjustmentId>,
            limit: u16,
        ) -> Result<Vec<StoredQuotaAdjustment>, StorageError> {
            let (ends_after, begins_by) = match filter {
                QuotaAdjustmentFilter::All => (Timestamp::MIN, Timestamp::MAX),
                QuotaAdjustmentFilter::EndingAfter(at) => (at, Timestamp::MAX),
                QuotaAdjustmentFilter::InForceAt(at) => (at, at),
            };
            let rows: Vec<QuotaAdjustmentRow> = sqlx::query_as(sql::QUOTA_ADJUSTMENTS)
                .bind(after.map_or(Uuid::nil(), QuotaAdjustmentId::as_uuid))
                .bind(ends_after.as_unix_seconds())
                .bind(begins_by.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(StoredQuotaAdjustment::try_from).collect()
        }
    }

    /// Parts of transactions.
    impl QuotaAdjustments {
        async fn found(
            connection: &mut Connection<Engine>,
            id: QuotaAdjustmentId,
        ) -> Result<Option<StoredQuotaAdjustment>, StorageError> {
            let row: Option<QuotaAdjustmentRow> = sqlx::query_as(sql::QUOTA_ADJUSTMENT)
                .bind(id.as_uuid())
                .fetch_optional(connection)
                .await?;
            row.map(StoredQuotaAdjustment::try_from).transpose()
        }

        /// Notes that plans made earlier may be wrong.
        async fn changed(
            connection: &mut Connection<Engine>,
            kind: &str,
            id: QuotaAdjustmentId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::QUOTAS_CHANGED).execute(&mut *connection).await?;
            let event = NewEvent::new(kind, json!({ "adjustment_id": id.to_string() }));
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await
        }

        /// Adjustments that end after an instant, or do not, in the order in which they were made.
        pub(crate) async fn lasting(
            connection: &mut Connection<Engine>,
            from: Timestamp,
        ) -> Result<Vec<StoredQuotaAdjustment>, StorageError> {
            let rows: Vec<QuotaAdjustmentRow> = sqlx::query_as(sql::LASTING_QUOTA_ADJUSTMENTS)
                .bind(from.as_unix_seconds())
                .fetch_all(connection)
                .await?;
            rows.into_iter().map(StoredQuotaAdjustment::try_from).collect()
        }
    }
);
