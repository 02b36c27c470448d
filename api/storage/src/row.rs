//! Rows as both engines return them, and their way into the domain.

use planner::agenda::Piece;
use planner::decimal::Fraction;
use planner::node::Node;
use planner::node_set::NodeSet;
use planner::quantity::Power;
use planner::ranking::Ranking;
use planner::time::{Span, Timestamp};
use sqlx::FromRow;

use crate::access::{ApiToken, IdempotencyRecord, Role};
use crate::agenda::{AgendaMeta, AgendaRevision, Quantity};
use crate::allocation::Allocation;
use crate::changes::Holding;
use crate::error::StorageError;
use crate::identity::{EpochId, OfferId, OutageId, ReservationId, RevisionId, TokenId};
use crate::nodes::Calibration;
use crate::outage::{Outage, ranks_of};
use crate::reservation::{ReservationState, StoredOffer, StoredReservation};

mod negotiation;
mod simulation;

pub(crate) use negotiation::{ConsumedRow, GrantRow, MessageRow, NegotiationRow};
pub(crate) use simulation::{ClaimedRow, SimulationRow, SimulationRunRow};

#[derive(FromRow)]
pub(crate) struct EpochRow {
    pub id: EpochId,
    pub created_s: i64,
    pub node_count: i64,
    pub numbered: bool,
    pub labels: String,
    pub digest: Option<Vec<u8>>,
}

#[derive(FromRow)]
pub(crate) struct NodeRow {
    pub rank: i64,
    pub name: String,
    pub idle_power_uw: i64,
    pub max_power_uw: i64,
    pub alpha: Option<f64>,
}

#[derive(FromRow)]
pub(crate) struct CalibrationRow {
    node_name: String,
    measured_s: i64,
    idle_power_uw: i64,
    max_power_uw: i64,
    idle_spread_uw: i64,
    max_spread_uw: i64,
    idle_samples: i64,
    max_samples: i64,
    outliers: i64,
}

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

#[derive(FromRow)]
pub(crate) struct AllocationRow {
    reservation_id: ReservationId,
    offer_id: OfferId,
    owner: String,
    state: String,
    epoch: EpochId,
    first_rank: i64,
    end_rank: i64,
    start_s: i64,
    end_s: i64,
}

#[derive(FromRow)]
pub(crate) struct HoldingRow {
    reservation_id: ReservationId,
    offer_id: OfferId,
    held_until_s: Option<i64>,
    first_rank: i64,
    end_rank: i64,
    start_s: i64,
    end_s: i64,
}

#[derive(FromRow)]
pub(crate) struct OutageRow {
    id: OutageId,
    owner: String,
    reason: String,
    created_s: i64,
    epoch: EpochId,
    start_s: i64,
    end_s: Option<i64>,
    ranks: String,
}

#[derive(FromRow)]
pub(crate) struct ReservationRow {
    pub id: ReservationId,
    owner: String,
    state: String,
    degraded: bool,
    request: String,
    created_s: i64,
    expires_s: i64,
    chosen_offer_id: Option<OfferId>,
    start_s: Option<i64>,
    end_s: Option<i64>,
    document: String,
    row_version: i64,
    confirmed_s: Option<i64>,
    priority: i64,
    replaces: Option<ReservationId>,
    notice: Option<String>,
}

#[derive(FromRow)]
pub(crate) struct OfferRow {
    id: OfferId,
    pub reservation_id: ReservationId,
    start_s: i64,
    end_s: i64,
    document: String,
    rankings: String,
}

#[derive(FromRow)]
pub(crate) struct TokenRow {
    id: TokenId,
    owner: String,
    role: String,
    digest: String,
    created_s: i64,
    revoked_s: Option<i64>,
}

#[derive(FromRow)]
pub(crate) struct IdempotencyRow {
    owner: String,
    key: String,
    fingerprint: String,
    status: i64,
    response: String,
    created_s: i64,
}

/// Makes the error where it is needed; owns what it says, so that the row can be taken apart.
fn inconsistent<T: ToString>(
    table: &'static str,
    row: &T,
    problem: &'static str,
) -> impl FnOnce() -> StorageError + use<T> {
    let row = row.to_string();
    move || StorageError::Inconsistent { table, row, problem }
}

fn span(start_s: i64, end_s: i64) -> Option<Span> {
    Span::new(Timestamp::from_unix_seconds(start_s), Timestamp::from_unix_seconds(end_s))
}

