//! A person's data, and a pseudonym in place of their name.

use planner::time::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::sql;
use crate::access::repository::Tokens;
use crate::audit::repository::Audit;
use crate::audit::{AuditEntry, name_digest};
use crate::book::repository::BookRow;
use crate::book::sql as book;
use crate::database::repository;
use crate::engine::connections::Connection;
use crate::engine::dialect::Dialect;
use crate::erasure::{Erased, PersonSum};
use crate::error::StorageError;

/// A request without its note, and with a pseudonym in place of labels that are a name; `None` where it has neither.
fn without_words(text: &str, name: &str, pseudonym: &str) -> Option<String> {
    let mut request: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut has_words = request.remove("note").is_some();
    if let Some(Value::Object(labels)) = request.get_mut("labels") {
        for label in labels.values_mut().filter(|label| label.as_str() == Some(name)) {
            *label = Value::from(pseudonym);
            has_words = true;
        }
    }
    has_words.then(|| Value::Object(request).to_string())
}

/// Audit records that are looked at together.
const RECORDS: u16 = 1000;

repository!(
    /// What is kept of a person.
    impl Database for Erasure {
        /// What a person's rows of the ledger add up to, by project.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn person_sums(&self, name: &str) -> Result<Vec<PersonSum>, StorageError> {
            Ok(sqlx::query_as(sql::PERSON_SUMS).bind(name).fetch_all(&self.reader).await?)
        }

        /// Puts a pseudonym in place of a person's name wherever it is kept, revokes their tokens and records that; nothing
        /// where reservations of theirs have yet to end. What the ledger counts stays, and so does the audit trail's chain.
        /// What was under way is recorded without the name; without a `record` it is what such requests wrote meanwhile that
        /// is looked for once more.
        ///
        /// # Errors
        /// Storage failed.
        pub async fn erase_person(
            &self,
            name: &str,
            pseudonym: &str,
            record: Option<&AuditEntry>,
            now: Timestamp,
        ) -> Result<Erased, StorageError> {
            let mut transaction = BookRow::<Engine>::begin_write(self).await?;
            if let Some(statement) = Engine::LONG_PAUSE {
                Engine::run(&mut transaction, statement).await?;
            }
            let live = sqlx::query_scalar(sql::LIVE_RESERVATIONS).bind(name);
            let live: i64 = live.fetch_one(&mut *transaction).await?;
            if live > 0 {
                return Ok(Erased::HasReservations(live));
            }
            // Nobody adds a record meanwhile, or ends what was begun: those who do take the chain first, too.
            Audit::<Engine>::take_chain(&mut transaction).await?;
            let mut rows = Self::erase_words(&mut transaction, name, pseudonym).await?;
            rows += Self::rename(&mut transaction, name, pseudonym, now).await?;
            Tokens::<Engine>::tokens_changed(&mut transaction, now).await?;
            // Their names are in quota adjustments, too.
            sqlx::query(book::QUOTAS_CHANGED).execute(&mut *transaction).await?;
            rows += Self::erase_in_audit(&mut transaction, name).await?;
            if let Some(record) = record {
                let noted =
                    sqlx::query(sql::NOTE_ERASED).bind(name_digest(name)).bind(record.at_us);
                noted.execute(&mut *transaction).await?;
                Audit::<Engine>::append(&mut transaction, vec![record.clone()]).await?;
            }
            transaction.commit().await?;
            Ok(Erased::Rows(rows))
        }
    }

    /// Parts of transactions.
    impl Erasure {
        /// Takes the notes of a person's requests away, and puts the pseudonym in place of labels that are their name; in
        /// how many requests.
        async fn erase_words(
            connection: &mut Connection<Engine>,
            name: &str,
            pseudonym: &str,
        ) -> Result<u64, StorageError> {
            let requests: Vec<(Uuid, String)> = sqlx::query_as(sql::REQUESTS_WITH_WORDS)
                .bind(name)
                .fetch_all(&mut *connection)
                .await?;
            let mut rows = 0;
            for (id, text) in requests {
                let Some(request) = without_words(&text, name, pseudonym) else { continue };
                let erased = sqlx::query(sql::SET_WORDS).bind(id).bind(request);
                rows += erased.execute(&mut *connection).await?.rows_affected();
            }
            Ok(rows)
        }

        /// The pseudonym in place of the name; in how many rows.
        async fn rename(
            connection: &mut Connection<Engine>,
            name: &str,
            pseudonym: &str,
            now: Timestamp,
        ) -> Result<u64, StorageError> {
            let mut rows = 0;
            for statement in sql::FORGETS {
                let forgotten = sqlx::query(*statement).bind(name);
                rows += forgotten.execute(&mut *connection).await?.rows_affected();
            }
            let occurrences = sqlx::query(sql::END_OCCURRENCES_OF).bind(name);
            occurrences.execute(&mut *connection).await?;
            let series = sqlx::query(sql::END_SERIES_OF).bind(name).bind(now.as_unix_seconds());
            series.execute(&mut *connection).await?;
            for statement in [sql::RENAME_TOKENS, sql::RENAME_PERSON] {
                let renamed = sqlx::query(statement).bind(name).bind(pseudonym);
                let renamed = renamed.bind(now.as_unix_seconds());
                rows += renamed.execute(&mut *connection).await?.rows_affected();
            }
            for statement in sql::RENAMES {
                let renamed = sqlx::query(*statement).bind(name).bind(pseudonym);
                rows += renamed.execute(&mut *connection).await?.rows_affected();
            }
            Ok(rows)
        }

        /// Digests in place of what names the person in audit records; in how many.
        async fn erase_in_audit(
            connection: &mut Connection<Engine>,
            name: &str,
        ) -> Result<u64, StorageError> {
            let (mut rows, mut after) = (0, 0);
            loop {
                let page = (after, i64::MAX);
                let mut records = Audit::<Engine>::after(&mut *connection, page, RECORDS).await?;
                let Some(last) = records.last() else { return Ok(rows) };
                after = last.id;
                for record in &mut records {
                    if record.erase(&|it| it == name) {
                        let erased = sqlx::query(sql::ERASE_IN_RECORD)
                            .bind(record.id)
                            .bind(&record.entry.actor)
                            .bind(&record.entry.acting_for)
                            .bind(&record.entry.source)
                            .bind(&record.entry.object)
                            .bind(record.entry.before.as_deref())
                            .bind(record.entry.after.as_deref());
                        rows += erased.execute(&mut *connection).await?.rows_affected();
                    }
                }
            }
        }
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_person_go_and_the_rest_stays() {
        let erased = |text| without_words(text, "ada", "erased-1");
        let text = r#"{"labels":{"run":"7","user":"ada"},"nodes":2,"note":"for ada's talk"}"#;
        let left = r#"{"labels":{"run":"7","user":"erased-1"},"nodes":2}"#;
        assert_eq!(erased(text).as_deref(), Some(left));
        assert_eq!(erased(r#"{"labels":{"run":"7"},"nodes":2}"#), None);
        assert_eq!(erased("no request"), None);
    }
}
