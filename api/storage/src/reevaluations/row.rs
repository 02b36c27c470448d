//! Rows of re-evaluations.

use planner::time::{Span, Timestamp};
use sqlx::FromRow;

use crate::identity::{ReservationId, RevisionId};
use crate::reevaluations::Outlook;
use crate::row::instant;

#[derive(FromRow)]
pub(crate) struct JudgedRow {
    pub judged: RevisionId,
    pub newest: RevisionId,
}

#[derive(FromRow)]
pub(crate) struct RevisedRow {
    start_s: Option<i64>,
    end_s: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct OutlookRow {
    reservation_id: ReservationId,
    evaluated_s: i64,
    document: String,
}

impl RevisedRow {
    /// What of the span is to come at an instant.
    pub(crate) fn span_after(&self, now: Timestamp) -> Option<Span> {
        let (start, end) = (instant(self.start_s)?, instant(self.end_s)?);
        Span::new(start.max(now), end)
    }
}

impl From<OutlookRow> for Outlook {
    fn from(row: OutlookRow) -> Self {
        let evaluated = Timestamp::from_unix_seconds(row.evaluated_s);
        Self { reservation_id: row.reservation_id, evaluated, document: row.document }
    }
}
