//! Simulations: experiments played in the background, and who plays them.

pub(crate) mod error;
mod event;
mod repository;
mod row;
pub mod sql;

use planner::time::Timestamp;

use crate::identity::{SimulationId, WorkerId};
use crate::words::worded;

worded! {
    /// Where a simulation stands.
    SimulationState {
        /// Waits for a worker.
        Queued = "queued",
        /// A worker has it, or had it until its lease ran out.
        Running = "running",
        /// All results are there.
        Finished = "finished",
        /// It cannot be played; the error says why.
        Failed = "failed",
        /// Somebody stopped it.
        Cancelled = "cancelled",
    }
}

/// A simulation to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSimulation {
    /// Lists are ordered by it: a UUID of version 7.
    pub id: SimulationId,
    /// The user who owns it.
    pub owner: String,
    /// What was asked for, as it is shown: JSON.
    pub experiment: String,
    /// The rest of what it is played with: JSON.
    pub inputs: String,
    /// What a person should know of how its inputs were read: a JSON list.
    pub notes: String,
    /// How many cells.
    pub cells: u32,
    /// Runs of all cells.
    pub runs: u32,
    /// When it was asked for.
    pub created: Timestamp,
}

/// How many simulations may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationQueue {
    /// Of all owners.
    pub most: u32,
    /// Of the owner of the new one; `None` where that is not limited.
    pub most_of_owner: Option<u32>,
}

/// A simulation without its inputs and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Its id.
    pub id: SimulationId,
    /// The user who owns it.
    pub owner: String,
    /// Where it stands.
    pub state: SimulationState,
    /// As in [`NewSimulation`].
    pub experiment: String,
    /// As in [`NewSimulation`].
    pub notes: String,
    /// How many cells.
    pub cells: u32,
    /// Runs of all cells.
    pub runs: u32,
    /// Of these, finished.
    pub runs_done: u32,
    /// As its worker estimates.
    pub time_left_s: Option<i64>,
    /// When it was asked for.
    pub created: Timestamp,
    /// When a worker first took it.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Why it failed, in words.
    pub error: Option<String>,
    /// Grows with every change that watchers are told.
    pub version: i64,
}

/// Which simulations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationFilter {
    /// In one of these states; any where empty.
    pub states: Vec<SimulationState>,
    /// Only this owner's.
    pub owner: Option<String>,
}

/// A simulation that a worker has, until its lease runs out unless renewed. What a worker writes
/// without the lease is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationLease {
    /// Its id.
    pub id: SimulationId,
    /// Who has it.
    pub worker: WorkerId,
}

/// What a worker needs to play a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedSimulation {
    /// The right to write.
    pub lease: SimulationLease,
    /// As in [`NewSimulation`].
    pub experiment: String,
    /// As in [`NewSimulation`].
    pub inputs: String,
    /// Runs of all cells.
    pub runs: u32,
    /// Of these, in the journal.
    pub runs_done: u32,
    /// Claims since a run was last finished, this one included.
    pub attempts: u32,
}

/// A finished run in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalledRun {
    /// Of which cell, from 1.
    pub cell: u32,
    /// Its number, from 0.
    pub run: u32,
    /// What was played: JSON.
    pub played: String,
}

impl SimulationState {
    /// Whether nothing will change any more.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}
