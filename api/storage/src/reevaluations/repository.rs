//! What is expected now of reservations, and up to which revision of agendas they were judged.
//!
//! As feeds, written beside the book.

use planner::time::{Span, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::{ReservationId, RevisionId};
use crate::reevaluations::row::{JudgedRow, OutlookRow, RevisedRow};
use crate::reevaluations::{Outlook, Unjudged};

/// Values that one statement binds at the most.
const MAX_IDS: usize = 1000;

repository!(
    /// What is expected now of reservations.
    impl Database for Reevaluations {
        /// Writes what is expected now of reservations.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_outlooks(&self, outlooks: &[Outlook]) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for outlook in outlooks {
                sqlx::query(sql::PUT_OUTLOOK)
                    .bind(outlook.reservation_id)
                    .bind(outlook.evaluated.as_unix_seconds())
                    .bind(&outlook.document)
                    .execute(&mut *transaction)
                    .await?;
            }
            if let Some(judged) = outlooks.first() {
                let event = NewEvent::new("outlooks.revised", json!({}));
                Events::<Engine>::record_beside(&mut transaction, event, judged.evaluated).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// What was last expected of these reservations.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn outlooks(&self, ids: &[ReservationId]) -> Result<Vec<Outlook>, StorageError> {
            let mut found = Vec::new();
            for page in ids.chunks(MAX_IDS) {
                let mut query = QueryBuilder::<Engine>::new(sql::OUTLOOKS_WHERE);
                let mut list = query.separated(", ");
                for id in page {
                    list.push_bind(*id);
                }
                list.push_unseparated(")");
                let rows: Vec<OutlookRow> = query.build_query_as().fetch_all(&self.reader).await?;
                found.extend(rows.into_iter().map(Outlook::from));
            }
            Ok(found)
        }

        /// The agendas by which reservations have yet to be judged; `None` where there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unjudged(&self, now: Timestamp) -> Result<Option<Unjudged>, StorageError> {
            let row: JudgedRow = sqlx::query_as(sql::JUDGED).fetch_one(&self.reader).await?;
            let JudgedRow { judged, newest } = row;
            if newest <= judged {
                return Ok(None);
            }
            let first_cap: Option<RevisionId> =
                sqlx::query_scalar(sql::FIRST_CAP).fetch_optional(&self.reader).await?;
            // Nobody asked for a cap before there was one.
            if first_cap.is_some_and(|first| first > judged) {
                let span = Span::new(now, Timestamp::MAX);
                return Ok(Some(Unjudged { newest, span }));
            }
            let revised: RevisedRow = sqlx::query_as(sql::REVISED_SPAN)
                .bind(judged)
                .bind(newest)
                .bind(now.as_unix_seconds())
                .fetch_one(&self.reader)
                .await?;
            Ok(Some(Unjudged { newest, span: revised.span_after(now) }))
        }

        /// Notes that reservations were judged by all revisions of agendas up to one.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_judged(&self, revision: RevisionId) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::PUT_JUDGED).bind(revision).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
    }
);
