//! A simulation: assembled from a workload, a platform, a policy or a scheduler outside, options and
//! observers, and played.

mod coverage;
mod external_rules;
mod options;
mod utilisation;

use serde::Serialize;

use crate::communication::MachineNetwork;
use crate::kernel::external::{self, Peer, Rules};
use crate::kernel::{self, Cluster, Observer, SimulationError};
use crate::message_log::{LoggedMessage, MessageLogError};
use crate::platform::Platform;
use crate::policy::{Allocation, Combination, PartNames, Setting};
use crate::reservation::Reservation;
use crate::scheduler::Tie;
use crate::summary::{Summary, Tally};
use crate::supplier_tables::SupplierTables;
use crate::workload::{Cleaning, Workload, WorkloadError};

pub use coverage::Uncovered;
use coverage::{Coverage, Needs};
pub use external_rules::external_rules;
pub use options::{NamedOptions, SimulationOptions};
pub use utilisation::UtilisationRules;

/// Who decides which job starts when.
pub enum Decider<'a> {
    /// A policy of ours.
    Policy {
        /// The policy, or the parts that it is made of.
        policy: Combination,
        /// Its own options: names and values.
        options: &'a [(String, String)],
        /// The messages of another simulator that tell the policy's scheduler what happens, where they are to
        /// be replayed.
        message_log: Option<MessageLog<'a>>,
    },
    /// A scheduler outside.
    External {
        /// What it is told at the beginning, and what it may do.
        rules: &'a Rules,
        /// How messages go there and back.
        peer: &'a mut dyn Peer,
    },
}

/// The messages of another simulator, as they are read.
pub type MessageLog<'a> = Box<dyn Iterator<Item = Result<LoggedMessage, MessageLogError>> + 'a>;

/// What a simulation is played on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The machines.
    pub platform: &'a Platform,
    /// What the supplier announced.
    pub tables: &'a SupplierTables,
    /// Whether what the tables do not cover is played all the same.
    pub allows_uncovered: bool,
    /// Machines that are not for jobs for a time.
    pub reservations: &'a [Reservation],
    /// What jobs communicate over, where that takes time; the workload was opened for it.
    pub network: Option<&'a MachineNetwork>,
}

/// A simulation before it is played.
pub struct Simulation<'a> {
    /// What it is played on.
    pub inputs: Inputs<'a>,
    /// What decides which jobs start.
    pub decider: Decider<'a>,
    /// How the scheduler is told of events of one instant.
    pub tie: Tie,
    /// The options that every policy has.
    pub options: SimulationOptions,
    /// Whether observers are to be told which machines a job has; the simulation may need to know it anyway.
    pub tells_machines: bool,
}

/// What came of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimulationResults {
    /// Who decided: a policy's name, or `external`.
    pub policy: &'static str,
    /// What was reserved for waiting jobs.
    pub allocation: Allocation,
    /// How the scheduler was told of events of one instant.
    pub tie: Tie,
    /// The parts of the policy, where any was said.
    #[serde(flatten)]
    pub parts: Option<PartNames>,
    /// Results over all jobs.
    #[serde(flatten)]
    pub summary: Summary,
    /// What became of the workload's jobs before they were played.
    pub workload: Cleaning,
    /// Jobs whose communication took no time, since there was no network.
    pub jobs_communicating: u64,
    /// What the supplier's tables lack of what was played, where that is allowed.
    #[serde(skip)]
    pub uncovered: Vec<Uncovered>,
    /// How long jobs were said to wait, in seconds, where a scheduler outside was asked.
    #[serde(skip)]
    pub estimated_waiting_times: Option<Vec<(String, f64)>>,
}

/// Why a simulation was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The policy's options are wrong, or the platform or the tables lack what it needs.
    #[error("{}", .0.join("; "))]
    Options(Vec<String>),
    /// The simulation ended early.
    #[error(transparent)]
    Simulation(#[from] SimulationError<WorkloadError>),
    /// The supplier's tables do not cover what was played, and that is not allowed.
    #[error("the supplier's tables do not cover the simulation")]
    Uncovered(Vec<Uncovered>),
}

impl Decider<'_> {
    /// The name of who decides, as results state it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Policy { policy, .. } => policy.name(),
            Self::External { .. } => "external",
        }
    }

    /// What is reserved for waiting jobs.
    fn allocation(&self) -> Allocation {
        match self {
            Self::Policy { policy, .. } => policy.allocation(),
            Self::External { .. } => Allocation::Set,
        }
    }

    /// The parts of the policy, where any was said.
    fn part_names(&self) -> Option<PartNames> {
        match self {
            Self::Policy { policy, .. } => policy.part_names(),
            Self::External { .. } => None,
        }
    }

    fn switches(&self) -> bool {
        match self {
            Self::Policy { policy, .. } => policy.switches(),
            Self::External { .. } => true,
        }
    }
}

