//! What is expected now of reservations, and up to which revision of agendas they were judged.
//!
//! As feeds, written beside the book.

use planner::identity::ReservationId;
use planner::reservation::Expectation;
use planner::time::{Span, Timestamp};
use serde_json::json;
use sqlx::QueryBuilder;

use super::sql;
use crate::amounts::{mass_text, money_text};
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::RevisionId;
use crate::reevaluations::Unjudged;
use crate::reevaluations::row::{ExpectedRow, JudgedRow, RevisedRow, expectations};

/// Values that one statement binds at the most.
const MAX_IDS: usize = 1000;

repository!(
    /// What is expected now of reservations.
    impl Database for Reevaluations {
        /// Writes what is expected now of reservations.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_expectations(
            &self,
            expectations: &[(ReservationId, Expectation)],
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for (id, expectation) in expectations {
                Self::put_expectation(&mut transaction, *id, expectation).await?;
            }
            if let Some((_, judged)) = expectations.first() {
                let event = NewEvent::new("outlooks.revised", json!({}));
                Events::<Engine>::record_beside(&mut transaction, &[event], judged.evaluated)
                    .await?;
            }
            Ok(transaction.commit().await?)
        }

        /// What was last expected of these reservations.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn expectations(
            &self,
            ids: &[ReservationId],
        ) -> Result<Vec<(ReservationId, Expectation)>, StorageError> {
            let mut found = Vec::new();
            for page in ids.chunks(MAX_IDS) {
                let mut query = QueryBuilder::<Engine>::new(sql::EXPECTED_WHERE);
                let mut list = query.separated(", ");
                for id in page {
                    list.push_bind(id.as_uuid());
                }
                list.push_unseparated(") ORDER BY o.reservation_id, e.position");
                let rows: Vec<ExpectedRow> = query.build_query_as().fetch_all(&self.reader).await?;
                found.extend(expectations(&rows)?);
            }
            Ok(found)
        }

        /// The agendas by which reservations have yet to be judged; `None` where there are none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn unjudged(&self, now: Timestamp) -> Result<Option<Unjudged>, StorageError> {
            let row: JudgedRow =
                sqlx::query_as(sql::JUDGED).fetch_one(&mut *self.reading().await?).await?;
            let JudgedRow { judged, newest } = row;
            if newest <= judged {
                return Ok(None);
            }
            let first_cap: Option<RevisionId> = sqlx::query_scalar(sql::FIRST_CAP)
                .fetch_optional(&mut *self.reading().await?)
                .await?;
            // Nobody asked for a cap before there was one.
            if first_cap.is_some_and(|first| first > judged) {
                let span = Span::new(now, Timestamp::MAX);
                return Ok(Some(Unjudged { newest, span }));
            }
            let revised: RevisedRow = sqlx::query_as(sql::REVISED_SPAN)
                .bind(judged)
                .bind(newest)
                .bind(now.as_unix_seconds())
                .fetch_one(&mut *self.reading().await?)
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

    /// Parts of transactions.
    impl Reevaluations {
        /// Writes what is expected of a reservation.
        pub(crate) async fn put_expectation(
            connection: &mut Connection<Engine>,
            id: ReservationId,
            expectation: &Expectation,
        ) -> Result<(), StorageError> {
            sqlx::query(sql::PUT_JUDGEMENT)
                .bind(id.as_uuid())
                .bind(expectation.evaluated.as_unix_seconds())
                .execute(&mut *connection)
                .await?;
            sqlx::query(sql::DELETE_EXPECTED_OFFERS)
                .bind(id.as_uuid())
                .execute(&mut *connection)
                .await?;
            for (position, offer) in (0_i64..).zip(&expectation.offers) {
                sqlx::query(sql::INSERT_EXPECTED_OFFER)
                    .bind(id.as_uuid())
                    .bind(position)
                    .bind(offer.offer.as_uuid())
                    .bind(offer.cost.map(money_text))
                    .bind(offer.cost.map(|cost| cost.currency().to_string()))
                    .bind(offer.co2.map(mass_text))
                    .bind(offer.cap_kept)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
