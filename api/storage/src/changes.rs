//! The book as it is kept in memory: how far it is, and what is newer.

use planner::agenda::Piece;
use planner::node_set::NodeSet;
use planner::quantity::{CarbonIntensity, EnergyPrice, Power};
use planner::time::{Span, Timestamp};

use crate::access::ApiToken;
use crate::agenda::{ProvenPiece, Quantity};
use crate::identity::{EpochId, ReservationId};
use crate::negotiation::Grant;
use crate::nodes::StoredNodes;
use crate::outage::Outage;

/// How far the database is. Every transaction that writes counts in `changes`; the others are the
/// count at which their part last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Marks {
    /// What a proposal must name: grows with what can make an earlier plan wrong.
    pub version: i64,
    /// Grows with every transaction that writes.
    pub changes: i64,
    /// When agendas were last put.
    #[sqlx(rename = "agendas_changed")]
    pub agendas: i64,
    /// When outages last changed.
    #[sqlx(rename = "outages_changed")]
    pub outages: i64,
    /// When tokens were last made or revoked.
    #[sqlx(rename = "tokens_changed")]
    pub tokens: i64,
    /// When grants of extra power last changed.
    #[sqlx(rename = "grants_changed")]
    pub grants: i64,
    /// The newest epoch; none before the first nodes.
    pub epoch: Option<EpochId>,
}

/// The state of the database that a plan rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanBasis {
    /// See [`Marks::version`].
    pub version: i64,
    /// See [`Marks::changes`].
    pub changes: i64,
}

impl From<Marks> for PlanBasis {
    fn from(Marks { version, changes, .. }: Marks) -> Self {
        Self { version, changes }
    }
}

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
    /// Those that have yet to end.
    pub outages: Option<Vec<Outage>>,
    /// Grants that have yet to end and stand.
    pub grants: Option<Vec<Grant>>,
    /// All tokens, revoked ones too.
    pub tokens: Option<Vec<ApiToken>>,
}

/// What is held that is newer.
#[derive(Clone, Debug)]
pub enum BookChanges {
    /// Everything that is held.
    All(Vec<Holding>),
    /// What these reservations hold now, which may be nothing.
    Of(Vec<ReservationId>, Vec<Holding>),
}

/// Nodes that a reservation holds during a span; those of one reservation are alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Whose.
    pub reservation_id: ReservationId,
    /// For an offer that was not chosen yet: until when it is held.
    pub held_until: Option<Timestamp>,
    /// When.
    pub span: Span,
    /// Which nodes, as ranks in the newest epoch's draw order.
    pub ranks: NodeSet,
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
    /// The same pieces with what they rest on.
    pub proven: Vec<(Quantity, Vec<ProvenPiece>)>,
}
