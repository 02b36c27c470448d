//! Rows of people.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::identity::PersonId;
use crate::people::Person;
use crate::row::instant;

#[derive(FromRow)]
pub(crate) struct PersonRow {
    id: PersonId,
    issuer: String,
    subject: String,
    name: String,
    first_seen_s: i64,
    tokens_from_s: Option<i64>,
    blocked_s: Option<i64>,
}

impl From<PersonRow> for Person {
    fn from(row: PersonRow) -> Self {
        Self {
            id: row.id,
            issuer: row.issuer,
            subject: row.subject,
            name: row.name,
            first_seen: Timestamp::from_unix_seconds(row.first_seen_s),
            tokens_from: instant(row.tokens_from_s),
            blocked: instant(row.blocked_s),
        }
    }
}
