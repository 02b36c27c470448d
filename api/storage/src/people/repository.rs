//! People.

use planner::reservation::Role;
use planner::time::Timestamp;

use super::sql;
use crate::access::repository::Tokens;
use crate::book::repository::BookRow;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::error::StorageError;
use crate::identity::PersonId;
use crate::people::row::PersonRow;
use crate::people::{Person, SeenToken};
use crate::refusal::is_unique_violation;

/// Names of projects as they are stored: JSON.
fn projects_text(projects: &[String]) -> String {
    serde_json::json!(projects).to_string()
}

repository!(
    /// People who sign in at an issuer.
    impl Database for People {
        /// Who a subject of an issuer is: as they were met first, or as they are met now.
        ///
        /// # Errors
        /// [`StorageError::NameTaken`] where the name is another person's.
        pub async fn meet_person(&self, met: &Person) -> Result<Person, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let query = sqlx::query_as(sql::PERSON).bind(&met.issuer).bind(&met.subject);
            let known: Option<PersonRow> = query.fetch_optional(&mut *transaction).await?;
            if let Some(known) = known {
                return known.try_into();
            }
            let seen = met.seen.as_ref();
            let inserted = sqlx::query(sql::INSERT_PERSON)
                .bind(met.id)
                .bind(&met.issuer)
                .bind(&met.subject)
                .bind(&met.name)
                .bind(met.first_seen.as_unix_seconds())
                .bind(met.tokens_from.map(Timestamp::as_unix_seconds))
                .bind(met.blocked.map(Timestamp::as_unix_seconds))
                .bind(seen.and_then(|it| it.role).map(Role::word))
                .bind(seen.map(|it| projects_text(&it.projects)))
                .bind(seen.map(|it| it.issued.as_unix_seconds()))
                .execute(&mut *transaction)
                .await;
            match inserted {
                Err(error) if is_unique_violation(&error) => return Err(StorageError::NameTaken),
                Err(error) => return Err(error.into()),
                Ok(_) => {}
            }
            Tokens::<Engine>::tokens_changed(&mut transaction, met.first_seen).await?;
            transaction.commit().await?;
            Ok(met.clone())
        }

        /// Keeps what a token says of a person, unless a newer one was seen.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn note_seen(
            &self,
            person: PersonId,
            seen: &SeenToken,
            now: Timestamp,
        ) -> Result<(), StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let noted = sqlx::query(sql::NOTE_SEEN)
                .bind(person)
                .bind(seen.role.map(Role::word))
                .bind(projects_text(&seen.projects))
                .bind(seen.issued.as_unix_seconds())
                .execute(&mut *transaction)
                .await?;
            if noted.rows_affected() == 0 {
                return Ok(());
            }
            Tokens::<Engine>::tokens_changed(&mut transaction, now).await?;
            Ok(transaction.commit().await?)
        }

        /// Everybody who ever signed in, by name.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn people(&self) -> Result<Vec<Person>, StorageError> {
            Self::all(&mut *self.reader.acquire().await?).await
        }

        /// Refuses a person's tokens that were issued before an instant; `false` where nobody has the name.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn end_sessions(
            &self,
            name: &str,
            before: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let query = sqlx::query(sql::END_SESSIONS).bind(name).bind(before.as_unix_seconds());
            query.execute(&mut *transaction).await?;
            let query = sqlx::query_scalar(sql::HAS_PERSON).bind(name);
            let known: bool = query.fetch_one(&mut *transaction).await?;
            Tokens::<Engine>::tokens_changed(&mut transaction, before).await?;
            transaction.commit().await?;
            Ok(known)
        }

        /// Refuses all of a person's tokens, or lets those in again that `end_sessions` lets in; `false` where nobody
        /// has the name.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn block_person(
            &self,
            name: &str,
            is_blocked: bool,
            now: Timestamp,
        ) -> Result<bool, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            let since = is_blocked.then_some(now.as_unix_seconds());
            let query = sqlx::query(sql::BLOCK_PERSON).bind(name).bind(since);
            let changed = query.execute(&mut *transaction).await?.rows_affected();
            Tokens::<Engine>::tokens_changed(&mut transaction, now).await?;
            transaction.commit().await?;
            Ok(changed == 1)
        }
    }

    /// Parts of transactions.
    impl People {
        /// Everybody, inside a caller's transaction.
        pub(crate) async fn all(
            connection: &mut Connection<Engine>,
        ) -> Result<Vec<Person>, StorageError> {
            let rows: Vec<PersonRow> = sqlx::query_as(sql::PEOPLE).fetch_all(connection).await?;
            rows.into_iter().map(Person::try_from).collect()
        }
    }
);
