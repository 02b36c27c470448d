//! Policies: which waiting job starts when, and where.
//!
//! | name | rule |
//! |---|---|
//! | `fcfs` | in order of submission; who does not fit holds up the others |
//! | `sjf`, `ljf` | the same, shortest or longest walltime first |
//! | `round_robin` | machines are dealt in turn at submission (Simbatch) |
//! | `easy` | EASY backfilling: the first waiting job has a guaranteed start |
//! | `easy_reservations` | EASY beside advance reservations of machines |
//! | `conservative` | conservative backfilling: every waiting job has one, which moves forward when jobs end early |
//! | `conservative_no_compression` | the same, but it does not move |
//! | `conservative_contiguous` | as `conservative`, on machines that are neighbours |
//! | `conservative_best_effort_contiguous` | on neighbours where there are such at the earliest instant |
//! | `conservative_local` | as `conservative`, on machines of one group |
//! | `conservative_best_effort_local` | on machines of one group where there are such at the earliest instant |
//! | `opportunistic_shutdown` | EASY; idle machines are switched off |
//! | `proportional_shutdown` | EASY on a share of the machines; the others are switched off |
//! | `inertial_shutdown` | EASY on as many machines as the liquid load horizon asks for |
//! | `power_cap` | EASY; the cluster draws no more than a cap, which may change over time |
//! | `energy_bud` | EASY; the cluster consumes no more than a budget that becomes available over time |
//! | `reduce_pc` | the same, nearer to a cap |
//!
//! A scheduler sees what was asked, never how long a job will run. It counts free machines by
//! itself; the kernel refuses what contradicts its own count. A new policy is one file here.

mod conservative;
mod conservative_set;
mod easy;
mod easy_reservations;
mod easy_set;
mod energy_budget;
mod fcfs;
mod help;
mod in_order;
mod inertial;
mod ljf;
mod opportunistic;
mod options;
mod power_cap;
mod proportional;
mod round_robin;
mod sjf;
mod sleeping;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::platform::Platform;
use crate::reservation::Reservation;
use crate::scheduler::{JobKey, Scheduler, Tie};
use crate::set_profile::Selection;
use crate::supplier_tables::SupplierTables;
pub use help::{COMMON_OPTIONS, PolicyOption, nearest, no_option, options_help};
use options::Options;

/// The rule that is played.
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

/// What a backfilling scheduler reserves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocation {
    /// So many machines: which ones is settled at the start.
    #[default]
    Count,
    /// These machines, the lowest that are free then.
    Set,
}

