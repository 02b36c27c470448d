//! Feeds as JSON.

use planner::time::{Span, Timestamp};
use serde::Serialize;
use storage::{FeedFailure, FeedRevisionMeta};
use utoipa::ToSchema;

use crate::http::v1::agendas::get::Gap;
use crate::service::feeds::{AgendaStatus, FeedStatus, FeedsStatus};

/// All sources and the agendas that they make.
#[derive(Serialize, ToSchema)]
pub struct FeedsDocument {
    /// The service's time, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub now: Timestamp,
    /// In the order of the settings.
    pub feeds: Vec<FeedDocument>,
    /// Those that are composed.
    pub agendas: Vec<AgendaStatusDocument>,
}

/// A source and how it stands.
#[derive(Serialize, ToSchema)]
pub struct FeedDocument {
    /// Its name in the settings.
    #[schema(example = "entsoe-fr")]
    pub id: String,
    /// `price`, `co2` or `power_cap`.
    #[schema(example = "price")]
    pub quantity: &'static str,
    /// The supplier, as in the settings.
    #[schema(example = "entsoe")]
    pub provider: String,
    /// `ok`, `late`, `failing` or `never`.
    #[schema(example = "ok")]
    pub status: &'static str,
    /// When it last answered, if only that nothing changed, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_success_at: Option<Timestamp>,
    /// Since then, seconds.
    pub age_s: Option<i64>,
    /// The end of what it ever said, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub horizon: Option<Timestamp>,
    /// When it was last asked, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_poll_at: Option<Timestamp>,
    /// When it is asked next, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_poll_at: Option<Timestamp>,
    /// Why the last poll failed; null where it did not.
    pub last_error: Option<FeedErrorDocument>,
    /// What it said last that was new.
    pub last_revision: Option<FeedRevisionDocument>,
    /// Requests made so far.
    pub requests: i64,
    /// Polls that failed so far.
    pub failures: i64,
}

/// Why a poll failed.
#[derive(Serialize, ToSchema)]
pub struct FeedErrorDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// `refused`, `busy`, `transient`, `not_published`, `payload`, `partly_read`, `sandbox` or `configuration`.
    #[schema(example = "busy")]
    pub class: String,
    /// In words.
    #[schema(example = "busy with status 429, asks to wait 30 s")]
    pub detail: String,
}

/// Something new that a source said.
#[derive(Serialize, ToSchema)]
pub struct FeedRevisionDocument {
    /// Later ones are greater.
    pub id: i64,
    /// When the supplier says it was issued, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub issued_at: Option<Timestamp>,
    /// When it came, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub received_at: Timestamp,
    /// The bidding zone, region or site, in the supplier's spelling.
    pub zone: String,
    /// Of what, in which unit.
    #[schema(example = "price in EUR/MWh")]
    pub kind: String,
    /// The least of its pieces: `measured`, `forecast` or `estimated`.
    #[schema(example = "measured")]
    pub quality: &'static str,
    /// From here ...
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// ... to here, perhaps with gaps.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// How many pieces.
    pub pieces: i64,
    /// What was odd about it.
    pub notes: Vec<String>,
}

/// A composed agenda and how it stands.
#[derive(Serialize, ToSchema)]
pub struct AgendaStatusDocument {
    /// `price`, `co2` or `power_cap`.
    #[schema(example = "price")]
    pub quantity: &'static str,
    /// Its sources, the first counts most; `api` is what is put through the API.
    pub chain: Vec<String>,
    /// Whether estimates are gaps.
    pub refuse_estimates: bool,
    /// The end of what is in force, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub horizon: Option<Timestamp>,
    /// From when on a part is an estimate, RFC 3339; null where nothing is.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub estimated_from: Option<Timestamp>,
    /// The parts without a value, from now to where the settings want the agenda to reach.
    pub gaps: Vec<Gap>,
}

impl From<FeedsStatus> for FeedsDocument {
    fn from(status: FeedsStatus) -> Self {
        let now = status.now;
        Self {
            now,
            feeds: status.feeds.into_iter().map(|feed| FeedDocument::new(feed, now)).collect(),
            agendas: status.agendas.into_iter().map(AgendaStatusDocument::from).collect(),
        }
    }
}

impl FeedDocument {
    fn new(feed: FeedStatus, now: Timestamp) -> Self {
        let state = feed.state.as_ref();
        let last_success_at = state.and_then(|state| state.last_success);
        Self {
            quantity: feed.quantity.word(),
            status: feed.status.word(),
            last_success_at,
            age_s: last_success_at.map(|last| (now - last).get().max(0)),
            horizon: state.and_then(|state| state.horizon),
            last_poll_at: state.and_then(|state| state.last_poll),
            next_poll_at: state.map(|state| state.next_poll),
            last_error: state.and_then(|state| state.failure.as_ref()).map(failure),
            last_revision: feed.last_revision.map(FeedRevisionDocument::from),
            requests: state.map_or(0, |state| state.requests),
            failures: state.map_or(0, |state| state.failures),
            id: feed.id,
            provider: feed.provider,
        }
    }
}

fn failure(failure: &FeedFailure) -> FeedErrorDocument {
    let (class, detail) = (failure.class.clone(), failure.message.clone());
    FeedErrorDocument { at: failure.at, class, detail }
}

impl From<FeedRevisionMeta> for FeedRevisionDocument {
    fn from(meta: FeedRevisionMeta) -> Self {
        Self {
            id: meta.id.get(),
            issued_at: meta.issued,
            received_at: meta.received,
            zone: meta.zone,
            kind: meta.kind,
            quality: meta.quality.word(),
            start: meta.span.start(),
            end: meta.span.end(),
            pieces: meta.piece_count,
            notes: meta.notes,
        }
    }
}

impl From<AgendaStatus> for AgendaStatusDocument {
    fn from(status: AgendaStatus) -> Self {
        let gap = |span: Span| Gap { start: span.start(), end: span.end() };
        Self {
            quantity: status.quantity.word(),
            chain: status.chain,
            refuse_estimates: status.refuse_estimates,
            horizon: status.horizon,
            estimated_from: status.estimated_from,
            gaps: status.gaps.into_iter().map(gap).collect(),
        }
    }
}
