//! Other sites of which it was told that they do not answer.

use planner::time::Timestamp;
use serde_json::json;

use super::sql;
use crate::database::repository;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;

repository!(
    /// Other sites of which it was told that they do not answer.
    impl Database for SilentSites {
        /// The names of those of which it was told, and not yet that they answer again.
        ///
        /// # Errors
        /// The database cannot be reached.
        pub async fn silent_sites(&self) -> Result<Vec<String>, StorageError> {
            Ok(sqlx::query_scalar(sql::SILENT_SITES).fetch_all(&self.reader).await?)
        }

        /// Tells by an event that a site does not answer, unless that was told.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_site_silent(
            &self,
            site: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let noted = sqlx::query(sql::NOTE_SILENCE)
                .bind(site)
                .bind(now.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            if noted.rows_affected() == 1 {
                let event = NewEvent::new("site.silent", json!({ "site": site }));
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Tells by an event that a site answers again, if it was told that it does not.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn tell_site_answers(
            &self,
            site: &str,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let ended = sqlx::query(sql::END_SILENCE).bind(site).execute(&mut *transaction).await?;
            if ended.rows_affected() == 1 {
                let event = NewEvent::new("site.answers", json!({ "site": site }));
                Events::<Engine>::record_beside(&mut transaction, &[event], now).await?;
            }
            Ok(transaction.commit().await?)
        }

        /// Forgets that it was told of a site, of which nothing is told any more.
        ///
        /// # Errors
        /// The database cannot be written.
        pub async fn forget_silent_site(&self, site: &str) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::END_SILENCE).bind(site).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
    }
);
