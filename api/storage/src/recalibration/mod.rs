//! Calibration that follows what meters measure: what nodes were found to draw, what is proposed for them, and what
//! runs drew.

mod repository;
mod row;
pub mod sql;

use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::recalibration::{ModelError, NodeFinding, ProposalState};
use planner::time::{Span, Timestamp};

use crate::events::NewEvent;
use crate::identity::EpochId;
use crate::words::worded;

/// A node as it was judged last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedNode {
    /// Its name.
    pub node: String,
    /// What its quarter-hours say.
    pub finding: NodeFinding,
    /// The error of the calibration in force over quarter-hours in which it was held.
    pub error: ModelError,
    /// What is proposed for it, and since when.
    pub proposal: Option<(ProposalState, Timestamp)>,
}

/// How calibration stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecalibrationState {
    /// Grows whenever nodes were judged or a proposal was decided on.
    pub version: i64,
    /// When nodes were judged last, and by the quarter-hours of which time; `None` before that.
    pub judged: Option<(Timestamp, Span)>,
}

/// What is to be written of nodes that were judged.
#[derive(Clone, Debug)]
pub struct NewJudgement {
    /// The version that what stood before was read at.
    pub version: i64,
    /// When they were judged.
    pub judged: Timestamp,
    /// The time of the quarter-hours.
    pub window: Span,
    /// All nodes that there are.
    pub nodes: Vec<JudgedNode>,
    /// What runs drew in that time, of reservations that have ended.
    pub runs: Vec<MeasuredRun>,
    /// Runs that ended before this are forgotten.
    pub forget_before: Timestamp,
    /// What is told of it.
    pub events: Vec<NewEvent>,
}

/// What the run of a reservation drew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredRun {
    /// The reservation.
    pub reservation: ReservationId,
    /// Whose it is.
    pub owner: String,
    /// The application that its request names; empty where it names none.
    pub application: String,
    /// From when to when it had its nodes.
    pub span: Span,
    /// Quarter-hours of nodes that were measured.
    pub quarters: u32,
    /// How hard it used its nodes between idle (0) and maximum, in millionths.
    pub utilisation: Option<i64>,
    /// The share of their maximum power that its nodes drew, in millionths.
    pub alpha: Option<i64>,
}

/// What the rows of the ledger of a reservation amount to.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ReservationSum {
    /// The reservation.
    #[sqlx(rename = "reservation_id", try_from = "uuid::Uuid")]
    pub reservation: ReservationId,
    /// The application that its request names; empty where it names none.
    pub application: String,
    /// Seconds of nodes.
    pub node_s: i64,
    /// Joules that were measured.
    pub measured_j: i64,
    /// Joules that were estimated.
    pub estimated_j: i64,
    /// Millionths of the currency.
    pub cost_millionths: Option<i64>,
    /// Joules for which no price is known.
    pub unpriced_j: i64,
    /// Milligrams by the grid's intensity.
    pub co2_location_mg: Option<i64>,
    /// Joules for which no intensity is known.
    pub unrated_j: i64,
}

/// How many nodes there are of each standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct JudgedCounts {
    /// All.
    pub nodes: i64,
    /// Those that differ from the calibration in force.
    pub drifted: i64,
    /// Those that stand out among their kind.
    pub outlying: i64,
    /// Those of which nothing can be believed.
    pub failing: i64,
    /// Those for which a calibration is proposed.
    pub proposed: i64,
    /// Those for which one was rejected.
    pub rejected: i64,
}

worded! {
    /// By what nodes are picked.
    JudgedStanding {
        /// They differ from the calibration in force.
        Drifted = "drifted",
        /// They stand out among their kind.
        Outlying = "outlying",
        /// What is measured of them cannot be believed.
        Failing = "failing",
        /// A calibration is proposed.
        Proposed = "proposed",
        /// A calibration was rejected.
        Rejected = "rejected",
    }
}

/// Which nodes had other people's jobs on them in a quarter-hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccupiedQuarter {
    /// The number of the quarter-hour since the Unix epoch.
    pub quarter: i64,
    /// The calibration epoch whose ordinals these are.
    pub epoch: EpochId,
    /// How often it was looked.
    pub looks: u32,
    /// The nodes.
    pub ordinals: NodeSet,
}
