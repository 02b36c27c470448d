//! Calendar feeds. No part of the book, and no event: nobody else is to know of them.

use super::sql;
use crate::calendar_feeds::CalendarFeed;
use crate::calendar_feeds::row::CalendarFeedRow;
use crate::database::repository;
use crate::error::StorageError;

repository!(
    /// Secret addresses of calendar feeds.
    impl Database for CalendarFeeds {
        /// Gives a user a secret address; one that they had before stops working.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_calendar_feed(&self, feed: &CalendarFeed) -> Result<(), StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            sqlx::query(sql::PUT_CALENDAR_FEED)
                .bind(&feed.owner)
                .bind(&feed.digest)
                .bind(feed.created.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            Ok(transaction.commit().await?)
        }

        /// Ends a user's feed; `false` where they have none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_calendar_feed(&self, owner: &str) -> Result<bool, StorageError> {
            let mut transaction = self.begin_beside_the_book().await?;
            let ended =
                sqlx::query(sql::END_CALENDAR_FEED).bind(owner).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(ended.rows_affected() == 1)
        }

        /// A user's feed.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn calendar_feed_of(
            &self,
            owner: &str,
        ) -> Result<Option<CalendarFeed>, StorageError> {
            let found: Option<CalendarFeedRow> = sqlx::query_as(sql::CALENDAR_FEED_OF)
                .bind(owner)
                .fetch_optional(&self.reader)
                .await?;
            Ok(found.map(CalendarFeed::from))
        }

        /// The feed whose secret has this digest.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn calendar_feed(
            &self,
            digest: &str,
        ) -> Result<Option<CalendarFeed>, StorageError> {
            let found: Option<CalendarFeedRow> = sqlx::query_as(sql::CALENDAR_FEED)
                .bind(digest)
                .fetch_optional(&self.reader)
                .await?;
            Ok(found.map(CalendarFeed::from))
        }
    }
);
