//! The states of a reservation, and what may follow each of them.
//!
//! ```text
//! awaiting_supplier -> proposed -> confirmed -> active -> completed
//!        |                |           |           |
//!        +----------------+-----------+-----------+--> cancelled, rejected, failed
//!                         +--> expired
//! ```
//!
//! A confirmed reservation whose span has passed was never seen running: it becomes completed at once.

use crate::time::{Span, Timestamp};

/// How far a reservation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReservationState {
    /// Its offers are held until they expire.
    Proposed,
    /// An offer was chosen and has yet to start.
    Confirmed,
    /// It runs.
    Active,
    /// It ran to its end.
    Completed,
    /// The owner ended it.
    Cancelled,
    /// Nothing was chosen in time.
    Expired,
    /// The supplier refused the power, or no offer is left.
    Rejected,
    /// The cluster could not keep it.
    Failed,
    /// Extra power is asked for; there are no offers yet.
    AwaitingSupplier,
}

/// How a reservation is ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// By its owner.
    Cancelled,
    /// By the supplier.
    Rejected,
    /// By the cluster.
    Failed,
}

impl ReservationState {
    /// All states.
    pub const ALL: [Self; 9] = [
        Self::Proposed,
        Self::Confirmed,
        Self::Active,
        Self::Completed,
        Self::Cancelled,
        Self::Expired,
        Self::Rejected,
        Self::Failed,
        Self::AwaitingSupplier,
    ];

    /// The states of reservations that hold nodes and power.
    pub const LIVE: [Self; 3] = [Self::Proposed, Self::Confirmed, Self::Active];

    /// The states that may follow; none where it has ended.
    pub const fn followers(self) -> &'static [Self] {
        use ReservationState::{
            Active, Cancelled, Completed, Confirmed, Expired, Failed, Proposed, Rejected,
        };
        match self {
            Self::AwaitingSupplier => &[Proposed, Cancelled, Rejected, Failed],
            Self::Proposed => &[Confirmed, Expired, Cancelled, Rejected, Failed],
            Self::Confirmed => &[Active, Completed, Cancelled, Rejected, Failed],
            Self::Active => &[Completed, Cancelled, Rejected, Failed],
            Self::Completed | Self::Cancelled | Self::Expired | Self::Rejected | Self::Failed => {
                &[]
            }
        }
    }

    /// Whether a reservation in this state may be in `next` after it.
    pub fn may_become(self, next: Self) -> bool {
        self.followers().contains(&next)
    }

    /// Whether nothing can follow.
    pub const fn is_final(self) -> bool {
        self.followers().is_empty()
    }

    /// The state that time makes of this one at `now`: holds expire, and what was chosen begins and
    /// ends by its span.
    pub(super) fn moved_on(self, now: Timestamp, expires: Timestamp, chosen: Option<Span>) -> Self {
        match (self, chosen) {
            (Self::Proposed, _) if expires <= now => Self::Expired,
            (Self::Confirmed | Self::Active, Some(span)) if span.end() <= now => Self::Completed,
            (Self::Confirmed, Some(span)) if span.start() <= now => Self::Active,
            (state, _) => state,
        }
    }

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Confirmed => "confirmed",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::AwaitingSupplier => "awaiting_supplier",
        }
    }

    /// The state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

impl From<Ending> for ReservationState {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Cancelled => Self::Cancelled,
            Ending::Rejected => Self::Rejected,
            Ending::Failed => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    #[test]
    fn time_makes_only_what_may_follow() {
        let span = Span::new(at(10), at(20));
        for state in ReservationState::ALL {
            for second in 0..30 {
                let moved = state.moved_on(at(second), at(15), span);
                assert!(moved == state || state.may_become(moved), "{state:?} {second} {moved:?}");
            }
        }
    }

    #[test]
    fn what_has_not_ended_may_be_ended_by_anybody_who_may() {
        for state in ReservationState::ALL.into_iter().filter(|state| !state.is_final()) {
            for ending in [Ending::Cancelled, Ending::Rejected, Ending::Failed] {
                assert!(state.may_become(ending.into()), "{state:?} {ending:?}");
            }
        }
        assert_eq!(ReservationState::ALL.iter().filter(|state| state.is_final()).count(), 5);
    }
}
