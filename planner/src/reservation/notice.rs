//! What the owner of a reservation is to know.

use super::NamedNodes;
use crate::dialogue::YieldOrder;
use crate::identity::{OfferId, OutageId, ReservationId};
use crate::time::Timestamp;

/// Something that happened to a reservation, told to its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub kind: NoticeKind,
    /// When it was told.
    pub at: Timestamp,
    /// In words.
    pub detail: String,
    /// In words, what can be done.
    pub way_out: String,
}

/// What happened to a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// What was promised no longer holds.
    Degraded(Degradation),
    /// Other nodes took the place of some.
    NodesReplaced(Vec<ReplacedNodes>),
    /// Held offers are no longer possible.
    OffersWithdrawn(Vec<OfferId>, Withdrawal),
    /// It was rejected.
    Rejected(Rejection),
}

/// What a degraded reservation lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Degradation {
    /// The nodes that it lost, by outage.
    pub lost: Vec<LostNodes>,
    /// How many nodes it lost in all; `None` where it lost none.
    pub missing_nodes: Option<u32>,
    /// By which order of giving way it lost its power; `None` where it has its power.
    pub lost_power: Option<YieldOrder>,
    /// The reservation whose offers take its place.
    pub replacement: Option<ReservationId>,
    /// The nodes that took the place of others since it lacks power.
    pub replaced: Vec<ReplacedNodes>,
}

/// Why held offers were withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withdrawal {
    /// The supplier lowered the cap.
    CapLowered,
    /// Their nodes failed.
    NodesLost(Vec<LostNodes>),
}

/// Why a request that waited for the supplier was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// What the supplier granted is not enough.
    PartlyGranted,
    /// The supplier refused.
    Refused,
    /// The supplier did not answer in time.
    Unanswered,
}

/// Nodes that an outage takes from a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostNodes {
    /// The outage.
    pub outage: ToldOutage,
    /// From when on they are lost.
    pub from: Timestamp,
    /// The nodes.
    pub nodes: NamedNodes,
}

/// Nodes that took the place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedNodes {
    /// The offer that they are of.
    pub offer: OfferId,
    /// From when on.
    pub from: Timestamp,
    /// The nodes that were lost.
    pub lost: NamedNodes,
    /// The nodes that took their place.
    pub by: NamedNodes,
    /// The outages that took them.
    pub outages: Vec<ToldOutage>,
}

/// An outage as it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldOutage {
    /// Its id.
    pub id: OutageId,
    /// The operator's words.
    pub reason: String,
    /// Since when.
    pub start: Timestamp,
    /// Until when; `None` where that is not known.
    pub end: Option<Timestamp>,
}

impl Notice {
    /// What a degraded reservation lacks; `None` where the notice is of something else.
    pub const fn degradation(&self) -> Option<&Degradation> {
        match &self.kind {
            NoticeKind::Degraded(degradation) => Some(degradation),
            _ => None,
        }
    }

    /// Whether it says that the reservation lost its power.
    pub const fn tells_of_lost_power(&self) -> bool {
        matches!(self.degradation(), Some(Degradation { lost_power: Some(_), .. }))
    }
}

impl Degradation {
    /// Whether a reservation is degraded for the same causes; which reservation takes its place does
    /// not matter.
    pub fn has_causes_of(&self, other: &Self) -> bool {
        self.lost == other.lost && self.lost_power.is_some() == other.lost_power.is_some()
    }
}

impl Rejection {
    const ALL: [Self; 3] = [Self::PartlyGranted, Self::Refused, Self::Unanswered];

    /// The word used in documents and metrics.
    pub const fn word(self) -> &'static str {
        match self {
            Self::PartlyGranted => "partly_granted",
            Self::Refused => "refused",
            Self::Unanswered => "unanswered",
        }
    }

    /// The reason of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}
