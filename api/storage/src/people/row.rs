//! Rows of people.

use planner::reservation::Role;
use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::PersonId;
use crate::people::{Person, SeenToken};
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct PersonRow {
    id: PersonId,
    issuer: String,
    subject: String,
    name: String,
    first_seen_s: i64,
    tokens_from_s: Option<i64>,
    blocked_s: Option<i64>,
    role: Option<String>,
    projects: Option<String>,
    token_issued_s: Option<i64>,
}

impl PersonRow {
    fn seen(&self) -> Result<Option<SeenToken>, StorageError> {
        let Some(issued) = instant(self.token_issued_s) else { return Ok(None) };
        let place = RowPlace { table: "people", row: self.id };
        let role = self.role.as_deref().map(|word| place.word("role", word, Role::from_word));
        let projects = self.projects.as_deref().unwrap_or("[]");
        let projects = place.readable("projects", serde_json::from_str(projects).ok())?;
        Ok(Some(SeenToken { role: role.transpose()?, projects, issued }))
    }
}

impl TryFrom<PersonRow> for Person {
    type Error = StorageError;

    fn try_from(row: PersonRow) -> Result<Self, StorageError> {
        let seen = row.seen()?;
        Ok(Self {
            id: row.id,
            issuer: row.issuer,
            subject: row.subject,
            name: row.name,
            first_seen: Timestamp::from_unix_seconds(row.first_seen_s),
            tokens_from: instant(row.tokens_from_s),
            blocked: instant(row.blocked_s),
            seen,
        })
    }
}
