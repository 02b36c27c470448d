//! Power limits of nodes, in watts.

use planner::power_action::PowerReading;
use planner::quantity::Power;

/// A power limit that a node is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerLimit {
    /// It draws no more than so many watts.
    Watts(u32),
    /// It is not limited.
    Unlimited,
}

/// What was read of a node's power limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitReading {
    /// It is limited to this power.
    Limited(Power),
    /// It is not limited.
    Unlimited,
    /// That could not be read, with why. That says nothing of a limit.
    Unknown(String),
}

impl PowerLimit {
    /// So much in whole watts, as many as can be said at the most; unlimited for `None`.
    pub fn of(limit: Option<Power>) -> Self {
        let watts = |power: Power| power.as_microwatts().div_euclid(1_000_000);
        limit
            .map_or(Self::Unlimited, |it| Self::Watts(u32::try_from(watts(it)).unwrap_or(u32::MAX)))
    }
}

impl LimitReading {
    /// As whoever follows power actions takes it.
    pub fn reading(self) -> PowerReading {
        match self {
            Self::Limited(limit) => PowerReading::Limited(Some(limit)),
            Self::Unlimited => PowerReading::Limited(None),
            Self::Unknown(because) => PowerReading::Unknown(because),
        }
    }

    /// Whether the limit was seen to be just this one.
    pub fn is(&self, limit: PowerLimit) -> bool {
        match (self, limit) {
            (Self::Limited(power), PowerLimit::Watts(watts)) => *power == of_watts(watts),
            (Self::Unlimited, PowerLimit::Unlimited) => true,
            _ => false,
        }
    }
}

/// So many watts.
pub(crate) const fn of_watts(watts: u32) -> Power {
    Power::from_microwatts(watts as i64 * 1_000_000)
}
