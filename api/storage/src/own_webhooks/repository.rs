//! Webhooks of users' own. No part of the book, and no event: what is told of telling would never end.

use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::own_webhooks::OwnWebhook;
use crate::webhooks::sql as webhooks;

repository!(
    /// Webhooks of users' own.
    impl Database for OwnWebhooks {
        /// Gives a user a webhook in the place of the one before, or of none: it is told what happens from now on.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_own_webhook(
            &self,
            new: &OwnWebhook,
            instance: Uuid,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for statement in [sql::DELETE_STATE_OF_OWN_WEBHOOK, sql::DELETE_OWN_WEBHOOK] {
                sqlx::query(statement).bind(&new.owner).execute(&mut *transaction).await?;
            }
            sqlx::query(sql::INSERT_OWN_WEBHOOK)
                .bind(&new.owner)
                .bind(&new.url)
                .bind(&new.secret)
                .bind(&new.webhook)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(webhooks::OPEN_WEBHOOK)
                .bind(&new.webhook)
                .bind(instance)
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// Forgets a user's webhook, if they have one.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_own_webhook(&self, owner: &str) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            for statement in [sql::DELETE_STATE_OF_OWN_WEBHOOK, sql::DELETE_OWN_WEBHOOK] {
                sqlx::query(statement).bind(owner).execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// All webhooks of users, by owner.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn own_webhooks(&self) -> Result<Vec<OwnWebhook>, StorageError> {
            Ok(sqlx::query_as(sql::OWN_WEBHOOKS).fetch_all(&self.reader).await?)
        }

        /// A user's webhook.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn own_webhook_of(
            &self,
            owner: &str,
        ) -> Result<Option<OwnWebhook>, StorageError> {
            let query = sqlx::query_as(sql::OWN_WEBHOOK_OF).bind(owner);
            Ok(query.fetch_optional(&self.reader).await?)
        }
    }
);
