//! Rows of the ledger and of what it rests on, and their way into the domain.

use planner::identity::{OfferId, ReservationId};
use planner::ledger::{Amounts, Holder, JobSubmission, LedgerRow, Party, QUARTERS};
use planner::node_set::NodeSet;
use planner::quantity::{Currency, Power};
use planner::time::{Span, Timestamp};
use sqlx::FromRow;
use uuid::Uuid;

use crate::amounts::energy;
use crate::error::StorageError;
use crate::identity::{EpochId, RevisionId};
use crate::ledger::{
    BillGroup, BillSum, DayUsage, HeldNodes, LedgerGroup, LedgerRecord, ReportGroup, ReportPart,
    ReportSum, WholeEnergy,
};
use crate::row::{RowPlace, instant, set_of};

/// The columns of amounts; sums have neither `nodes` nor quarter-hours.
#[derive(FromRow)]
struct AmountsRow {
    #[sqlx(default)]
    nodes: i64,
    #[sqlx(flatten)]
    quarters: QuartersRow,
    node_s: i64,
    missing_s: i64,
    measured_j: i64,
    estimated_j: i64,
    cost_millionths: Option<i64>,
    unpriced_j: i64,
    co2_location_mg: Option<i64>,
    unrated_j: i64,
    co2_market_mg: Option<i64>,
    other_co2_mg: Option<i64>,
    other_rated_j: i64,
}

/// Joules by quarter-hour.
#[derive(FromRow)]
#[expect(clippy::struct_field_names, reason = "columns have their unit in their names")]
struct QuartersRow {
    #[sqlx(default)]
    quarter1_j: i64,
    #[sqlx(default)]
    quarter2_j: i64,
    #[sqlx(default)]
    quarter3_j: i64,
    #[sqlx(default)]
    quarter4_j: i64,
}

impl From<QuartersRow> for [i64; QUARTERS] {
    fn from(row: QuartersRow) -> Self {
        [row.quarter1_j, row.quarter2_j, row.quarter3_j, row.quarter4_j]
    }
}

impl From<AmountsRow> for Amounts {
    fn from(row: AmountsRow) -> Self {
        Self {
            nodes: row.nodes,
            node_s: row.node_s,
            missing_s: row.missing_s,
            measured_j: row.measured_j,
            estimated_j: row.estimated_j,
            quarters_j: row.quarters.into(),
            cost_millionths: row.cost_millionths,
            unpriced_j: row.unpriced_j,
            co2_location_mg: row.co2_location_mg,
            unrated_j: row.unrated_j,
            co2_market_mg: row.co2_market_mg,
            other_co2_mg: row.other_co2_mg,
            other_rated_j: row.other_rated_j,
        }
    }
}

#[derive(FromRow)]
pub(crate) struct LedgerRecordRow {
    id: i64,
    hour_s: i64,
    number: i64,
    counted_s: i64,
    holder: String,
    reservation_id: Option<Uuid>,
    job_id: String,
    user_name: String,
    owner: String,
    project: String,
    application: String,
    partition_name: String,
    currency: String,
    #[sqlx(default)]
    other_co2_accounting: Option<String>,
    #[sqlx(flatten)]
    submission: SubmissionRow,
    #[sqlx(flatten)]
    amounts: AmountsRow,
}

/// The columns that tell a job from others with its id.
#[derive(FromRow)]
struct SubmissionRow {
    job_raw_id: Option<i64>,
    job_submitted_s: Option<i64>,
}

impl SubmissionRow {
    fn submission(&self) -> Option<JobSubmission> {
        instant(self.job_submitted_s).map(|at| JobSubmission { at, raw_id: self.job_raw_id })
    }
}

impl TryFrom<LedgerRecordRow> for LedgerRecord {
    type Error = StorageError;
    fn try_from(row: LedgerRecordRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "ledger_rows", row: row.id };
        let holder = place.word("holder", &row.holder, Holder::from_word)?;
        let currency = place.readable("currency", Currency::parse(&row.currency).ok())?;
        let hour = Timestamp::from_unix_seconds(row.hour_s);
        let party = Party {
            holder,
            reservation: row.reservation_id.map(ReservationId::new),
            job: row.job_id,
            user: row.user_name,
            owner: row.owner,
            project: row.project,
            application: row.application,
            partition: row.partition_name,
            submission: row.submission.submission(),
        };
        Ok(Self {
            id: row.id,
            counted: Timestamp::from_unix_seconds(row.counted_s),
            correction_of: (row.number > 0).then_some(hour),
            currency,
            other_co2_accounting: row.other_co2_accounting,
            row: LedgerRow { party, amounts: row.amounts.into() },
        })
    }
}