impl NodeRow {
    /// The node at `ordinal` without its name.
    pub(crate) fn node(&self, ordinal: usize) -> Result<Node, StorageError> {
        let wrong = |problem| inconsistent("nodes", &ordinal, problem);
        let alpha = match self.alpha {
            Some(alpha) => Some(Fraction::new(alpha).ok_or_else(wrong("alpha is not a fraction"))?),
            None => None,
        };
        let power = Power::from_microwatts;
        Node::new(power(self.idle_power_uw), power(self.max_power_uw), alpha)
            .map_err(|_| wrong("the powers do not make a node")())
    }
}

impl TryFrom<CalibrationRow> for Calibration {
    type Error = StorageError;
    fn try_from(row: CalibrationRow) -> Result<Self, StorageError> {
        let count = |number: i64| {
            let wrong = inconsistent("calibrations", &row.node_name, "a count is out of range");
            u32::try_from(number).map_err(|_| wrong())
        };
        Ok(Self {
            measured: Timestamp::from_unix_seconds(row.measured_s),
            idle_power: Power::from_microwatts(row.idle_power_uw),
            max_power: Power::from_microwatts(row.max_power_uw),
            idle_spread: Power::from_microwatts(row.idle_spread_uw),
            max_spread: Power::from_microwatts(row.max_spread_uw),
            idle_samples: count(row.idle_samples)?,
            max_samples: count(row.max_samples)?,
            outliers: count(row.outliers)?,
            node_name: row.node_name,
        })
    }
}

impl TryFrom<PieceRow> for Piece<i64> {
    type Error = StorageError;
    fn try_from(row: PieceRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("agenda_pieces", &row.revision_id, "a span is empty");
        let span = span(row.start_s, row.end_s).ok_or_else(wrong)?;
        Ok(Self { span, value: row.value_millionths })
    }
}

impl RevisionSpanRow {
    /// What the revision replaced.
    pub(crate) fn span(&self) -> Result<Span, StorageError> {
        let wrong = inconsistent("agenda_revisions", &self.id, "the span is empty");
        span(self.span_start_s, self.span_end_s).ok_or_else(wrong)
    }
}

impl TryFrom<RevisionRow> for AgendaRevision {
    type Error = StorageError;
    fn try_from(row: RevisionRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("agenda_revisions", &row.id, problem);
        Ok(Self {
            id: row.id,
            quantity: Quantity::from_word(&row.quantity).ok_or_else(wrong("unknown quantity"))?,
            received: Timestamp::from_unix_seconds(row.received_s),
            span: span(row.span_start_s, row.span_end_s).ok_or_else(wrong("the span is empty"))?,
            meta: AgendaMeta {
                source: row.source,
                kind: row.kind,
                quality: row.quality,
                issued: row.issued_s.map(Timestamp::from_unix_seconds),
            },
        })
    }
}

impl TryFrom<AllocationRow> for Allocation {
    type Error = StorageError;
    fn try_from(row: AllocationRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("allocations", &row.offer_id, problem);
        let rank = |rank| u32::try_from(rank).map_err(|_| wrong("a rank is out of range")());
        Ok(Self {
            reservation_id: row.reservation_id,
            offer_id: row.offer_id,
            state: ReservationState::from_word(&row.state).ok_or_else(wrong("unknown state"))?,
            epoch: row.epoch,
            span: span(row.start_s, row.end_s).ok_or_else(wrong("the span is empty"))?,
            ranks: NodeSet::from_ranges(
                std::iter::once(rank(row.first_rank)?..rank(row.end_rank)?).collect(),
            ),
            owner: row.owner,
        })
    }
}

/// Rows of one offer and span, which follow each other, as one allocation. `O(rows)`.
pub(crate) fn grouped(rows: Vec<AllocationRow>) -> Result<Vec<Allocation>, StorageError> {
    let mut groups: Vec<(Allocation, Vec<std::ops::Range<u32>>)> = Vec::new();
    for row in rows {
        let next = Allocation::try_from(row)?;
        let ranges = next.ranks.ranges().to_vec();
        match groups.last_mut() {
            Some((last, all)) if last.offer_id == next.offer_id && last.span == next.span => {
                all.extend(ranges);
            }
            _ => groups.push((next, ranges)),
        }
    }
    let whole =
        |(allocation, ranges)| Allocation { ranks: NodeSet::from_ranges(ranges), ..allocation };
    Ok(groups.into_iter().map(whole).collect())
}