/// What a scheduler is made for.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Its machines.
    pub platform: &'a Platform,
    /// What backfilling reserves.
    pub allocation: Allocation,
    /// How it is told of events.
    pub tie: Tie,
    /// The policy's own parameters: names and values.
    pub options: &'a [(String, String)],
    /// What energy costs and emits, and caps, where there are tables of them.
    pub tables: &'a SupplierTables,
    /// Machines that are not for jobs, for a time.
    pub reservations: &'a [Reservation],
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

    /// Whether it is about machines and not about their number.
    pub const fn chooses_machines(self) -> bool {
        matches!(
            self,
            Self::RoundRobin
                | Self::EasyReservations
                | Self::ConservativeContiguous
                | Self::ConservativeBestEffortContiguous
                | Self::ConservativeLocal
                | Self::ConservativeBestEffortLocal
        )
    }

    /// Whether it may switch machines off and on.
    pub const fn switches(self) -> bool {
        matches!(
            self,
            Self::OpportunisticShutdown
                | Self::ProportionalShutdown
                | Self::InertialShutdown
                | Self::PowerCap
                | Self::EnergyBud
                | Self::ReducePc
        )
    }

    /// A scheduler. The allocation makes a difference to backfilling only, where the policy leaves a
    /// choice.
    ///
    /// # Errors
    /// Everything that is wrong with the options, and what the platform lacks.
    pub fn scheduler(self, setting: &Setting<'_>) -> Result<Box<dyn Scheduler>, Vec<String>> {
        let mut options = Options::new(setting.options);
        let scheduler = self.build(setting, &mut options);
        if !setting.reservations.is_empty() && self != Self::EasyReservations {
            options.wrong("reservations are kept by easy_reservations only");
        }
        options.finish(self)?;
        Ok(scheduler)
    }

    fn build(self, setting: &Setting<'_>, options: &mut Options<'_>) -> Box<dyn Scheduler> {
        let Setting { platform, allocation, tie, .. } = *setting;
        let machines = platform.machines();
        match (self, allocation) {
            (Self::Fcfs, _) => Box::new(fcfs::scheduler(machines)),
            (Self::Sjf, _) => Box::new(sjf::scheduler(machines)),
            (Self::Ljf, _) => Box::new(ljf::scheduler(machines)),
            (Self::RoundRobin, _) => Box::new(round_robin::RoundRobin::new(machines)),
            (Self::Easy, Allocation::Count) => Box::new(easy::Easy::new(machines, tie)),
            (Self::Easy, Allocation::Set) => Box::new(easy_set::EasySet::new(machines)),
            (Self::Conservative | Self::ConservativeNoCompression, Allocation::Count) => {
                let scheduler = conservative::Conservative::new(machines, tie);
                if self.compresses(options) {
                    Box::new(scheduler)
                } else {
                    Box::new(scheduler.without_compression())
                }
            }
            (
                Self::Conservative
                | Self::ConservativeNoCompression
                | Self::ConservativeContiguous
                | Self::ConservativeBestEffortContiguous
                | Self::ConservativeLocal
                | Self::ConservativeBestEffortLocal,
                _,
            ) => self.conservative_set(platform, options),
            (Self::OpportunisticShutdown, _) => opportunistic::scheduler(setting, options),
            (Self::ProportionalShutdown, _) => proportional::scheduler(setting, options),
            (Self::InertialShutdown, _) => inertial::scheduler(setting, options),
            (Self::EasyReservations, _) => {
                Box::new(easy_reservations::EasyReservations::new(setting))
            }
            (Self::PowerCap, _) => power_cap::scheduler(setting, options),
            (Self::EnergyBud, _) => energy_budget::scheduler(setting, options, false),
            (Self::ReducePc, _) => energy_budget::scheduler(setting, options, true),
        }
    }
}

impl Policy {
    /// Whether waiting jobs move to earlier places when jobs end early.
    fn compresses(self, options: &mut Options<'_>) -> bool {
        self != Self::ConservativeNoCompression && options.flag("compression", true)
    }

    /// Conservative backfilling over machines, selected as the variant says.
    fn conservative_set(
        self,
        platform: &Platform,
        options: &mut Options<'_>,
    ) -> Box<dyn Scheduler> {
        let selection = match self {
            Self::ConservativeContiguous => Selection::Neighbours,
            Self::ConservativeBestEffortContiguous => Selection::NeighboursIfPossible,
            Self::ConservativeLocal => Selection::Local(options.groups(platform)),
            Self::ConservativeBestEffortLocal => {
                Selection::LocalIfPossible(options.groups(platform))
            }
            _ => Selection::Lowest,
        };
        let scheduler = conservative_set::ConservativeSet::new(platform.machines(), selection);
        if self.compresses(options) {
            Box::new(scheduler)
        } else {
            Box::new(scheduler.without_compression())
        }
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

/// A table of what a scheduler knows of jobs, by key.
#[derive(Debug)]
struct ByKey<T>(Vec<Option<T>>);

impl<T> ByKey<T> {
    const fn new() -> Self {
        Self(Vec::new())
    }

    fn insert(&mut self, key: JobKey, value: T) {
        if self.0.len() <= key.index() {
            self.0.resize_with(key.index() + 1, || None);
        }
        self.0[key.index()] = Some(value);
    }

    fn get_mut(&mut self, key: JobKey) -> Option<&mut T> {
        self.0.get_mut(key.index()).and_then(Option::as_mut)
    }

    fn remove(&mut self, key: JobKey) -> Option<T> {
        self.0.get_mut(key.index()).and_then(Option::take)
    }
}