#[derive(FromRow)]
pub(crate) struct LedgerGroupRow {
    holder: String,
    currency: String,
    #[sqlx(flatten)]
    amounts: AmountsRow,
}

impl TryFrom<LedgerGroupRow> for LedgerGroup {
    type Error = StorageError;
    fn try_from(row: LedgerGroupRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "ledger_rows", row: &row.holder };
        Ok(Self {
            holder: place.word("holder", &row.holder, Holder::from_word)?,
            currency: place.readable("currency", Currency::parse(&row.currency).ok())?,
            amounts: row.amounts.into(),
        })
    }
}

#[derive(FromRow)]
pub(crate) struct HourQuartersRow {
    hour_s: i64,
    #[sqlx(flatten)]
    quarters: QuartersRow,
}

impl From<HourQuartersRow> for (Timestamp, [i64; QUARTERS]) {
    fn from(row: HourQuartersRow) -> Self {
        (Timestamp::from_unix_seconds(row.hour_s), row.quarters.into())
    }
}

#[derive(FromRow)]
pub(crate) struct BillSumRow {
    holder: String,
    reservation_id: Option<Uuid>,
    user_name: String,
    project: String,
    #[sqlx(flatten)]
    amounts: AmountsRow,
}

impl TryFrom<BillSumRow> for BillSum {
    type Error = StorageError;
    fn try_from(row: BillSumRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "ledger_rows", row: &row.holder };
        let holder = place.word("holder", &row.holder, Holder::from_word)?;
        let reservation = row.reservation_id.map(ReservationId::new);
        let group = BillGroup { holder, reservation, user: row.user_name, project: row.project };
        Ok(Self { group, amounts: row.amounts.into() })
    }
}

/// The columns of a report's keys.
#[derive(FromRow)]
struct ReportGroupRow {
    user_name: String,
    project: String,
    application: String,
    partition_name: String,
    job_id: String,
    #[sqlx(flatten)]
    submission: SubmissionRow,
    of_reservation: Option<Uuid>,
    currency: String,
}

impl From<ReportGroupRow> for ReportGroup {
    fn from(row: ReportGroupRow) -> Self {
        Self {
            user: row.user_name,
            project: row.project,
            application: row.application,
            partition: row.partition_name,
            job: row.job_id,
            submission: row.submission.submission(),
            reservation: row.of_reservation.map(ReservationId::new),
            currency: row.currency,
        }
    }
}

#[derive(FromRow)]
pub(crate) struct ReportSumRow {
    #[sqlx(flatten)]
    group: ReportGroupRow,
    reserved_s: i64,
    used_s: i64,
    outside_s: i64,
    facility_j: i64,
    #[sqlx(flatten)]
    amounts: AmountsRow,
}

