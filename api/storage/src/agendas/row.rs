//! Rows of agendas, and their way into the domain.

use planner::agenda::Piece;
use planner::time::{Span, Timestamp};
use sqlx::FromRow;

use crate::agendas::{AgendaMeta, AgendaRevision, Quantity};
use crate::error::StorageError;
use crate::identity::RevisionId;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct PieceRow {
    start_s: i64,
    end_s: i64,
    value_millionths: i64,
    pub revision_id: RevisionId,
}

#[derive(FromRow)]
pub(crate) struct RevisionSpanRow {
    pub id: RevisionId,
    pub received_s: i64,
    span_start_s: i64,
    span_end_s: i64,
}

#[derive(FromRow)]
pub(crate) struct RevisionRow {
    id: RevisionId,
    quantity: String,
    source: String,
    kind: String,
    quality: String,
    issued_s: Option<i64>,
    received_s: i64,
    span_start_s: i64,
    span_end_s: i64,
}

/// A revision of an agenda with what it rests on.
#[derive(FromRow)]
pub(crate) struct ProvenRow {
    #[sqlx(flatten)]
    pub revision: RevisionRow,
    pub provenance: Option<String>,
}

impl TryFrom<PieceRow> for Piece<i64> {
    type Error = StorageError;
    fn try_from(row: PieceRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "agenda_pieces", row: row.revision_id };
        let span = place.span("end_s", row.start_s, row.end_s)?;
        Ok(Self { span, value: row.value_millionths })
    }
}

impl RevisionSpanRow {
    /// What the revision replaced.
    pub(crate) fn span(&self) -> Result<Span, StorageError> {
        let place = RowPlace { table: "agenda_revisions", row: self.id };
        place.span("span_end_s", self.span_start_s, self.span_end_s)
    }
}

impl TryFrom<RevisionRow> for AgendaRevision {
    type Error = StorageError;
    fn try_from(row: RevisionRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "agenda_revisions", row: row.id };
        Ok(Self {
            id: row.id,
            quantity: place.word("quantity", &row.quantity, Quantity::from_word)?,
            received: Timestamp::from_unix_seconds(row.received_s),
            span: place.span("span_end_s", row.span_start_s, row.span_end_s)?,
            meta: AgendaMeta {
                source: row.source,
                kind: row.kind,
                quality: row.quality,
                issued: instant(row.issued_s),
            },
        })
    }
}
