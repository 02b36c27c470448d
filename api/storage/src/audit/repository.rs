//! The audit trail. No part of the book.
//!
//! Whoever writes records holds the chain's row until the commit, so that the newest record is the one that the next follows,
//! whatever the processes.

use std::collections::{HashMap, HashSet};

use sqlx::QueryBuilder;

use super::sql;
use crate::audit::row::{AuditRow, BegunRow};
use crate::audit::{
    AuditEnd, AuditEntry, AuditFilter, AuditIntent, AuditRecord, ChainEnds, name_digest,
};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::{Dialect, MAX_BOUND_VALUES};
use crate::error::StorageError;

/// Columns of a record.
const COLUMNS: usize = 13;

/// Records that are dropped together, so that writers do not wait.
const DROPPED_TOGETHER: i64 = 5000;

/// So much later by the clock of another machine may come what was under way when somebody was erased.
const SKEW_US: i64 = 60 * 1_000_000;

/// The outcome of what was begun by a process that did not say what came of it.
const UNKNOWN: &str = "unknown";

repository!(
    /// Who did or read what.
    impl Database for Audit {
        /// Writes down what is about to be done, and records what was done, in one transaction. The first `retried` of what was done
        /// may have been recorded by an attempt whose answer was lost: then what was written down before it is gone.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn keep_audit(
            &self,
            begun: &[AuditIntent],
            ended: &[AuditEnd],
            retried: usize,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Self::begin_all(&mut transaction, begun).await?;
            if !ended.is_empty() {
                Self::take_chain(&mut transaction).await?;
                let (retried, others) = ended.split_at(retried.min(ended.len()));
                let retried = Self::not_recorded(&mut transaction, retried).await?;
                let ended: Vec<&AuditEnd> = retried.into_iter().chain(others).collect();
                let entries = ended.iter().map(|it| it.entry.clone()).collect();
                let intents: Vec<&str> =
                    ended.iter().filter_map(|it| it.intent.as_deref()).collect();
                Self::append(&mut transaction, entries).await?;
                Self::forget_begun(&mut transaction, &intents).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Records what was begun before an instant and never ended, as of an unknown outcome; how many. At most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn record_left_begun(
            &self,
            before_us: i64,
            limit: u16,
        ) -> Result<usize, StorageError> {
            let mut reader = self.reader.acquire().await?;
            if Self::left_begun(&mut reader, before_us, limit).await?.is_empty() {
                return Ok(0);
            }
            drop(reader);
            let mut transaction = self.begin_beside_the_book().await?;
            Self::take_chain(&mut transaction).await?;
            // Another process may have recorded them meanwhile.
            let left = Self::left_begun(&mut transaction, before_us, limit).await?;
            let instants = left.iter().map(|it| it.entry.at_us).collect();
            let recorded = Self::entries_at(&mut transaction, instants).await?;
            // What came to the database later than its end has an outcome.
            let is_open = |it: &&AuditIntent| !recorded.iter().any(|end| end.ends(&it.entry));
            let unknown =
                |it: &AuditIntent| AuditEntry { outcome: UNKNOWN.to_owned(), ..it.entry.clone() };
            let unknown: Vec<AuditEntry> = left.iter().filter(is_open).map(unknown).collect();
            let count = unknown.len();
            Self::append(&mut transaction, unknown).await?;
            let ids: Vec<&str> = left.iter().map(|it| it.id.as_str()).collect();
            Self::forget_begun(&mut transaction, &ids).await?;
            transaction.commit().await?;
            Ok(count)
        }

        /// What is under way: begun, and not recorded yet.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn audit_begun_ids(&self) -> Result<HashSet<String>, StorageError> {
            let ids: Vec<String> =
                sqlx::query_scalar(sql::BEGUN_IDS).fetch_all(&self.reader).await?;
            Ok(ids.into_iter().collect())
        }

        /// Forgets who was erased before an instant: nothing of theirs is under way any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_erased_names(&self, before_us: i64) -> Result<(), StorageError> {
            let erased: Vec<(String, i64)> =
                sqlx::query_as(sql::ERASED_NAMES).fetch_all(&self.reader).await?;
            if erased.iter().any(|(_, at_us)| *at_us < before_us) {
                let mut transaction = self.begin_beside_the_book().await?;
                let forgotten = sqlx::query(sql::FORGET_ERASED_NAMES).bind(before_us);
                forgotten.execute(&mut *transaction).await?;
                transaction.commit().await?;
            }
            Ok(())
        }

        /// Records that pass a filter, in their order.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn audit_records(
            &self,
            filter: &AuditFilter,
        ) -> Result<Vec<AuditRecord>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::RECORDS_WHERE);
            query.push_bind(filter.after);
            if let Some(from) = filter.from_us {
                query.push(" AND at_us >= ").push_bind(from);
            }
            if let Some(to) = filter.to_us {
                query.push(" AND at_us < ").push_bind(to);
            }
            let texts = [
                (" AND actor = ", &filter.actor),
                (" AND action = ", &filter.action),
                (" AND object = ", &filter.object),
            ];
            for (column, text) in texts {
                if let Some(text) = text {
                    query.push(column).push_bind(text);
                }
            }
            query.push(" ORDER BY id LIMIT ").push_bind(i64::from(filter.limit));
            let rows: Vec<AuditRow> = query.build_query_as().fetch_all(&self.reader).await?;
            Ok(rows.into_iter().map(AuditRecord::from).collect())
        }

        /// Records after one, up to another, in their order. At most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn audit_after(
            &self,
            after: i64,
            last: i64,
            limit: u16,
        ) -> Result<Vec<AuditRecord>, StorageError> {
            Self::after(&mut *self.reader.acquire().await?, (after, last), limit).await
        }

        /// The chain's ends.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn audit_ends(&self) -> Result<ChainEnds, StorageError> {
            Ok(sqlx::query_as(sql::CHAIN_ENDS).fetch_one(&self.reader).await?)
        }

        /// The first record from an instant on; `None` where there is none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn first_audit_from(&self, from_us: i64) -> Result<Option<i64>, StorageError> {
            let query = sqlx::query_scalar(sql::FIRST_FROM).bind(from_us);
            Ok(query.fetch_one(&self.reader).await?)
        }

        /// The last record from before an instant; `None` where there is none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn last_audit_before(&self, to_us: i64) -> Result<Option<i64>, StorageError> {
            let query = sqlx::query_scalar(sql::LAST_BEFORE).bind(to_us);
            Ok(query.fetch_one(&self.reader).await?)
        }

        /// The hash of a record that is kept.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn audit_hash(&self, id: i64) -> Result<Option<String>, StorageError> {
            Ok(sqlx::query_scalar(sql::HASH_OF).bind(id).fetch_optional(&self.reader).await?)
        }

        /// Drops some records, the oldest, up to the first that is not older than an instant; how many, 0 once there are none.
        /// The hash of the newest of them stays, so that the chain can be checked from there.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn drop_audit(&self, before_us: i64) -> Result<i64, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Self::take_chain(&mut transaction).await?;
            let ends = Self::ends(&mut transaction).await?;
            let last = ends.head_id.min(ends.dropped_id + DROPPED_TOGETHER);
            let first_kept: Option<i64> = sqlx::query_scalar(sql::FIRST_FROM_UP_TO)
                .bind(before_us)
                .bind(last)
                .fetch_one(&mut *transaction)
                .await?;
            let last = first_kept.map_or(last, |first| first - 1);
            if last <= ends.dropped_id {
                return Ok(0);
            }
            let hash: String =
                sqlx::query_scalar(sql::HASH_OF).bind(last).fetch_one(&mut *transaction).await?;
            let moved = sqlx::query(sql::MOVE_DROPPED).bind(last).bind(hash);
            moved.execute(&mut *transaction).await?;
            let deleted = sqlx::query(sql::DELETE_DROPPED).bind(last);
            deleted.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(last - ends.dropped_id)
        }
    }

    /// Parts of transactions.
    impl Audit {
        async fn begin_all(
            connection: &mut Connection<Engine>,
            begun: &[AuditIntent],
        ) -> Result<(), StorageError> {
            for chunk in begun.chunks(MAX_BOUND_VALUES / COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::BEGUN_BULK);
                insert.push_values(chunk, |mut row, AuditIntent { id, entry }| {
                    row.push_bind(id)
                        .push_bind(entry.at_us)
                        .push_bind(&entry.actor)
                        .push_bind(&entry.issuer)
                        .push_bind(&entry.acting_for)
                        .push_bind(&entry.source)
                        .push_bind(&entry.action)
                        .push_bind(&entry.object);
                });
                insert.build().execute(&mut *connection).await?;
            }
            Ok(())
        }

        /// Takes the chain's row until the end of the transaction.
        pub(crate) async fn take_chain(
            connection: &mut Connection<Engine>,
        ) -> Result<(), StorageError> {
            match sqlx::query(sql::TAKE_CHAIN).execute(connection).await.map_err(Into::into) {
                Err(StorageError::Busy(_)) => Err(StorageError::AuditHeld),
                taken => taken.map(drop),
            }
        }

        /// Adds entries to the chain, whose row is held from then on.
        pub(crate) async fn append(
            connection: &mut Connection<Engine>,
            entries: Vec<AuditEntry>,
        ) -> Result<(), StorageError> {
            Self::take_chain(connection).await?;
            let ChainEnds { mut head_id, mut head_hash, .. } = Self::ends(connection).await?;
            let erased: Vec<(String, i64)> =
                sqlx::query_as(sql::ERASED_NAMES).fetch_all(&mut *connection).await?;
            let erased: HashMap<String, i64> = erased.into_iter().collect();
            let mut records = Vec::with_capacity(entries.len());
            for entry in entries {
                let mut record = entry.chained(head_id + 1, &head_hash);
                if !erased.is_empty() {
                    // Who is called so and came later is somebody else.
                    let until_us = record.entry.at_us - SKEW_US;
                    record.erase(&|name| {
                        erased.get(&name_digest(name)).is_some_and(|at_us| *at_us >= until_us)
                    });
                }
                head_id = record.id;
                head_hash.clone_from(&record.hash);
                records.push(record);
            }
            for chunk in records.chunks(MAX_BOUND_VALUES / COLUMNS) {
                let mut insert = QueryBuilder::<Engine>::new(sql::RECORDS_BULK);
                insert.push_values(chunk, |mut row, AuditRecord { id, entry, hash, previous }| {
                    row.push_bind(*id)
                        .push_bind(entry.at_us)
                        .push_bind(&entry.actor)
                        .push_bind(&entry.issuer)
                        .push_bind(&entry.acting_for)
                        .push_bind(&entry.source)
                        .push_bind(&entry.action)
                        .push_bind(&entry.object)
                        .push_bind(entry.before.as_deref())
                        .push_bind(entry.after.as_deref())
                        .push_bind(&entry.outcome)
                        .push_bind(hash)
                        .push_bind(previous);
                });
                insert.build().execute(&mut *connection).await?;
            }
            let moved = sqlx::query(sql::MOVE_HEAD).bind(head_id).bind(head_hash);
            moved.execute(&mut *connection).await?;
            Ok(())
        }

        /// Those of which it was not recorded what came of it. Asked for with the chain's row held, so that no attempt is under way.
        async fn not_recorded<'a>(
            connection: &mut Connection<Engine>,
            ended: &'a [AuditEnd],
        ) -> Result<Vec<&'a AuditEnd>, StorageError> {
            if ended.is_empty() {
                return Ok(Vec::new());
            }
            let begun: Vec<String> =
                sqlx::query_scalar(sql::BEGUN_IDS).fetch_all(&mut *connection).await?;
            let begun: HashSet<String> = begun.into_iter().collect();
            let instants = ended.iter().map(|it| it.entry.at_us).collect();
            let recorded = Self::entries_at(connection, instants).await?;
            // What was begun may have come to the database later than its end: then it is open though it was recorded.
            let is_open = |it: &&AuditEnd| {
                it.intent.as_ref().is_none_or(|id| begun.contains(id))
                    && !recorded.contains(&it.entry)
            };
            Ok(ended.iter().filter(is_open).collect())
        }

        /// What was recorded of requests that came at these instants.
        async fn entries_at(
            connection: &mut Connection<Engine>,
            at_us: Vec<i64>,
        ) -> Result<Vec<AuditEntry>, StorageError> {
            let mut query = QueryBuilder::<Engine>::new(sql::RECORDS_AT_WHERE);
            Engine::push_numbers(&mut query, at_us);
            let rows: Vec<AuditRow> = query.build_query_as().fetch_all(connection).await?;
            Ok(rows.into_iter().map(|row| AuditRecord::from(row).entry).collect())
        }

        async fn forget_begun(
            connection: &mut Connection<Engine>,
            ids: &[&str],
        ) -> Result<(), StorageError> {
            if !ids.is_empty() {
                let mut delete = QueryBuilder::<Engine>::new(sql::BEGUN_DONE_WHERE);
                Engine::push_texts(&mut delete, ids);
                delete.build().execute(connection).await?;
            }
            Ok(())
        }

        async fn left_begun(
            connection: &mut Connection<Engine>,
            before_us: i64,
            limit: u16,
        ) -> Result<Vec<AuditIntent>, StorageError> {
            let query = sqlx::query_as(sql::LEFT_BEGUN).bind(before_us).bind(i64::from(limit));
            let rows: Vec<BegunRow> = query.fetch_all(connection).await?;
            Ok(rows.into_iter().map(AuditIntent::from).collect())
        }

        /// The chain's ends inside a caller's transaction.
        async fn ends(connection: &mut Connection<Engine>) -> Result<ChainEnds, StorageError> {
            Ok(sqlx::query_as(sql::CHAIN_ENDS).fetch_one(connection).await?)
        }

        /// Records after one and up to another inside a caller's transaction.
        pub(crate) async fn after(
            connection: &mut Connection<Engine>,
            (after, last): (i64, i64),
            limit: u16,
        ) -> Result<Vec<AuditRecord>, StorageError> {
            let query = sqlx::query_as(sql::RECORDS_AFTER).bind(after).bind(last);
            let rows: Vec<AuditRow> = query.bind(i64::from(limit)).fetch_all(connection).await?;
            Ok(rows.into_iter().map(AuditRecord::from).collect())
        }
    }
);
