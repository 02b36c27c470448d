//! Answers that are remembered.

use planner::time::Timestamp;
use sqlx::{Postgres, Sqlite};

use super::sql;
use crate::engine::connections::{Connection, Repository};
use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::idempotency::row::IdempotencyRow;
use crate::refusal::is_unique_violation;
use crate::reservations::error::ProposeError;

macro_rules! idempotency {
    ($engine:ident) => {
        impl Repository<$engine> {
            /// Remembers an answer; `false` where the owner used the key before, which spoils the
            /// transaction.
            pub(crate) async fn remember_answer(
                connection: &mut Connection<$engine>,
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

            pub(crate) async fn record_idempotency(
                &self,
                record: &IdempotencyRecord,
            ) -> Result<(), ProposeError> {
                let mut transaction = self.begin_write().await?;
                if !Self::remember_answer(&mut transaction, record).await? {
                    return Err(ProposeError::IdempotencyKeyReused);
                }
                Ok(transaction.commit().await?)
            }

            pub(crate) async fn idempotent_response(
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

            pub(crate) async fn forget_idempotency_before(
                &self,
                instant: Timestamp,
            ) -> Result<u64, StorageError> {
                let mut transaction = self.begin_write().await?;
                let forgotten = sqlx::query(sql::FORGET_IDEMPOTENCY_KEYS)
                    .bind(instant.as_unix_seconds())
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(forgotten.rows_affected())
            }
        }
    };
}

idempotency!(Sqlite);
idempotency!(Postgres);
