//! Rows of calibration that follows what meters measure.

use planner::quantity::Power;
use planner::recalibration::{
    Estimate, ModelError, NodeFault, NodeFinding, ProposalState, ProposedPowers,
};
use planner::time::{Span, Timestamp};
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::EpochId;
use crate::recalibration::{JudgedNode, OccupiedQuarter, RecalibrationState};
use crate::row::{RowPlace, instant, set_of};

#[derive(FromRow)]
pub(crate) struct RecalibrationRow {
    version: i64,
    judged_s: Option<i64>,
    from_s: Option<i64>,
    to_s: Option<i64>,
}

impl From<RecalibrationRow> for RecalibrationState {
    fn from(row: RecalibrationRow) -> Self {
        let span = instant(row.from_s).zip(instant(row.to_s));
        let span = span.and_then(|(from, to)| Span::new(from, to));
        Self { version: row.version, judged: instant(row.judged_s).zip(span) }
    }
}

#[derive(FromRow)]
pub(crate) struct JudgedNodeRow {
    node_name: String,
    idle_power_uw: Option<i64>,
    idle_spread_uw: Option<i64>,
    idle_quarters: Option<i64>,
    max_power_uw: Option<i64>,
    max_spread_uw: Option<i64>,
    max_quarters: Option<i64>,
    drifted: bool,
    outlying: bool,
    fault: Option<String>,
    error_quarters: i64,
    error_mean: Option<i64>,
    error_mean_absolute: Option<i64>,
    proposal: Option<String>,
    proposed_s: Option<i64>,
    proposed_idle_uw: Option<i64>,
    proposed_max_uw: Option<i64>,
}

impl TryFrom<JudgedNodeRow> for JudgedNode {
    type Error = StorageError;
    fn try_from(row: JudgedNodeRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "node_findings", row: &row.node_name };
        let power = Power::from_microwatts;
        let estimate = |column, of: (Option<i64>, Option<i64>, Option<i64>)| match of {
            (Some(uw), Some(spread), Some(quarters)) => {
                let quarters = place.count(column, quarters)?;
                Ok(Some(Estimate { power: power(uw), spread: power(spread), quarters }))
            }
            (None, None, None) => Ok(None),
            _ => Err(place.wrong(column, "the estimate is not all there")),
        };
        let idle = (row.idle_power_uw, row.idle_spread_uw, row.idle_quarters);
        let max = (row.max_power_uw, row.max_spread_uw, row.max_quarters);
        let fault = row.fault.as_deref();
        let fault =
            fault.map(|word| place.word("fault", word, NodeFault::from_word)).transpose()?;
        let finding = NodeFinding {
            idle: estimate("idle_quarters", idle)?,
            max: estimate("max_quarters", max)?,
            drifted: row.drifted,
            outlying: row.outlying,
            fault,
        };
        let proposed = (instant(row.proposed_s), row.proposed_idle_uw, row.proposed_max_uw);
        let proposal = match (row.proposal.as_deref(), proposed) {
            (None, _) => None,
            (Some(word), (Some(at), Some(idle), Some(max))) => {
                let powers = ProposedPowers { idle: power(idle), max: power(max) };
                let state = |word: &str| match word {
                    "open" => Some(ProposalState::Open(powers)),
                    "rejected" => Some(ProposalState::Rejected(powers)),
                    _ => None,
                };
                Some((place.word("proposal", word, state)?, at))
            }
            _ => return Err(place.wrong("proposal", "the proposal is not all there")),
        };
        let error = ModelError {
            count: place.count("error_quarters", row.error_quarters)?,
            mean: row.error_mean,
            mean_absolute: row.error_mean_absolute,
        };
        Ok(Self { finding, error, proposal, node: row.node_name })
    }
}

#[derive(FromRow)]
pub(crate) struct OccupiedQuarterRow {
    quarter: i64,
    epoch: EpochId,
    looks: i64,
    ordinals: String,
}

impl TryFrom<OccupiedQuarterRow> for OccupiedQuarter {
    type Error = StorageError;
    fn try_from(row: OccupiedQuarterRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "occupied_quarters", row: row.quarter };
        Ok(Self {
            quarter: row.quarter,
            epoch: row.epoch,
            looks: place.count("looks", row.looks)?,
            ordinals: place.readable("ordinals", set_of(&row.ordinals))?,
        })
    }
}

/// The instant of a proposal as its column has it.
pub(crate) fn proposed_s(judged: &JudgedNode) -> Option<i64> {
    judged.proposal.map(|(_, at)| Timestamp::as_unix_seconds(at))
}
