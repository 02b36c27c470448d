//! The state of the database that plans rest on: what is newer than what is known.

mod changes;
mod row;
pub mod sql;

use planner::agenda::Piece;
use planner::dialogue::Grant;
use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::project::Projects;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};

use crate::access::ApiToken;
use crate::agendas::{ProvenPiece, Quantity};
use crate::book::Marks;
use crate::nodes::StoredNodes;
use crate::outages::Outage;
use crate::people::Person;
use crate::quota_adjustments::StoredQuotaAdjustment;

/// Everything that is newer than marks, read in one transaction; `None` where nothing of a kind is.
#[derive(Clone, Debug)]
pub struct Changes {
    /// How far this is.
    pub marks: Marks,
    /// The nodes of the newest epoch.
    pub nodes: Option<StoredNodes>,
    /// What is in force of all agendas.
    pub agendas: Option<AgendaPieces>,
    /// What is held.
    pub book: BookChanges,
    /// Whose the reservations are that are newer and may hold something.
    pub holders: Vec<Holder>,
    /// Those that have yet to end.
    pub outages: Option<Vec<Outage>>,
    /// Grants that have yet to end and stand.
    pub grants: Option<Vec<Grant>>,
    /// Quota adjustments that something that is held may have been judged by.
    pub quota_adjustments: Option<Vec<StoredQuotaAdjustment>>,
    /// Who may ask.
    pub access: Option<KnownCallers>,
}

/// Who may ask.
#[derive(Clone, Debug)]
pub struct KnownCallers {
    /// All tokens, revoked ones too.
    pub tokens: Vec<ApiToken>,
    /// Everybody who ever signed in at an issuer.
    pub people: Vec<Person>,
    /// All projects.
    pub projects: Projects,
}

/// What is held that is newer.
#[derive(Clone, Debug)]
pub enum BookChanges {
    /// Everything that is held.
    All(Vec<Holding>),
    /// What these reservations hold now, which may be nothing.
    Of(Vec<ReservationId>, Vec<Holding>),
}

/// Whose a reservation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// The name of the user.
    pub owner: String,
    /// The request as it was understood, as JSON.
    pub request: String,
}

/// Nodes that a reservation holds during a span; those of one reservation are alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The reservation.
    pub reservation_id: ReservationId,
    /// For an offer that was not chosen yet: until when it is held.
    pub held_until: Option<Timestamp>,
    /// The time for which the nodes are held.
    pub span: Span,
    /// The nodes, as ranks in the newest epoch's draw order.
    pub ranks: NodeSet,
    /// The most that they draw in their slower state; `None` at full speed.
    pub slowed_peak: Option<Power>,
}

/// The pieces in force of all agendas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaPieces {
    /// Prices.
    pub price: Vec<Piece<EnergyPrice>>,
    /// CO2 intensities.
    pub co2: Vec<Piece<CarbonIntensity>>,
    /// Caps; `None` where no cap was ever announced.
    pub power_cap: Option<Vec<Piece<Power>>>,
    /// The pieces with what they rest on.
    pub proven: Vec<(Quantity, Vec<ProvenPiece>)>,
}
