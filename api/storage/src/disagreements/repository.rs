//! Sources of one quantity that disagree. No part of the book.

use planner::time::Timestamp;
use serde_json::{Value, json};

use super::{SourceDisagreement, sql};
use crate::agendas::Quantity;
use crate::database::repository;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::row::RowPlace;

repository!(
    /// Sources of one quantity that disagree, for as long as they do.
    impl Database for Disagreements {
        /// The quantities whose sources disagree.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn disagreements(&self) -> Result<Vec<SourceDisagreement>, StorageError> {
            let rows: Vec<(String, i64, String)> =
                sqlx::query_as(sql::DISAGREEMENTS).fetch_all(&self.reader).await?;
            let disagreement = |(word, since_s, found): (String, i64, String)| {
                let place = RowPlace { table: "feed_disagreements", row: &word };
                let quantity = place.word("quantity", &word, Quantity::from_word)?;
                let since = Timestamp::from_unix_seconds(since_s);
                Ok(SourceDisagreement { quantity, since, found })
            };
            rows.into_iter().map(disagreement).collect()
        }

        /// Notes where sources of a quantity disagree, and tells by an event that they do, unless that was told already.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_disagreement(
            &self,
            quantity: Quantity,
            found: &str,
            about: Value,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let begun = sqlx::query(sql::BEGIN_DISAGREEMENT)
                .bind(quantity.word())
                .bind(now.as_unix_seconds())
                .bind(found)
                .execute(&mut *transaction)
                .await?;
            if begun.rows_affected() == 1 {
                let event = NewEvent::new("feed.disagreed", about);
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            } else {
                sqlx::query(sql::CHANGE_DISAGREEMENT)
                    .bind(quantity.word())
                    .bind(found)
                    .execute(&mut *transaction)
                    .await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Tells by an event that sources of a quantity agree again, if it was told that they did not.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_agreement(
            &self,
            quantity: Quantity,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let since_s: Option<i64> = sqlx::query_scalar(sql::END_DISAGREEMENT)
                .bind(quantity.word())
                .fetch_optional(&mut *transaction)
                .await?;
            if let Some(since_s) = since_s {
                let since = Timestamp::from_unix_seconds(since_s);
                let data = json!({ "quantity": quantity.word(), "since": since });
                let event = NewEvent::new("feed.agreed", data);
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }
    }
);
