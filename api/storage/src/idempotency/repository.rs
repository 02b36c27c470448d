//! Answers that are remembered.

use planner::time::Timestamp;

use super::sql;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
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

        /// Forgets answers from before `instant`; how many.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn forget_idempotency_before(
            &self,
            instant: Timestamp,
        ) -> Result<u64, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let forgotten = sqlx::query(sql::FORGET_IDEMPOTENCY_KEYS)
                .bind(instant.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(forgotten.rows_affected())
        }
    }

    /// Parts of transactions.
    impl Answers {
        /// Remembers an answer; `false` where the owner used the key before, which spoils the
        /// transaction.
        pub(crate) async fn remember(
            connection: &mut Connection<Engine>,
            record: &IdempotencyRecord,
        ) -> Result<bool, StorageError> {
            let inserted = sqlx::query(sql::INSERT_IDEMPOTENCY_KEY)
                .bind(&record.owner)
                .bind(&record.key)
                .bind(&record.fingerprint)
                .bind(i64::from(record.status))
                .bind(&record.response)
                .bind(record.created.as_unix_seconds())
                .execute(connection)
                .await;
            match inserted {
                Err(error) if is_unique_violation(&error) => Ok(false),
                Err(error) => Err(error.into()),
                Ok(_) => Ok(true),
            }
        }
    }
);
