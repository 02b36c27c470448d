//! Outages. Each change of them can make an earlier plan wrong.

use planner::identity::OutageId;
use planner::time::Timestamp;
use serde_json::json;

use super::sql;
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::epochs::repository::Epochs;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::outages::Outage;
use crate::outages::row::OutageRow;
use crate::row::set_text;

repository!(
    /// Outages.
    impl Database for Outages {
        /// Stores an outage, whose nodes plans avoid from now on.
        ///
        /// # Errors
        /// [`StorageError::EpochChanged`] where its ranks are not those of the newest epoch.
        pub async fn create_outage(&self, outage: &Outage) -> Result<(), StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let newest = Epochs::<Engine>::newest(connection).await?.map(|row| row.id);
            if newest != Some(outage.epoch) {
                return Err(StorageError::EpochChanged);
            }
            sqlx::query(sql::INSERT_OUTAGE)
                .bind(outage.id.as_uuid())
                .bind(&outage.owner)
                .bind(&outage.reason)
                .bind(outage.created.as_unix_seconds())
                .bind(outage.epoch)
                .bind(outage.start.as_unix_seconds())
                .bind(outage.end.map(Timestamp::as_unix_seconds))
                .bind(set_text(&outage.ranks))
                .execute(&mut *connection)
                .await?;
            let at = outage.created;
            Self::outages_changed(connection, "outage.announced", outage.id, at).await?;
            Ok(transaction.commit().await?)
        }

        /// Ends an outage at `now`; one that has yet to start is taken back. `None` for an unknown one;
        /// one that has ended stays as it is.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_outage(
            &self,
            id: OutageId,
            now: Timestamp,
        ) -> Result<Option<Outage>, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let row: Option<OutageRow> = sqlx::query_as(sql::OUTAGE)
                .bind(id.as_uuid())
                .fetch_optional(&mut *connection)
                .await?;
            let Some(outage) = row.map(Outage::try_from).transpose()? else { return Ok(None) };
            if outage.end.is_some_and(|end| end <= now) {
                return Ok(Some(outage));
            }
            if outage.start < now {
                sqlx::query(sql::END_OUTAGE)
                    .bind(id.as_uuid())
                    .bind(now.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            } else {
                sqlx::query(sql::DELETE_OUTAGE)
                    .bind(id.as_uuid())
                    .execute(&mut *connection)
                    .await?;
            }
            Self::outages_changed(connection, "outage.ended", id, now).await?;
            transaction.commit().await?;
            Ok(Some(Outage { end: Some(now.max(outage.start)), ..outage }))
        }

        /// Outages that have yet to end at `now`, by start.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn outages(&self, now: Timestamp) -> Result<Vec<Outage>, StorageError> {
            Self::upcoming(&mut *self.reader.acquire().await?, now).await
        }
    }

    /// Parts of transactions.
    impl Outages {
        /// Notes that plans made earlier may be wrong.
        async fn outages_changed(
            connection: &mut Connection<Engine>,
            kind: &str,
            id: OutageId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::OUTAGES_CHANGED).execute(&mut *connection).await?;
            let event = NewEvent::new(kind, json!({ "outage_id": id.to_string() }));
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await
        }

        /// Outages that have yet to end, inside a caller's transaction.
        pub(crate) async fn upcoming(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<Vec<Outage>, StorageError> {
            let rows: Vec<OutageRow> = sqlx::query_as(sql::UPCOMING_OUTAGES)
                .bind(now.as_unix_seconds())
                .fetch_all(connection)
                .await?;
            rows.into_iter().map(Outage::try_from).collect()
        }

        /// Writes outages in the ranks of a new epoch.
        pub(crate) async fn renumber(
            connection: &mut Connection<Engine>,
            epoch: crate::identity::EpochId,
            outages: &[Outage],
        ) -> Result<(), StorageError> {
            for outage in outages {
                sqlx::query(sql::MOVE_OUTAGE)
                    .bind(outage.id.as_uuid())
                    .bind(epoch)
                    .bind(set_text(&outage.ranks))
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
