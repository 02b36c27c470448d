//! Webhooks: how far each is told events. No part of the book, and no event: what is told of telling
//! would never end.

use planner::time::Timestamp;

use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::identity::EventId;
use crate::webhooks::WebhookState;
use crate::webhooks::row::WebhookRow;

repository!(
    /// How far webhooks are told events.
    impl Database for Webhooks {
        /// Sees to it that a webhook is known: one that is new begins after the newest event.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn open_webhook(&self, id: &str, instance: Uuid) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::OPEN_WEBHOOK)
                .bind(id)
                .bind(instance)
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// How all webhooks stand that were ever in the settings, by id.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn webhooks(&self) -> Result<Vec<WebhookState>, StorageError> {
            let rows: Vec<WebhookRow> =
                sqlx::query_as(sql::WEBHOOKS).fetch_all(&self.reader).await?;
            rows.into_iter().map(WebhookState::try_from).collect()
        }

        /// Notes how a webhook stands; `false`, and nothing is noted, where its position is not `from`
        /// any more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_webhook(
            &self,
            state: &WebhookState,
            from: EventId,
        ) -> Result<bool, StorageError> {
            let seconds = |at: Option<Timestamp>| at.map(Timestamp::as_unix_seconds);
            let failure = state.last_failure.as_ref();
            let mut transaction = self.begin_beside_the_book().await?;
            let done = sqlx::query(sql::PUT_WEBHOOK)
                .bind(&state.id)
                .bind(from)
                .bind(state.position)
                .bind(seconds(state.tried_since))
                .bind(state.failures)
                .bind(seconds(state.next_attempt))
                .bind(seconds(state.last_success))
                .bind(seconds(failure.map(|(at, _)| *at)))
                .bind(failure.map(|(_, words)| words))
                .bind(state.delivered)
                .bind(state.given_up)
                .bind(state.gone)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(done.rows_affected() == 1)
        }
    }
);
