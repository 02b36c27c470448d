//! Rows of the audit trail.

use sqlx::FromRow;

use super::{AuditEntry, AuditIntent, AuditRecord};

#[derive(FromRow)]
pub(crate) struct AuditRow {
    id: i64,
    at_us: i64,
    actor: String,
    issuer: String,
    acting_for: String,
    source: String,
    action: String,
    object: String,
    state_before: Option<String>,
    state_after: Option<String>,
    outcome: String,
    hash: String,
    previous: String,
}

#[derive(FromRow)]
pub(crate) struct BegunRow {
    id: String,
    at_us: i64,
    actor: String,
    issuer: String,
    acting_for: String,
    source: String,
    action: String,
    object: String,
}

impl From<AuditRow> for AuditRecord {
    fn from(row: AuditRow) -> Self {
        let entry = AuditEntry {
            at_us: row.at_us,
            actor: row.actor,
            issuer: row.issuer,
            acting_for: row.acting_for,
            source: row.source,
            action: row.action,
            object: row.object,
            before: row.state_before,
            after: row.state_after,
            outcome: row.outcome,
        };
        Self { id: row.id, entry, hash: row.hash, previous: row.previous }
    }
}

impl From<BegunRow> for AuditIntent {
    fn from(row: BegunRow) -> Self {
        let entry = AuditEntry {
            at_us: row.at_us,
            actor: row.actor,
            issuer: row.issuer,
            acting_for: row.acting_for,
            source: row.source,
            action: row.action,
            object: row.object,
            ..AuditEntry::default()
        };
        Self { id: row.id, entry }
    }
}
