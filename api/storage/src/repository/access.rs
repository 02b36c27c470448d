//! Tokens and idempotency keys.

use planner::time::Timestamp;
use sqlx::{Postgres, Sqlite};

use super::{Connection, Repository};
use crate::access::{ApiToken, IdempotencyRecord};
use crate::error::{ProposeError, StorageError};
use crate::event::NewEvent;
use crate::identity::TokenId;
use crate::row::{IdempotencyRow, TokenRow};
use crate::sql::{access as sql, book};

fn is_unique_violation(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

macro_rules! access {
    ($engine:ident) => {
        impl Repository<$engine> {
            pub(crate) async fn create_token(&self, token: &ApiToken) -> Result<(), StorageError> {
                let mut transaction = self.begin_write().await?;
                let inserted = sqlx::query(sql::INSERT_TOKEN)
                    .bind(token.id)
                    .bind(&token.owner)
                    .bind(token.role.word())
                    .bind(&token.digest)
                    .bind(token.created.as_unix_seconds())
                    .bind(token.revoked.map(Timestamp::as_unix_seconds))
                    .execute(&mut *transaction)
                    .await;
                match inserted {
                    Err(error) if is_unique_violation(&error) => {
                        return Err(StorageError::TokenExists);
                    }
                    Err(error) => return Err(error.into()),
                    Ok(_) => {}
                }
                Self::tokens_changed(&mut transaction, token.created).await?;
                Ok(transaction.commit().await?)
            }

            /// Notes that who may ask is to be judged anew.
            async fn tokens_changed(
                connection: &mut Connection<$engine>,
                now: Timestamp,
            ) -> Result<(), StorageError> {
                sqlx::query(book::TOKENS_CHANGED).execute(&mut *connection).await?;
                let event = NewEvent::new("tokens.changed", serde_json::json!({}));
                Self::record(connection, &[event], now).await
            }

            pub(crate) async fn find_token(
                &self,
                digest: &str,
            ) -> Result<Option<ApiToken>, StorageError> {
                let row: Option<TokenRow> = sqlx::query_as(sql::TOKEN_BY_DIGEST)
                    .bind(digest)
                    .fetch_optional(&self.reader)
                    .await?;
                row.map(ApiToken::try_from).transpose()
            }

            pub(crate) async fn list_tokens(&self) -> Result<Vec<ApiToken>, StorageError> {
                Self::tokens(&mut *self.reader.acquire().await?).await
            }

            /// All tokens, inside a caller's transaction.
            pub(crate) async fn tokens(
                connection: &mut Connection<$engine>,
            ) -> Result<Vec<ApiToken>, StorageError> {
                let rows: Vec<TokenRow> = sqlx::query_as(sql::TOKENS).fetch_all(connection).await?;
                rows.into_iter().map(ApiToken::try_from).collect()
            }

            pub(crate) async fn revoke_token(
                &self,
                id: TokenId,
                now: Timestamp,
            ) -> Result<bool, StorageError> {
                let mut transaction = self.begin_write().await?;
                let revoked = sqlx::query(sql::REVOKE_TOKEN)
                    .bind(id)
                    .bind(now.as_unix_seconds())
                    .execute(&mut *transaction)
                    .await?;
                Self::tokens_changed(&mut transaction, now).await?;
                transaction.commit().await?;
                Ok(revoked.rows_affected() == 1)
            }

            pub(crate) async fn has_tokens(&self) -> Result<bool, StorageError> {
                Ok(sqlx::query_scalar(sql::HAS_TOKENS).fetch_one(&self.reader).await?)
            }

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

access!(Sqlite);
access!(Postgres);