impl From<ReportSumRow> for ReportSum {
    fn from(row: ReportSumRow) -> Self {
        Self {
            group: row.group.into(),
            reserved_s: row.reserved_s,
            used_s: row.used_s,
            outside_s: row.outside_s,
            facility_j: row.facility_j,
            amounts: row.amounts.into(),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct PartRow {
    #[sqlx(flatten)]
    group: ReportGroupRow,
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    energy_j: i64,
    cost_millionths: Option<i64>,
    unpriced_j: i64,
    co2_location_mg: Option<i64>,
    unrated_j: i64,
}

impl From<PartRow> for ReportPart {
    fn from(row: PartRow) -> Self {
        Self {
            group: row.group.into(),
            reservation: row.reservation_id,
            energy_j: row.energy_j,
            cost_millionths: row.cost_millionths.filter(|_| row.unpriced_j == 0),
            co2_location_mg: row.co2_location_mg.filter(|_| row.unrated_j == 0),
        }
    }
}

#[derive(FromRow)]
pub(crate) struct UsedRow {
    age_days: i64,
    user_name: String,
    project: String,
    node_s: i64,
    energy_j: i64,
    cost_millionths: i64,
    co2_location_mg: i64,
}

impl From<UsedRow> for DayUsage {
    fn from(row: UsedRow) -> Self {
        Self {
            age_days: u32::try_from(row.age_days).unwrap_or_default(),
            user: row.user_name,
            project: row.project,
            node_s: row.node_s,
            energy_j: row.energy_j,
            cost_millionths: row.cost_millionths,
            co2_location_mg: row.co2_location_mg,
        }
    }
}

#[derive(FromRow)]
pub(crate) struct WholeRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    measured_j: i64,
    estimated_j: i64,
}

impl From<WholeRow> for (ReservationId, WholeEnergy) {
    fn from(row: WholeRow) -> Self {
        let WholeRow { reservation_id, measured_j, estimated_j } = row;
        (reservation_id, WholeEnergy { measured_j, estimated_j })
    }
}

#[derive(FromRow)]
pub(crate) struct LedgerMarkRow {
    pub revision_id: RevisionId,
    pub newest: RevisionId,
}

#[derive(FromRow)]
pub(crate) struct RevisedBeforeRow {
    start_s: Option<i64>,
    end_s: Option<i64>,
}

impl RevisedBeforeRow {
    /// What of it lies before an instant.
    pub(crate) fn span_before(&self, before: Timestamp) -> Option<Span> {
        Span::new(instant(self.start_s)?, instant(self.end_s)?.min(before))
    }
}

#[derive(FromRow)]
pub(crate) struct EpochStartRow {
    id: EpochId,
    created_s: i64,
}

impl From<EpochStartRow> for (EpochId, Timestamp) {
    fn from(row: EpochStartRow) -> Self {
        (row.id, Timestamp::from_unix_seconds(row.created_s))
    }
}

#[derive(FromRow)]
pub(crate) struct HeldRow {
    #[sqlx(try_from = "Uuid")]
    reservation_id: ReservationId,
    #[sqlx(try_from = "Uuid")]
    offer_id: OfferId,
    owner: String,
    request: String,
    epoch: EpochId,
    first_rank: i64,
    end_rank: i64,
    start_s: i64,
    end_s: i64,
    managed: bool,
    slowed_energy_uj: Option<String>,
    length_s: i64,
    node_ranges: String,
}

impl HeldRow {
    /// What each node draws in the mean, where they are in a slower state.
    fn slowed_draw(&self, place: &RowPlace<OfferId>) -> Result<Option<Power>, StorageError> {
        let Some(text) = &self.slowed_energy_uj else { return Ok(None) };
        let energy = place.readable("energy_uj", energy(text))?;
        let nodes = place.readable("node_ranges", set_of(&self.node_ranges))?.count();
        let node_seconds = i128::from(nodes) * i128::from(self.length_s);
        let mean = energy.as_microjoules() / node_seconds.max(1);
        let mean = place.readable("energy_uj", i64::try_from(mean).ok())?;
        Ok(Some(Power::from_microwatts(mean)))
    }
}

/// Rows of one offer and span, which follow each other, as one. `O(rows)`.
pub(crate) fn held(rows: &[HeldRow]) -> Result<Vec<HeldNodes>, StorageError> {
    let same = |a: &HeldRow, b: &HeldRow| {
        (a.offer_id, a.epoch, a.start_s, a.end_s) == (b.offer_id, b.epoch, b.start_s, b.end_s)
    };
    let held = |rows: &[HeldRow]| {
        let row = &rows[0];
        let place = RowPlace { table: "allocations", row: row.offer_id };
        let range = |row: &HeldRow| {
            let first = place.count("first_rank", row.first_rank)?;
            Ok(first..place.count("end_rank", row.end_rank)?)
        };
        let ranges = rows.iter().map(range).collect::<Result<Vec<_>, StorageError>>()?;
        Ok(HeldNodes {
            reservation: row.reservation_id,
            owner: row.owner.clone(),
            request: row.request.clone(),
            managed: row.managed,
            epoch: row.epoch,
            span: place.span("end_s", row.start_s, row.end_s)?,
            ranks: NodeSet::from_ranges(ranges),
            slowed_draw: row.slowed_draw(&place)?,
        })
    };
    rows.chunk_by(same).map(held).collect()
}
