//! Mails. No part of the book, and no event: what is told of telling would never end.

use planner::time::Timestamp;
use uuid::Uuid;

use super::sql;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::identity::EventId;
use crate::mails::row::MailRow;
use crate::mails::{MailOutcome, MailPosition, NewMail, WaitingMail};

repository!(
    /// Mails that are to be sent.
    impl Database for Mails {
        /// Sees to it that it is known how far mails are written: at first up to the newest event.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn open_mails(&self, instance: Uuid) -> Result<MailPosition, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::OPEN_MAILS).bind(instance).execute(&mut *transaction).await?;
            let position = sqlx::query_as(sql::MAIL_POSITION).fetch_one(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(position)
        }

        /// Writes the mails that tell of the events after `from` up to `to`; `false`, and nothing is written, where
        /// another process did so.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn write_mails_of_events(
            &self,
            mails: &[NewMail],
            from: EventId,
            to: EventId,
        ) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let moved = sqlx::query(sql::MOVE_MAIL_POSITION)
                .bind(from)
                .bind(to)
                .execute(&mut *transaction)
                .await?;
            if moved.rows_affected() == 0 {
                return Ok(false);
            }
            Self::insert(&mut transaction, mails).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Writes mails that tell of no event. Those that were written before stay as they are.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn write_mails(&self, mails: &[NewMail]) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            Self::insert(&mut transaction, mails).await?;
            Ok(transaction.commit().await?)
        }

        /// Mails that are due at an instant, the longest due first, at most `limit`.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn due_mails(
            &self,
            now: Timestamp,
            limit: u16,
        ) -> Result<Vec<WaitingMail>, StorageError> {
            let rows: Vec<MailRow> = sqlx::query_as(sql::DUE_MAILS)
                .bind(now.as_unix_seconds())
                .bind(i64::from(limit))
                .fetch_all(&self.reader)
                .await?;
            Ok(rows.into_iter().map(WaitingMail::from).collect())
        }

        /// Notes what became of an attempt to send a mail.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_mail(
            &self,
            id: &str,
            outcome: &MailOutcome,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let ended = |state: &'static str, why: Option<String>| {
                let query = sqlx::query(sql::END_MAIL).bind(id.to_owned()).bind(state);
                query.bind(now.as_unix_seconds()).bind(why)
            };
            let query = match outcome {
                MailOutcome::Sent => ended("sent", None),
                MailOutcome::GivenUp(why) => ended("given_up", Some(why.clone())),
                MailOutcome::Again(why, at) => sqlx::query(sql::RETRY_MAIL)
                    .bind(id.to_owned())
                    .bind(at.as_unix_seconds())
                    .bind(why.clone()),
            };
            query.execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }

        /// How many mails wait to be sent.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn waiting_mails(&self) -> Result<i64, StorageError> {
            Ok(sqlx::query_scalar(sql::WAITING_MAILS).fetch_one(&self.reader).await?)
        }
    }

    /// Parts of transactions.
    impl Mails {
        async fn insert(
            connection: &mut Connection<Engine>,
            mails: &[NewMail],
        ) -> Result<(), StorageError> {
            for mail in mails {
                sqlx::query(sql::INSERT_MAIL)
                    .bind(&mail.id)
                    .bind(&mail.owner)
                    .bind(&mail.address)
                    .bind(&mail.subject)
                    .bind(&mail.body)
                    .bind(mail.created.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
);
