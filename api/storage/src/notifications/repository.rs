//! Notifications. No part of the book, and no event: nobody else is to know of them.

use planner::time::{Seconds, Timestamp};

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::notifications::row::NotificationRow;
use crate::notifications::{NotificationKind, NotificationSettings, PendingAddress};

/// Codes are counted for so long.
const DAY_S: i64 = 86_400;

repository!(
    /// What users want to be told.
    impl Database for Notifications {
        /// Stores what a user wants. Where no address is to be confirmed any more, it is forgotten with its code; else
        /// it stays as it is.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_notifications(
            &self,
            wanted: &NotificationSettings,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Self::put(&mut transaction, wanted).await?;
            Ok(transaction.commit().await?)
        }

        /// Stores what a user wants, and an address that they are to confirm by a code, which may be tried anew. Where
        /// the last code was sent less than `pause` before, or `most_a_day` of them within a day, nothing is stored:
        /// from when another may be sent.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_pending_address(
            &self,
            wanted: &NotificationSettings,
            pending: &PendingAddress,
            pause: Seconds,
            most_a_day: i64,
        ) -> Result<Option<Timestamp>, StorageError> {
            let now_s = pending.sent.as_unix_seconds();
            let mut transaction = self.begin_beside_the_book().await?;
            Self::put(&mut transaction, wanted).await?;
            let stored = sqlx::query(sql::PUT_PENDING_ADDRESS)
                .bind(&wanted.owner)
                .bind(&pending.address)
                .bind(&pending.code_digest)
                .bind(now_s)
                .bind(now_s - pause.get())
                .bind(now_s - DAY_S)
                .bind(most_a_day)
                .execute(&mut *transaction)
                .await?;
            if stored.rows_affected() == 1 {
                transaction.commit().await?;
                return Ok(None);
            }
            let (last_s, count, since_s): (i64, i64, i64) = sqlx::query_as(sql::CODES_SENT)
                .bind(&wanted.owner)
                .fetch_one(&mut *transaction)
                .await?;
            let after_pause_s = last_s + pause.get();
            let next_s = if count >= most_a_day {
                after_pause_s.max(since_s + DAY_S)
            } else {
                after_pause_s
            };
            Ok(Some(Timestamp::from_unix_seconds(next_s)))
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

    /// Parts of transactions.
    impl Notifications {
        async fn put(
            connection: &mut Connection<Engine>,
            wanted: &NotificationSettings,
        ) -> Result<(), StorageError> {
            let kinds: Vec<&str> =
                wanted.kinds.iter().map(|kind| NotificationKind::word(*kind)).collect();
            sqlx::query(sql::PUT_NOTIFICATIONS)
                .bind(&wanted.owner)
                .bind(wanted.address.as_deref())
                .bind(kinds.join(" "))
                .bind(wanted.begins_soon.get())
                .execute(&mut *connection)
                .await?;
            if wanted.pending.is_none() {
                sqlx::query(sql::FORGET_PENDING_ADDRESS)
                    .bind(&wanted.owner)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
