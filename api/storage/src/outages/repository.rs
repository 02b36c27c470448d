//! Outages. What is newly out of service or occupied can make an earlier plan wrong.

use planner::identity::OutageId;
use planner::time::{Span, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::MAX_BOUND_VALUES;
use crate::epochs::repository::Epochs;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::EpochId;
use crate::outages::change::{ChangeOutageError, OutageChange};
use crate::outages::row::OutageRow;
use crate::outages::withheld::WithheldChanges;
use crate::outages::{Outage, Withheld, WithheldCounts};
use crate::row::set_text;

repository!(
    /// Outages.
    impl Database for Outages {
        /// Stores an outage that an operator told of, whose nodes plans avoid from now on.
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
            Self::outage_changed(connection, "outage.announced", outage.id, at).await?;
            Ok(transaction.commit().await?)
        }

        /// Outages that last at an instant of a window, over or not; nothing is kept of what was occupied once it is not
        /// any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn outages_during(&self, window: Span) -> Result<Vec<Outage>, StorageError> {
            let rows: Vec<OutageRow> = sqlx::query_as(sql::OUTAGES_DURING)
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(Outage::try_from).collect()
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
            let Some(outage) = Self::one(connection, id).await? else { return Ok(None) };
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
            Self::outage_changed(connection, "outage.ended", id, now).await?;
            transaction.commit().await?;
            Ok(Some(Outage { end: Some(now.max(outage.start)), ..outage }))
        }

        /// Changes an outage that an operator told of, in one step: what stays out of service is never in service
        /// meanwhile. Of nodes that are given back it is kept that they were out until `now`. The outage before and
        /// after; where nothing differs nothing is written. The book's version grows only where more is taken.
        ///
        /// # Errors
        /// See [`ChangeOutageError`]; [`StorageError::EpochChanged`] where other nodes are not ranks of the newest epoch.
        pub async fn change_outage(
            &self,
            id: OutageId,
            change: &OutageChange,
            now: Timestamp,
        ) -> Result<(Outage, Outage), ChangeOutageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let before = Self::one(connection, id).await?.ok_or(ChangeOutageError::NotFound)?;
            let after = before.changed(change, now)?;
            let newest = Epochs::<Engine>::newest(connection).await?.map(|row| row.id);
            if newest != Some(after.epoch) {
                return Err(StorageError::EpochChanged.into());
            }
            if after == before {
                return Ok((before, after));
            }
            let given_back = before.given_back(&after, now);
            let written: Vec<Outage> = given_back.into_iter().chain([after.clone()]).collect();
            Self::put(connection, &written).await?;
            Self::note_change(connection, "outage.announced", id, now).await?;
            if after.takes_more_than(&before) {
                BookRow::<Engine>::bump_version(connection).await?;
            }
            transaction.commit().await?;
            Ok((before, after))
        }

        /// Makes what is stored of the resource manager's outages equal to what it withholds at `now`, key
        /// by key, in one transaction. Ranks are those of `epoch`. Where nothing differs nothing is
        /// written; the book's version grows only where something is newly withheld.
        ///
        /// Of keys that are gone, those that are occupied are forgotten, and the others end at `now`.
        /// What is over, or has no nodes, counts as gone.
        ///
        /// # Errors
        /// [`StorageError::EpochChanged`] where `epoch` is not the newest.
        pub async fn put_withheld(
            &self,
            epoch: EpochId,
            now: Timestamp,
            withheld: &[Withheld],
        ) -> Result<WithheldCounts, StorageError> {
            // First without the book's turn, since hardly anything differs most of the time.
            let stored = Self::managed(&mut *self.reader.acquire().await?, now).await?;
            if WithheldChanges::new(&stored, withheld, epoch, now).is_empty() {
                return Ok(WithheldCounts::default());
            }
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let newest = Epochs::<Engine>::newest(connection).await?.map(|row| row.id);
            if newest != Some(epoch) {
                return Err(StorageError::EpochChanged);
            }
            let stored = Self::managed(connection, now).await?;
            let changes = WithheldChanges::new(&stored, withheld, epoch, now);
            if changes.is_empty() {
                return Ok(WithheldCounts::default());
            }
            Self::delete(connection, &changes.deleted).await?;
            Self::put(connection, &changes.put).await?;
            sqlx::query(book::OUTAGES_CHANGED).execute(&mut *connection).await?;
            Events::<Engine>::record(connection, &changes.events, now).await?;
            if changes.counts.newly_withheld {
                BookRow::<Engine>::bump_version(connection).await?;
            }
            transaction.commit().await?;
            Ok(changes.counts)
        }

        /// Outages that have yet to end at `now`, by start: those of operators, and all that the resource
        /// manager withholds.
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
        async fn outage_changed(
            connection: &mut Connection<Engine>,
            kind: &str,
            id: OutageId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            Self::note_change(connection, kind, id, now).await?;
            BookRow::<Engine>::bump_version(connection).await
        }

        /// Notes that an outage is not what it was, and tells of it.
        async fn note_change(
            connection: &mut Connection<Engine>,
            kind: &str,
            id: OutageId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::OUTAGES_CHANGED).execute(&mut *connection).await?;
            let event = NewEvent::new(kind, json!({ "outage_id": id.to_string() }));
            Events::<Engine>::record(connection, &[event], now).await
        }

        /// One outage, inside a caller's transaction.
        async fn one(
            connection: &mut Connection<Engine>,
            id: OutageId,
        ) -> Result<Option<Outage>, StorageError> {
            let row: Option<OutageRow> =
                sqlx::query_as(sql::OUTAGE).bind(id.as_uuid()).fetch_optional(connection).await?;
            row.map(Outage::try_from).transpose()
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

        /// What the resource manager withholds, and what it withheld and is still stored of that.
        async fn managed(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<Vec<Outage>, StorageError> {
            let rows: Vec<OutageRow> = sqlx::query_as(sql::MANAGED_OUTAGES)
                .bind(now.as_unix_seconds())
                .fetch_all(connection)
                .await?;
            rows.into_iter().map(Outage::try_from).collect()
        }

        /// Writes outages that are new, or are known and changed: also in the ranks of a new epoch.
        pub(crate) async fn put(
            connection: &mut Connection<Engine>,
            outages: &[Outage],
        ) -> Result<(), StorageError> {
            for chunk in outages.chunks(MAX_BOUND_VALUES / 10) {
                let mut insert = QueryBuilder::<Engine>::new(sql::OUTAGES_BULK);
                insert.push_values(chunk, |mut row, outage| {
                    row.push_bind(outage.id.as_uuid())
                        .push_bind(outage.kind.word())
                        .push_bind(outage.managed_key.as_deref())
                        .push_bind(&outage.owner)
                        .push_bind(&outage.reason)
                        .push_bind(outage.created.as_unix_seconds())
                        .push_bind(outage.epoch)
                        .push_bind(outage.start.as_unix_seconds())
                        .push_bind(outage.end.map(Timestamp::as_unix_seconds))
                        .push_bind(set_text(&outage.ranks));
                });
                insert.push(sql::OUTAGES_BULK_END);
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        async fn delete(
            connection: &mut Connection<Engine>,
            ids: &[OutageId],
        ) -> Result<(), StorageError> {
            for chunk in ids.chunks(MAX_BOUND_VALUES) {
                let mut delete = QueryBuilder::<Engine>::new(sql::DELETE_OUTAGES_BULK);
                let mut list = delete.separated(", ");
                for id in chunk {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(")");
                delete.build().execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
);
