//! Grants of extra power, which raise the cap that plans rest on.

use planner::dialogue::{Grant, GrantState};
use planner::identity::{GrantId, NegotiationId};
use planner::time::Timestamp;
use serde_json::json;

use super::sql;
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::events::NewEvent;
use crate::events::repository::Events;
use crate::grants::row::GrantRow;

repository!(
    /// Grants of extra power.
    impl Database for Grants {
        /// Stores grants and revokes others, in one transaction; `false` where nothing changed. A grant
        /// with the name of one that is known takes its place.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn put_grants(
            &self,
            grants: &[Grant],
            gone: &[GrantId],
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let mut changed = false;
            for grant in grants {
                changed |= Self::put_grant(connection, grant).await?;
            }
            for id in gone {
                let revoked = sqlx::query(sql::REVOKE_GRANT)
                    .bind(id.as_uuid())
                    .bind(now.as_unix_seconds())
                    .execute(&mut *connection)
                    .await?;
                changed |= revoked.rows_affected() > 0;
            }
            if changed {
                Self::grants_changed(connection, now).await?;
                transaction.commit().await?;
            }
            Ok(changed)
        }

        /// Lets everybody use what was set aside; `false` where nothing was.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn release_grants(&self, now: Timestamp) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let connection = &mut *transaction;
            let released = sqlx::query(sql::RELEASE_GRANTS).execute(&mut *connection).await?;
            if released.rows_affected() == 0 {
                return Ok(false);
            }
            Self::grants_changed(connection, now).await?;
            transaction.commit().await?;
            Ok(true)
        }

        /// Grants that have yet to end at an instant, revoked ones too, by start.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn grants(&self, from: Timestamp) -> Result<Vec<Grant>, StorageError> {
            Self::upcoming(&mut *self.reader.acquire().await?, from).await
        }

        /// The grant that the supplier calls so, ended or revoked too; `None` where there is none.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn grant_by_name(&self, name: &str) -> Result<Option<Grant>, StorageError> {
            let row: Option<GrantRow> =
                sqlx::query_as(sql::GRANT_BY_NAME).bind(name).fetch_optional(&self.reader).await?;
            row.map(Grant::try_from).transpose()
        }
    }

    /// Parts of transactions.
    impl Grants {
        async fn put_grant(
            connection: &mut Connection<Engine>,
            grant: &Grant,
        ) -> Result<bool, StorageError> {
            let known: Option<GrantRow> = match &grant.supplier_id {
                None => None,
                Some(name) => {
                    sqlx::query_as(sql::GRANT_BY_NAME)
                        .bind(name)
                        .fetch_optional(&mut *connection)
                        .await?
                }
            };
            let Some(known) = known.map(Grant::try_from).transpose()? else {
                Self::insert_grant(connection, grant).await?;
                return Ok(true);
            };
            let figures = |it: &Grant| (it.span, it.power, it.fee_millionths);
            let revoked = known.state == GrantState::Revoked;
            if figures(&known) == figures(grant) && !revoked {
                return Ok(false);
            }
            // What those who asked had their turn at stays with everybody.
            let state = if revoked { grant.state } else { known.state };
            sqlx::query(sql::CHANGE_GRANT)
                .bind(known.id.as_uuid())
                .bind(state.word())
                .bind(grant.span.start().as_unix_seconds())
                .bind(grant.span.end().as_unix_seconds())
                .bind(grant.power.as_microwatts())
                .bind(grant.fee_millionths)
                .bind(grant.received.as_unix_seconds())
                .execute(connection)
                .await?;
            Ok(true)
        }

        async fn insert_grant(
            connection: &mut Connection<Engine>,
            grant: &Grant,
        ) -> Result<(), StorageError> {
            sqlx::query(sql::INSERT_GRANT)
                .bind(grant.id.as_uuid())
                .bind(&grant.supplier_id)
                .bind(grant.negotiation_id.map(NegotiationId::as_uuid))
                .bind(grant.state.word())
                .bind(grant.span.start().as_unix_seconds())
                .bind(grant.span.end().as_unix_seconds())
                .bind(grant.power.as_microwatts())
                .bind(grant.fee_millionths)
                .bind(grant.received.as_unix_seconds())
                .execute(connection)
                .await?;
            Ok(())
        }

        /// Notes that plans made earlier may be wrong.
        async fn grants_changed(
            connection: &mut Connection<Engine>,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            sqlx::query(book::GRANTS_CHANGED).execute(&mut *connection).await?;
            let event = NewEvent::new("grants.changed", json!({}));
            Events::<Engine>::record(connection, &[event], now).await?;
            BookRow::<Engine>::bump_version(connection).await
        }

        /// Grants that have yet to end, inside a caller's transaction.
        pub(crate) async fn upcoming(
            connection: &mut Connection<Engine>,
            from: Timestamp,
        ) -> Result<Vec<Grant>, StorageError> {
            let rows: Vec<GrantRow> = sqlx::query_as(sql::GRANTS)
                .bind(from.as_unix_seconds())
                .fetch_all(connection)
                .await?;
            rows.into_iter().map(Grant::try_from).collect()
        }
    }
);
