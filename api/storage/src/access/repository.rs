//! Tokens.

use planner::rights::Action;
use planner::time::Timestamp;

use super::sql;
use crate::access::row::TokenRow;
use crate::access::{ApiToken, RenewalOutcome, TokenLimit};
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::identity::TokenId;
use crate::refusal::is_unique_violation;

repository!(
    /// Tokens of the API.
    impl Database for Tokens {
        /// Stores a token.
        ///
        /// # Errors
        /// [`StorageError::TokenExists`] where its digest or id is taken.
        pub async fn create_token(&self, token: &ApiToken) -> Result<(), StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            Self::insert(&mut transaction, token).await?;
            Self::tokens_changed(&mut transaction, token.created).await?;
            Ok(transaction.commit().await?)
        }

        /// Stores a token, unless its owner has as many as they may when it is made: `false`, and nothing is stored.
        ///
        /// # Errors
        /// [`StorageError::TokenExists`] where its digest or id is taken.
        pub async fn create_token_within(
            &self,
            limit: TokenLimit,
            token: &ApiToken,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let all = Self::all(&mut transaction).await?;
            if !limit.leaves_room(&all, &token.owner, token.created) {
                return Ok(false);
            }
            Self::insert(&mut transaction, token).await?;
            Self::tokens_changed(&mut transaction, token.created).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Stores the successor of a token that counts when it is made, and lets that one end at an instant, or before where it
        /// did. Its owner has no more than the limit says, where one is given.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn renew_token(
            &self,
            id: TokenId,
            ends: Timestamp,
            successor: &ApiToken,
            limit: Option<TokenLimit>,
        ) -> Result<RenewalOutcome, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let all = Self::all(&mut transaction).await?;
            if !all.iter().any(|it| it.id == id && it.counts_at(successor.created)) {
                return Ok(RenewalOutcome::Ended);
            }
            let leaves_room =
                |it: TokenLimit| it.leaves_room(&all, &successor.owner, successor.created);
            if !limit.is_none_or(leaves_room) {
                return Ok(RenewalOutcome::TooMany);
            }
            sqlx::query(sql::END_TOKEN)
                .bind(id)
                .bind(ends.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Self::insert(&mut transaction, successor).await?;
            Self::tokens_changed(&mut transaction, successor.created).await?;
            transaction.commit().await?;
            Ok(RenewalOutcome::Stored)
        }

        /// Notes that a token was used; what was used later stays so.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_token_use(
            &self,
            id: TokenId,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let note = sqlx::query(sql::NOTE_TOKEN_USE).bind(id).bind(now.as_unix_seconds());
            note.execute(&self.writer).await?;
            Ok(())
        }

        /// All tokens, also revoked ones, oldest first.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn list_tokens(&self) -> Result<Vec<ApiToken>, StorageError> {
            Self::all(&mut *self.reader.acquire().await?).await
        }

        /// Revokes a token; `false` where it is unknown or revoked already.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn revoke_token(
            &self,
            id: TokenId,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let revoked = sqlx::query(sql::REVOKE_TOKEN)
                .bind(id)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Self::tokens_changed(&mut transaction, now).await?;
            transaction.commit().await?;
            Ok(revoked.rows_affected() == 1)
        }

        /// Whether a token was ever made, be it revoked since, or somebody ever signed in: a site that has had users keeps
        /// its door shut.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn has_had_users(&self) -> Result<bool, StorageError> {
            Ok(sqlx::query_scalar(sql::HAS_HAD_USERS).fetch_one(&self.reader).await?)
        }
    }

    /// Parts of transactions.
    impl Tokens {
        /// Stores a token, inside a caller's transaction.
        async fn insert(
            connection: &mut Connection<Engine>,
            token: &ApiToken,
        ) -> Result<(), StorageError> {
            let words = |actions: &Vec<Action>| {
                actions.iter().map(|it| it.word()).collect::<Vec<_>>().join(" ")
            };
            let inserted = sqlx::query(sql::INSERT_TOKEN)
                .bind(token.id)
                .bind(&token.owner)
                .bind(token.role.word())
                .bind(&token.digest)
                .bind(token.created.as_unix_seconds())
                .bind(token.revoked.map(Timestamp::as_unix_seconds))
                .bind(token.expires.map(Timestamp::as_unix_seconds))
                .bind(token.used.map(Timestamp::as_unix_seconds))
                .bind(token.actions.as_ref().map(words))
                .execute(&mut *connection)
                .await;
            match inserted {
                Err(error) if is_unique_violation(&error) => Err(StorageError::TokenExists),
                inserted => Ok(inserted.map(drop)?),
            }
        }

        /// Notes that who may ask is to be judged anew.
        pub(crate) async fn tokens_changed(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::TOKENS_CHANGED).execute(&mut *connection).await?;
            let event = NewEvent::new("tokens.changed", serde_json::json!({}));
            Events::<Engine>::record(connection, &[event], now).await
        }

        /// All tokens, inside a caller's transaction.
        pub(crate) async fn all(
            connection: &mut Connection<Engine>,
        ) -> Result<Vec<ApiToken>, StorageError> {
            let rows: Vec<TokenRow> = sqlx::query_as(sql::TOKENS).fetch_all(connection).await?;
            rows.into_iter().map(ApiToken::try_from).collect()
        }
    }
);
