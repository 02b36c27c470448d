//! Notifications. No part of the book, and no event: nobody else is to know of them.

use planner::time::Timestamp;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::notifications::row::NotificationRow;
use crate::notifications::{NotificationKind, NotificationSettings};

repository!(
    /// What users want to be told.
    impl Database for Notifications {
        /// Stores what a user wants. A code that differs from the one before may be tried anew.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_notifications(
            &self,
            wanted: &NotificationSettings,
        ) -> Result<(), StorageError> {
            let kinds: Vec<&str> =
                wanted.kinds.iter().map(|kind| NotificationKind::word(*kind)).collect();
            let pending = wanted.pending.as_ref();
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::PUT_NOTIFICATIONS)
                .bind(&wanted.owner)
                .bind(wanted.address.as_deref())
                .bind(pending.map(|it| &it.address))
                .bind(pending.map(|it| &it.code_digest))
                .bind(pending.map(|it| it.sent.as_unix_seconds()))
                .bind(kinds.join(" "))
                .bind(wanted.begins_soon.get())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// What a user wants; `None` where they never said.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn notifications_of(
            &self,
            owner: &str,
        ) -> Result<Option<NotificationSettings>, StorageError> {
            let found: Option<NotificationRow> = sqlx::query_as(sql::NOTIFICATIONS_OF)
                .bind(owner)
                .fetch_optional(&self.reader)
                .await?;
            found.map(NotificationSettings::try_from).transpose()
        }

        /// Everybody who has a confirmed address and wants to be told something.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn told_notifications(&self) -> Result<Vec<NotificationSettings>, StorageError> {
            let rows: Vec<NotificationRow> =
                sqlx::query_as(sql::TOLD_NOTIFICATIONS).fetch_all(&self.reader).await?;
            rows.into_iter().map(NotificationSettings::try_from).collect()
        }

        /// Confirms the address to which a code of this digest was sent after an instant, and counts the try; `false`
        /// where there is none, or it was tried more than `most_tries` times.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn confirm_address(
            &self,
            owner: &str,
            code_digest: &str,
            sent_after: Timestamp,
            most_tries: i64,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::COUNT_CODE_TRY).bind(owner).execute(&mut *transaction).await?;
            let confirmed = sqlx::query(sql::CONFIRM_ADDRESS)
                .bind(owner)
                .bind(code_digest)
                .bind(sent_after.as_unix_seconds())
                .bind(most_tries)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(confirmed.rows_affected() == 1)
        }
    }
);
