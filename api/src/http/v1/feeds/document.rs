//! Feeds as JSON.

use grid_feeds::agreement::{Disagreement, SourceValue};
use grid_feeds::compose::Precedence;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::time::{Span, Timestamp};
use serde::Serialize;
use storage::{FeedFailure, FeedRevisionMeta};
use utoipa::ToSchema;

use crate::http::v1::agendas::get::{Gap, number};
use crate::service::feeds::{AgendaStatus, FeedStatus, FeedsStatus, OtherCo2Status};
use crate::service::shared::provenance::Co2Accounting;

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
    /// Of CO2: how it is counted from now on; absent of other quantities, and where that is not known, or not the same for all
    /// of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Of CO2: what is shown beside it, which nothing is planned by; absent where the settings name no sources of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherCo2StatusDocument>,
    /// Whether estimates are gaps.
    pub refuse_estimates: bool,
    /// Whose value counts where several fresh sources have one: that of the first (`order`), or the median of three or more
    /// (`median`).
    #[schema(example = "order")]
    pub take: &'static str,
    /// Since when it is told that its sources disagree, RFC 3339; null where they agree.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub disagreeing_since: Option<Timestamp>,
    /// Where they disagree, of the last six hours and ahead: at most 50, in time order.
    pub disagreements: Vec<DisagreementDocument>,
    /// The end of what is in force, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub horizon: Option<Timestamp>,
    /// From when on a part is an estimate, RFC 3339; null where nothing is.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub estimated_from: Option<Timestamp>,
    /// The parts without a value, from now to where the settings want the agenda to reach.
    pub gaps: Vec<Gap>,
}

/// CO2 by the accounting that nothing is planned by, and how it stands.
#[derive(Serialize, ToSchema)]
pub struct OtherCo2StatusDocument {
    /// How it is counted.
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// Its sources, the first counts most.
    pub chain: Vec<String>,
    /// The end of what is known, RFC 3339; null where nothing is.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub horizon: Option<Timestamp>,
}

/// A span over which sources disagree.
#[derive(Serialize, ToSchema)]
pub struct DisagreementDocument {
    /// From here, RFC 3339 ...
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// ... to here; between the two they may agree for less than an hour at a time.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// For how long of it they disagree, seconds.
    pub apart_s: i64,
    /// Those that were compared, in the order of the chain.
    pub sources: Vec<String>,
    /// Where they are furthest apart, RFC 3339: from here ...
    #[schema(value_type = String, format = DateTime)]
    pub widest_start: Timestamp,
    /// ... to here.
    #[schema(value_type = String, format = DateTime)]
    pub widest_end: Timestamp,
    /// What they say there, in the unit of the quantity.
    pub values: Vec<SourceValueDocument>,
    /// What the agenda has there; null where that is a gap.
    pub taken: Option<SourceValueDocument>,
}

/// What a source says.
#[derive(Serialize, ToSchema)]
pub struct SourceValueDocument {
    /// Its name; empty for what the site made itself.
    #[schema(example = "entsoe-fr")]
    pub source: String,
    /// In the unit of the quantity.
    pub value: Option<f64>,
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
            co2_accounting: status.co2_accounting,
            other: status.other.map(OtherCo2StatusDocument::from),
            refuse_estimates: status.refuse_estimates,
            take: match status.precedence {
                Precedence::Order => "order",
                Precedence::Median => "median",
            },
            disagreeing_since: status.agreement.since,
            disagreements: status.agreement.found.into_iter().map(Into::into).collect(),
            horizon: status.horizon,
            estimated_from: status.estimated_from,
            gaps: status.gaps.into_iter().map(gap).collect(),
        }
    }
}

impl From<OtherCo2Status> for OtherCo2StatusDocument {
    fn from(status: OtherCo2Status) -> Self {
        Self {
            co2_accounting: status.accounting.map(Co2Accounting::document),
            chain: status.chain,
            horizon: status.horizon,
        }
    }
}

impl From<Disagreement> for DisagreementDocument {
    fn from(it: Disagreement) -> Self {
        Self {
            start: it.span.start(),
            end: it.span.end(),
            apart_s: it.apart_for.get(),
            sources: it.sources.into_iter().map(String::from).collect(),
            widest_start: it.widest.start(),
            widest_end: it.widest.end(),
            values: it.values.into_iter().map(SourceValueDocument::from).collect(),
            taken: it.taken.map(SourceValueDocument::from),
        }
    }
}

impl From<SourceValue> for SourceValueDocument {
    fn from(SourceValue { source, value }: SourceValue) -> Self {
        Self { source: source.into(), value: number(value) }
    }
}
