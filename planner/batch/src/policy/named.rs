//! The policies that have names, and the parts that each of them is made of.

use std::fmt;
use std::str::FromStr;

use super::backfill::{CONSERVATIVE, CONSERVATIVE_NO_COMPRESSION, EASY};
use super::fit::{contiguous, local, set};
use super::gate::{energy_budget, power_cap};
use super::order::{ljf, sjf};
use super::parts::Parts;
use super::switching::{inertial, opportunistic, proportional};

/// The name of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// First come, first served.
    Fcfs,
    /// Shortest walltime first.
    Sjf,
    /// Longest walltime first.
    Ljf,
    /// Machines in turn.
    RoundRobin,
    /// EASY backfilling.
    Easy,
    /// Conservative backfilling.
    Conservative,
    /// Conservative backfilling that plans no job twice.
    ConservativeNoCompression,
    /// Conservative backfilling on neighbours.
    ConservativeContiguous,
    /// Conservative backfilling on neighbours, if possible.
    ConservativeBestEffortContiguous,
    /// Conservative backfilling on machines of one group.
    ConservativeLocal,
    /// Conservative backfilling on machines of one group, if possible.
    ConservativeBestEffortLocal,
    /// EASY backfilling with opportunistic shutdown.
    OpportunisticShutdown,
    /// EASY backfilling with proportional shutdown.
    ProportionalShutdown,
    /// EASY backfilling with inertial shutdown.
    InertialShutdown,
    /// EASY backfilling beside advance reservations.
    EasyReservations,
    /// EASY backfilling under a power cap.
    PowerCap,
    /// EASY backfilling under an energy budget.
    EnergyBud,
    /// EASY backfilling under an energy budget that works like a cap.
    ReducePc,
}

/// Not the name of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a policy: {}", Policy::ALL.map(Policy::name).join(", "))]
pub struct PolicyError;

impl Policy {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Fcfs,
        Self::RoundRobin,
        Self::Sjf,
        Self::Ljf,
        Self::Easy,
        Self::Conservative,
        Self::ConservativeNoCompression,
        Self::ConservativeContiguous,
        Self::ConservativeBestEffortContiguous,
        Self::ConservativeLocal,
        Self::ConservativeBestEffortLocal,
        Self::OpportunisticShutdown,
        Self::ProportionalShutdown,
        Self::InertialShutdown,
        Self::EasyReservations,
        Self::PowerCap,
        Self::EnergyBud,
        Self::ReducePc,
    ];

    /// Its name in commands and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fcfs => "fcfs",
            Self::Sjf => "sjf",
            Self::Ljf => "ljf",
            Self::RoundRobin => "round_robin",
            Self::Easy => "easy",
            Self::Conservative => "conservative",
            Self::ConservativeNoCompression => "conservative_no_compression",
            Self::ConservativeContiguous => "conservative_contiguous",
            Self::ConservativeBestEffortContiguous => "conservative_best_effort_contiguous",
            Self::ConservativeLocal => "conservative_local",
            Self::ConservativeBestEffortLocal => "conservative_best_effort_local",
            Self::OpportunisticShutdown => "opportunistic_shutdown",
            Self::ProportionalShutdown => "proportional_shutdown",
            Self::InertialShutdown => "inertial_shutdown",
            Self::EasyReservations => "easy_reservations",
            Self::PowerCap => "power_cap",
            Self::EnergyBud => "energy_bud",
            Self::ReducePc => "reduce_pc",
        }
    }

    /// The parts that it is made of; none where machines are dealt in turn, which has no queue.
    pub const fn parts(self) -> Option<Parts> {
        let strict = Parts::STRICT;
        let easy = Parts { backfill: &EASY, ..strict };
        let conservative = Parts { backfill: &CONSERVATIVE, rested_first: true, ..strict };
        let parts = match self {
            Self::RoundRobin => return None,
            Self::Fcfs => strict,
            Self::Sjf => Parts { order: &sjf::ORDER, ..strict },
            Self::Ljf => Parts { order: &ljf::ORDER, ..strict },
            Self::Easy => easy,
            Self::Conservative => conservative,
            Self::ConservativeNoCompression => {
                Parts { backfill: &CONSERVATIVE_NO_COMPRESSION, ..conservative }
            }
            Self::ConservativeContiguous => Parts { fit: &contiguous::FIT, ..conservative },
            Self::ConservativeBestEffortContiguous => {
                Parts { fit: &contiguous::BEST_EFFORT, ..conservative }
            }
            Self::ConservativeLocal => Parts { fit: &local::FIT, ..conservative },
            Self::ConservativeBestEffortLocal => Parts { fit: &local::BEST_EFFORT, ..conservative },
            Self::OpportunisticShutdown => Parts { switching: &opportunistic::SWITCHING, ..easy },
            Self::ProportionalShutdown => Parts { switching: &proportional::SWITCHING, ..easy },
            Self::InertialShutdown => Parts { switching: &inertial::SWITCHING, ..easy },
            Self::EasyReservations => Parts { fit: &set::FIT, ..easy },
            Self::PowerCap => Parts { gate: &power_cap::GATE, ..easy },
            Self::EnergyBud => Parts { gate: &energy_budget::ENERGY_BUD, ..easy },
            Self::ReducePc => Parts { gate: &energy_budget::REDUCE_PC, ..easy },
        };
        Some(parts)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = PolicyError;
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        Self::ALL.into_iter().find(|policy| policy.name() == text).ok_or(PolicyError)
    }
}