impl<'a> Inputs<'a> {
    /// What a policy's scheduler is made for.
    const fn setting(&self, tie: Tie, options: &'a [(String, String)]) -> Setting<'a> {
        let Self { platform, tables, reservations, .. } = *self;
        Setting { platform, tie, options, tables, reservations }
    }
}

impl<'a> Simulation<'a> {
    /// Checks the policy's options, on this platform and with these tables.
    ///
    /// # Errors
    /// Everything that is wrong with them; an error begins with the name of its option.
    pub fn check_options(&self) -> Result<(), Vec<String>> {
        match self.decider {
            Decider::Policy { policy, options, .. } => {
                policy.scheduler(&self.inputs.setting(self.tie, options)).map(drop)
            }
            Decider::External { .. } => Ok(()),
        }
    }

    /// Checks that the supplier's tables cover what the simulation is known to rest on before it is played.
    ///
    /// # Errors
    /// What they lack, where that is not allowed.
    pub fn check_coverage(&self) -> Result<(), Vec<Uncovered>> {
        let lacking =
            if self.inputs.allows_uncovered { Vec::new() } else { self.needs().lacking_before() };
        if lacking.is_empty() { Ok(()) } else { Err(lacking) }
    }

    /// Plays a workload; `observer` is told what happens.
    ///
    /// # Errors
    /// Wrong options; a workload that cannot be read; decisions that cannot be carried out; an output that
    /// fails; at the end tables that do not cover what was played.
    pub fn play(
        self,
        workload: &mut Workload,
        observer: &mut impl Observer,
    ) -> Result<SimulationResults, PlayError> {
        let (of_trace, rules) = (workload.delays_compute(), self.options.utilisation);
        let cluster = self.cluster(rules.delays_compute.unwrap_or(of_trace));
        let (needs, allows_uncovered) = (self.needs(), self.inputs.allows_uncovered);
        let (policy, tie) = (self.decider.name(), self.tie);
        let (allocation, parts) = (self.decider.allocation(), self.decider.part_names());
        let mut observers = (Tally::new(self.options.tau), observer);
        let jobs = workload.by_ref().map(|job| job.map(|job| rules.apply(job, of_trace)));
        let mut estimated_waiting_times = None;
        match self.decider {
            Decider::External { rules, peer } => {
                let outcome = external::play(jobs, cluster, rules, peer, &mut observers)?;
                let told = rules.ask_waiting_times.then_some(outcome.estimated_waiting_times);
                estimated_waiting_times = told;
            }
            Decider::Policy { policy, options, message_log } => {
                let scheduler = policy.scheduler(&self.inputs.setting(tie, options));
                let mut scheduler = scheduler.map_err(PlayError::Options)?;
                let scheduler = scheduler.as_mut();
                match message_log {
                    Some(log) => kernel::replay(jobs, log, cluster, scheduler, &mut observers)?,
                    None => kernel::simulate(jobs, cluster, scheduler, &mut observers)?,
                }
            }
        }
        let (tally, _) = observers;
        let coverage = tally.metered_until().map(|end| needs.covered_until(end));
        let Coverage { cap_share, uncovered } = coverage.unwrap_or_default();
        if !uncovered.is_empty() && !allows_uncovered {
            return Err(PlayError::Uncovered(uncovered));
        }
        let summary = tally.summary(cluster.platform.machines());
        Ok(SimulationResults {
            policy,
            allocation,
            tie,
            parts,
            summary: Summary { power_cap_covered_share: cap_share, ..summary },
            workload: workload.cleaning(),
            jobs_communicating: workload.jobs_communicating(),
            uncovered,
            estimated_waiting_times,
        })
    }

    /// What the kernel plays on.
    fn cluster(&self, delays_compute: bool) -> Cluster<'a> {
        let (Inputs { platform, tables, network, .. }, tie) = (self.inputs, self.tie);
        let machines_matter = self.decider.allocation() == Allocation::Set
            || self.decider.switches()
            || !self.inputs.reservations.is_empty()
            || platform.has_draws()
            || network.is_some()
            || !platform.one_speed();
        let places = self.tells_machines || machines_matter;
        let launch = self.options.launch;
        let tables = Some(tables);
        Cluster { platform, tie, launch, places, delays_compute, tables, network }
    }

    /// What of the supplier's tables it rests on.
    fn needs(&self) -> Needs<'a> {
        let policy = match self.decider {
            Decider::Policy { policy, options, .. } => policy.goes_by(options),
            Decider::External { .. } => None,
        };
        let Inputs { platform, tables, .. } = self.inputs;
        Needs { tables, bills: platform.has_draws(), policy }
    }
}
