//! Answers that are remembered.

use sqlx::QueryBuilder;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::pieces;
use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::row::IdempotencyRow;
use crate::refusal::is_unique_violation;

repository!(
    /// Answers to requests that may be sent again.
    impl Database for Answers {
        /// What was answered to an owner's key.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn idempotent_response(
            &self,
            owner: &str,
            key: &str,
        ) -> Result<Option<IdempotencyRecord>, StorageError> {
            let row: Option<IdempotencyRow> = sqlx::query_as(sql::IDEMPOTENCY_KEY)
                .bind(owner)
                .bind(key)
                .fetch_optional(&self.reader)
                .await?;
            row.map(IdempotencyRecord::try_from).transpose()
        }
    }

    /// Parts of transactions.
    impl Answers {
        /// Remembers answers; `false` where an owner used a key before, which spoils the transaction.
        pub(crate) async fn remember(
            connection: &mut Connection<Engine>,
            answers: &[IdempotencyRecord],
        ) -> Result<bool, StorageError> {
            for piece in pieces(answers) {
                let mut insert = QueryBuilder::<Engine>::new(sql::IDEMPOTENCY_KEYS_BULK);
                insert.push_values(piece, |mut row, answer| {
                    row.push_bind(&answer.owner)
                        .push_bind(&answer.key)
                        .push_bind(&answer.fingerprint)
                        .push_bind(i64::from(answer.status))
                        .push_bind(&answer.response)
                        .push_bind(answer.created.as_unix_seconds());
                });
                match insert.build().execute(&mut *connection).await {
                    Err(error) if is_unique_violation(&error) => return Ok(false),
                    inserted => inserted?,
                };
            }
            Ok(true)
        }
    }
);