/// Rows of one offer and span, which follow each other, as one holding. `O(rows)`.
pub(crate) fn held(rows: &[HoldingRow]) -> Result<Vec<Holding>, StorageError> {
    let same = |a: &HoldingRow, b: &HoldingRow| {
        (a.offer_id, a.start_s, a.end_s) == (b.offer_id, b.start_s, b.end_s)
    };
    rows.chunk_by(same).map(holding).collect()
}

fn holding(rows: &[HoldingRow]) -> Result<Holding, StorageError> {
    let first = &rows[0];
    let wrong = |problem| inconsistent("allocations", &first.offer_id, problem);
    let rank = |rank| u32::try_from(rank).map_err(|_| wrong("a rank is out of range")());
    let range = |row: &HoldingRow| Ok(rank(row.first_rank)?..rank(row.end_rank)?);
    let ranges = rows.iter().map(range).collect::<Result<Vec<_>, StorageError>>()?;
    Ok(Holding {
        reservation_id: first.reservation_id,
        held_until: first.held_until_s.map(Timestamp::from_unix_seconds),
        span: span(first.start_s, first.end_s).ok_or_else(wrong("the span is empty"))?,
        ranks: NodeSet::from_ranges(ranges),
    })
}

impl TryFrom<OutageRow> for Outage {
    type Error = StorageError;
    fn try_from(row: OutageRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("outages", &row.id, "the ranks cannot be read");
        Ok(Self {
            id: row.id,
            owner: row.owner,
            reason: row.reason,
            created: Timestamp::from_unix_seconds(row.created_s),
            epoch: row.epoch,
            start: Timestamp::from_unix_seconds(row.start_s),
            end: row.end_s.map(Timestamp::from_unix_seconds),
            ranks: ranks_of(&row.ranks).ok_or_else(wrong)?,
        })
    }
}

impl TryFrom<(ReservationRow, Vec<StoredOffer>)> for StoredReservation {
    type Error = StorageError;
    fn try_from((row, offers): (ReservationRow, Vec<StoredOffer>)) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("reservations", &row.id, problem);
        let chosen = match (row.chosen_offer_id, row.start_s, row.end_s) {
            (Some(offer), Some(start_s), Some(end_s)) => {
                Some((offer, span(start_s, end_s).ok_or_else(wrong("the span is empty"))?))
            }
            (None, None, None) => None,
            _ => return Err(wrong("the chosen offer and its span are not all there")()),
        };
        Ok(Self {
            id: row.id,
            owner: row.owner,
            state: ReservationState::from_word(&row.state).ok_or_else(wrong("unknown state"))?,
            degraded: row.degraded,
            request: row.request,
            created: Timestamp::from_unix_seconds(row.created_s),
            expires: Timestamp::from_unix_seconds(row.expires_s),
            chosen,
            document: row.document,
            row_version: row.row_version,
            confirmed: row.confirmed_s.map(Timestamp::from_unix_seconds),
            priority: row.priority,
            replaces: row.replaces,
            notice: row.notice,
            offers,
        })
    }
}

impl TryFrom<OfferRow> for StoredOffer {
    type Error = StorageError;
    fn try_from(row: OfferRow) -> Result<Self, StorageError> {
        let wrong = |problem| inconsistent("offers", &row.id, problem);
        let rankings: Result<Vec<Ranking>, _> =
            row.rankings.split_whitespace().map(str::parse).collect();
        Ok(Self {
            id: row.id,
            span: span(row.start_s, row.end_s).ok_or_else(wrong("the span is empty"))?,
            rankings: rankings.map_err(|_| wrong("unknown ranking")())?,
            document: row.document,
        })
    }
}

impl TryFrom<TokenRow> for ApiToken {
    type Error = StorageError;
    fn try_from(row: TokenRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("api_tokens", &row.id, "unknown role");
        Ok(Self {
            id: row.id,
            owner: row.owner,
            role: Role::from_word(&row.role).ok_or_else(wrong)?,
            digest: row.digest,
            created: Timestamp::from_unix_seconds(row.created_s),
            revoked: row.revoked_s.map(Timestamp::from_unix_seconds),
        })
    }
}

impl TryFrom<IdempotencyRow> for IdempotencyRecord {
    type Error = StorageError;
    fn try_from(row: IdempotencyRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("idempotency_keys", &row.key, "the status is out of range");
        Ok(Self {
            owner: row.owner,
            key: row.key,
            fingerprint: row.fingerprint,
            status: u16::try_from(row.status).map_err(|_| wrong())?,
            response: row.response,
            created: Timestamp::from_unix_seconds(row.created_s),
        })
    }
}
