//! What is told of jobs of units while they are played.

use std::io;

use planner::quantity::Energy;

use super::free::UnitsOnNode;
use super::job_supply::JobSupply;
use super::jobs::UnitJob;
use crate::kernel::JobEnd;
use crate::time::Time;

/// A job that has ended.
#[derive(Clone, Copy, Debug)]
pub struct UnitPlayed<'a> {
    /// The job.
    pub job: &'a UnitJob,
    /// How long it was taken to last.
    pub estimate: Time,
    /// The instant at which it started.
    pub started: Time,
    /// The instant at which it ended.
    pub finished: Time,
    /// Where its units ran, kind by kind.
    pub places: &'a [UnitsOnNode],
    /// The way in which it ended.
    pub end: JobEnd,
    /// What it consumed, where that is known.
    pub energy: Option<Energy>,
    /// What it was taken to draw, what it came to, and what its window saved.
    pub supply: JobSupply,
}

/// A job that starts.
#[derive(Clone, Copy, Debug)]
pub struct UnitStarted<'a> {
    /// The job.
    pub job: &'a UnitJob,
    /// The instant.
    pub now: Time,
    /// Where its units run.
    pub places: &'a [UnitsOnNode],
    /// What it takes over what was free on these nodes before, all resources added up (2.7).
    pub efficiency: f64,
}

/// Why a job is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRefusal {
    /// It has no unit, or its units ask for nothing of a node.
    AsksForNothing,
    /// No node has what a unit asks for.
    NoNodeHoldsIt,
    /// The empty system does not hold all its units.
    TooManyUnits,
    /// It asks for more than its queue allows.
    AboveTheQueue,
    /// It would take more than its user's budget has, whenever it starts.
    AboveTheBudget,
    /// It would draw more than any cap allows.
    AboveTheCap,
}

impl UnitRefusal {
    /// The reason as `jobs.csv` states it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::AsksForNothing => "asks for nothing",
            Self::NoNodeHoldsIt => "no node ever holds a unit of it",
            Self::TooManyUnits => "the empty system does not hold all its units",
            Self::AboveTheQueue => "above what its queue allows",
            Self::AboveTheBudget => "above its user's budget whenever it starts",
            Self::AboveTheCap => "above the power cap whenever it starts",
        }
    }
}

/// The state after a decision.
#[derive(Clone, Copy, Debug)]
pub struct UnitStep<'a> {
    /// The instant.
    pub now: Time,
    /// Jobs that run.
    pub running: usize,
    /// Jobs that wait.
    pub waiting: usize,
    /// What is used of each resource: of nodes by position, then of what is shared.
    pub used: &'a [u64],
}

/// Sees what happens.
pub trait UnitObserver {
    /// A job ended.
    ///
    /// # Errors
    /// Those of an output.
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()>;

    /// A job starts.
    ///
    /// # Errors
    /// Those of an output.
    fn started(&mut self, _started: &UnitStarted<'_>) -> io::Result<()> {
        Ok(())
    }

    /// A job was refused.
    ///
    /// # Errors
    /// Those of an output.
    fn refused(&mut self, _job: &UnitJob, _why: UnitRefusal) -> io::Result<()> {
        Ok(())
    }

    /// It was decided which jobs start; only told where [`UnitObserver::wants_steps`].
    ///
    /// # Errors
    /// Those of an output.
    fn decided(&mut self, _step: &UnitStep<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Whether it wants to be told of every decision.
    fn wants_steps(&self) -> bool {
        false
    }
}
