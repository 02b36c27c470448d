//! Rows of feeds as both engines return them, and their way into the domain.

use planner::agenda::{Agenda, Quality};
use planner::time::{Span, Timestamp};
use sqlx::FromRow;

use crate::error::StorageError;
use crate::feeds::packed::unpack;
use crate::feeds::{
    FeedFailure, FeedNews, FeedRevision, FeedRevisionMeta, FeedState, NewFeedRevision,
};
use crate::identity::FeedRevisionId;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct FeedSpanRow {
    pub id: FeedRevisionId,
    pub received_s: i64,
    span_start_s: i64,
    span_end_s: i64,
}

#[derive(FromRow)]
pub(crate) struct MetaRow {
    id: FeedRevisionId,
    feed: String,
    zone: String,
    kind: String,
    quality: String,
    issued_s: Option<i64>,
    received_s: i64,
    span_start_s: i64,
    span_end_s: i64,
    piece_count: i64,
    notes: String,
}

#[derive(FromRow)]
pub(crate) struct PackedRow {
    #[sqlx(flatten)]
    meta: MetaRow,
    pieces: Vec<u8>,
}

#[derive(FromRow)]
pub(crate) struct FeedNewsRow {
    latest: FeedRevisionId,
    since_s: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct FeedRow {
    id: String,
    last_poll_s: Option<i64>,
    last_success_s: Option<i64>,
    error: Option<String>,
    error_class: Option<String>,
    error_s: Option<i64>,
    validator: Option<String>,
    next_poll_s: i64,
    closed_until_s: i64,
    failures_in_turn: i64,
    horizon_s: Option<i64>,
    grown_s: Option<i64>,
    requests: i64,
    failures: i64,
    refresh_s: Option<i64>,
}

impl FeedSpanRow {
    /// From its first start to its last end.
    pub(crate) fn span(&self) -> Result<Span, StorageError> {
        let place = RowPlace { table: "feed_revisions", row: self.id };
        place.span("span_end_s", self.span_start_s, self.span_end_s)
    }
}

impl FeedNewsRow {
    /// What is newer than the revision `after`.
    pub(crate) fn news(&self, after: i64) -> FeedNews {
        let latest = if self.latest.get() > after { self.latest } else { after.into() };
        FeedNews { latest, since: instant(self.since_s) }
    }
}

impl TryFrom<MetaRow> for FeedRevisionMeta {
    type Error = StorageError;
    fn try_from(row: MetaRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "feed_revisions", row: row.id };
        Ok(Self {
            id: row.id,
            feed: row.feed,
            zone: row.zone,
            kind: row.kind,
            quality: place.word("quality", &row.quality, Quality::from_word)?,
            issued: instant(row.issued_s),
            received: Timestamp::from_unix_seconds(row.received_s),
            span: place.span("span_end_s", row.span_start_s, row.span_end_s)?,
            piece_count: row.piece_count,
            notes: row.notes.lines().map(str::to_owned).collect(),
        })
    }
}

impl TryFrom<PackedRow> for FeedRevision {
    type Error = StorageError;
    fn try_from(row: PackedRow) -> Result<Self, StorageError> {
        let meta = FeedRevisionMeta::try_from(row.meta)?;
        let pieces = unpack(&row.pieces).filter(|pieces| Agenda::new(pieces.clone()).is_ok());
        let place = RowPlace { table: "feed_revisions", row: meta.id };
        let pieces = pieces.ok_or_else(|| place.wrong("pieces", "they cannot be read"))?;
        Ok(Self { meta, pieces })
    }
}

impl FeedRow {
    /// The source and how it stands.
    pub(crate) fn state(self) -> Result<(String, FeedState), StorageError> {
        let place = RowPlace { table: "feeds", row: &self.id };
        let failure = match (instant(self.error_s), self.error_class, self.error) {
            (Some(at), Some(class), Some(message)) => Some(FeedFailure { at, class, message }),
            (None, None, None) => None,
            _ => return Err(place.wrong("error", "the last failure is not all there")),
        };
        let state = FeedState {
            last_poll: instant(self.last_poll_s),
            last_success: instant(self.last_success_s),
            failure,
            validator: self.validator,
            next_poll: Timestamp::from_unix_seconds(self.next_poll_s),
            closed_until: Timestamp::from_unix_seconds(self.closed_until_s),
            failures_in_turn: place.count("failures_in_turn", self.failures_in_turn)?,
            horizon: instant(self.horizon_s),
            grown: instant(self.grown_s),
            requests: self.requests,
            failures: self.failures,
            refresh: instant(self.refresh_s),
        };
        Ok((self.id, state))
    }
}

impl NewFeedRevision {
    /// From the first start to the last end of pieces that are in order.
    pub(crate) fn span(&self) -> Result<Span, StorageError> {
        Agenda::new(self.pieces.clone()).map_err(StorageError::UnorderedAgenda)?;
        let ends = self.pieces.first().zip(self.pieces.last());
        ends.and_then(|(first, last)| Span::new(first.span.start(), last.span.end()))
            .ok_or(StorageError::EmptyAgenda)
    }

    /// The least of its pieces.
    pub(crate) fn quality(&self) -> Quality {
        let qualities = self.pieces.iter().map(|piece| piece.value.quality);
        qualities.min().unwrap_or(Quality::Estimated)
    }
}
