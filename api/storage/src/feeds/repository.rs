//! Feeds: their revisions and how they stand.
//!
//! None of this is part of the book: it is written without counting a change, so that nobody reads
//! the book again because a source was asked.

use planner::time::{Span, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::agendas::Quantity;
use crate::agendas::spans::cut_open;
use crate::database::repository;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::feeds::packed::pack;
use crate::feeds::row::{FeedNewsRow, FeedRow, FeedSpanRow, MetaRow, PackedRow};
use crate::feeds::{FeedNews, FeedRevision, FeedRevisionMeta, FeedState, NewFeedRevision};
use crate::identity::FeedRevisionId;

/// Revisions that are looked at together: few, then more where these do not cover the window.
const FIRST_PAGE: i64 = 16;
const LARGEST_PAGE: i64 = 256;

repository!(
    /// What sources said, and how they stand.
    impl Database for Feeds {
        /// Keeps a revision.
        ///
        /// # Errors
        /// No pieces, or pieces that are not in order.
        pub async fn keep_feed_revision(
            &self,
            revision: &NewFeedRevision,
        ) -> Result<FeedRevisionId, StorageError> {
            let span = revision.span()?;
            let mut transaction = self.begin_beside_the_book().await?;
            let id: FeedRevisionId = sqlx::query_scalar(sql::INSERT_FEED_REVISION)
                .bind(&revision.feed)
                .bind(revision.quantity.word())
                .bind(&revision.zone)
                .bind(&revision.kind)
                .bind(revision.quality().word())
                .bind(revision.issued.map(Timestamp::as_unix_seconds))
                .bind(revision.received.as_unix_seconds())
                .bind(span.start().as_unix_seconds())
                .bind(span.end().as_unix_seconds())
                .bind(i64::try_from(revision.pieces.len()).unwrap_or(i64::MAX))
                .bind(revision.notes.join("\n"))
                .bind(pack(&revision.pieces))
                .fetch_one(&mut *transaction)
                .await?;
            let quantity = revision.quantity.word();
            let data = json!({ "feed": revision.feed, "quantity": quantity, "revision": id.get() });
            let event = NewEvent::new("feed.revised", data);
            Events::<Engine>::record_beside(&mut transaction, &[event], revision.received).await?;
            transaction.commit().await?;
            Ok(id)
        }

        /// The revisions received by `as_of` that together say what the feed knew of `window`: the
        /// newest first, and of the older ones only those that fill what newer ones leave open.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn feed_revisions_over(
            &self,
            feed: &str,
            quantity: Quantity,
            window: Span,
            as_of: Timestamp,
        ) -> Result<Vec<FeedRevision>, StorageError> {
            let mut open = vec![window];
            let mut found = Vec::new();
            let (mut before, mut page) = ((as_of.as_unix_seconds(), i64::MAX), FIRST_PAGE);
            while !open.is_empty() {
                let rows: Vec<FeedSpanRow> = sqlx::query_as(sql::FEED_SPANS)
                    .bind(feed)
                    .bind(quantity.word())
                    .bind(window.start().as_unix_seconds())
                    .bind(window.end().as_unix_seconds())
                    .bind(before.0)
                    .bind(before.1)
                    .bind(page)
                    .fetch_all(&mut *self.reading().await?)
                    .await?;
                let Some(last) = rows.last() else { break };
                before = (last.received_s, last.id.get());
                let mut ids = Vec::new();
                for row in &rows {
                    let span = row.span()?;
                    if open.iter().any(|gap| gap.overlaps(span)) {
                        ids.push(row.id);
                    }
                }
                for revision in self.feed_revisions_of(&ids).await? {
                    if cut_open(&mut open, &revision.pieces) {
                        found.push(revision);
                    }
                }
                if i64::try_from(rows.len()).is_ok_and(|count| count < page) {
                    break;
                }
                page = (page * 2).min(LARGEST_PAGE);
            }
            Ok(found)
        }

        /// A page of the revisions of a feed that touch a window, the newest first, with their pieces: those that came
        /// before another one, at most so many, and of more than one revision at most so many pieces.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn feed_revisions_touching(
            &self,
            feed: &str,
            quantity: Quantity,
            window: Span,
            before: Option<(Timestamp, FeedRevisionId)>,
            limit: u16,
            most_pieces: i64,
        ) -> Result<Vec<FeedRevision>, StorageError> {
            let before = before.map_or((i64::MAX, i64::MAX), |(received, id)| {
                (received.as_unix_seconds(), id.get())
            });
            let rows: Vec<(FeedRevisionId, i64)> = sqlx::query_as(sql::FEED_SIZES)
                .bind(feed)
                .bind(quantity.word())
                .bind(window.start().as_unix_seconds())
                .bind(window.end().as_unix_seconds())
                .bind(before.0)
                .bind(before.1)
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            let mut pieces = 0;
            let page = rows.iter().enumerate().take_while(|(index, (_, count))| {
                pieces += count;
                *index == 0 || pieces <= most_pieces
            });
            let ids: Vec<FeedRevisionId> = page.map(|(_, (id, _))| *id).collect();
            self.feed_revisions_of(&ids).await
        }

        /// A page of a feed's revisions, the newest first, below the id `before`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn feed_revisions_page(
            &self,
            feed: &str,
            before: Option<i64>,
            limit: u16,
        ) -> Result<Vec<FeedRevisionMeta>, StorageError> {
            let rows: Vec<MetaRow> = sqlx::query_as(sql::FEED_REVISIONS_PAGE)
                .bind(feed)
                .bind(before.unwrap_or(i64::MAX))
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            rows.into_iter().map(FeedRevisionMeta::try_from).collect()
        }

        /// The newest revision of each feed.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn latest_feed_revisions(&self) -> Result<Vec<FeedRevisionMeta>, StorageError> {
            let rows: Vec<MetaRow> =
                sqlx::query_as(sql::LATEST_FEED_REVISIONS).fetch_all(&self.reader).await?;
            rows.into_iter().map(FeedRevisionMeta::try_from).collect()
        }

        /// What any feed of a quantity said since a revision.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn feed_news(
            &self,
            quantity: Quantity,
            after: Option<FeedRevisionId>,
        ) -> Result<FeedNews, StorageError> {
            let after = after.map_or(0, FeedRevisionId::get);
            let row: FeedNewsRow = sqlx::query_as(sql::FEED_NEWS)
                .bind(after)
                .bind(quantity.word())
                .fetch_one(&self.reader)
                .await?;
            Ok(row.news(after))
        }

        /// All that were ever asked.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn feeds(&self) -> Result<Vec<(String, FeedState)>, StorageError> {
            let rows: Vec<FeedRow> = sqlx::query_as(sql::FEEDS).fetch_all(&self.reader).await?;
            rows.into_iter().map(FeedRow::state).collect()
        }

        /// Writes how a feed stands; a refresh that was asked for since its last poll is kept.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_feed(&self, id: &str, state: &FeedState) -> Result<(), StorageError> {
            let seconds = |instant: Option<Timestamp>| instant.map(Timestamp::as_unix_seconds);
            let failure = state.failure.as_ref();
            let mut transaction = self.begin_beside_the_book().await?;
            let before: Option<(Option<String>, Option<i64>)> =
                sqlx::query_as(sql::FEED_STOOD).bind(id).fetch_optional(&mut *transaction).await?;
            sqlx::query(sql::PUT_FEED)
                .bind(id)
                .bind(seconds(state.last_poll))
                .bind(seconds(state.last_success))
                .bind(failure.map(|failure| failure.message.as_str()))
                .bind(failure.map(|failure| failure.class.as_str()))
                .bind(seconds(failure.map(|failure| failure.at)))
                .bind(&state.validator)
                .bind(state.next_poll.as_unix_seconds())
                .bind(state.closed_until.as_unix_seconds())
                .bind(i64::from(state.failures_in_turn))
                .bind(seconds(state.horizon))
                .bind(seconds(state.grown))
                .bind(state.requests)
                .bind(state.failures)
                .execute(&mut *transaction)
                .await?;
            let (class, success) = before.unwrap_or_default();
            let error_class = failure.map(|failure| failure.class.as_str());
            let first_success = success.is_none() && state.last_success.is_some();
            if first_success || class.as_deref() != error_class {
                let data = json!({ "feed": id, "error_class": error_class });
                let event = NewEvent::new("feed.status", data);
                let at = state.last_poll.unwrap_or(state.next_poll);
                Events::<Engine>::record_beside(&mut transaction, &[event], at).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Asks whoever polls a feed to do so.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn refresh_feed(&self, id: &str, now: Timestamp) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::REFRESH_FEED)
                .bind(id)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }
    }

    /// Parts of transactions.
    impl Feeds {
        /// Those of these ids, the newest first.
        async fn feed_revisions_of(
            &self,
            ids: &[FeedRevisionId],
        ) -> Result<Vec<FeedRevision>, StorageError> {
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let mut query = QueryBuilder::<Engine>::new(sql::FEED_PIECES_WHERE);
            let mut list = query.separated(", ");
            for id in ids {
                list.push_bind(*id);
            }
            list.push_unseparated(") ORDER BY received_s DESC, id DESC");
            let rows: Vec<PackedRow> =
                query.build_query_as().fetch_all(&mut *self.reading().await?).await?;
            rows.into_iter().map(FeedRevision::try_from).collect()
        }
    }
);
