//! Simulations.

use planner::time::Timestamp;

use super::{Database, Engine};
use crate::error::StorageError;
use crate::idempotency::IdempotencyRecord;
use crate::identity::{SimulationId, WorkerId};
use crate::simulations::error::EnqueueError;
use crate::simulations::{
    ClaimedSimulation, JournalledRun, NewSimulation, Simulation, SimulationFilter, SimulationLease,
    SimulationQueue,
};

/// Simulations, for those who ask for them.
impl Database {
    /// Stores a simulation that waits for a worker, unless as many wait already as the queue holds.
    /// The answer to be remembered is stored in the same transaction.
    ///
    /// # Errors
    /// [`EnqueueError::QueueFull`], [`EnqueueError::QueueFullForOwner`], [`EnqueueError::IdempotencyKeyReused`].
    pub async fn enqueue_simulation(
        &self,
        new: &NewSimulation,
        queue: SimulationQueue,
        idempotency: Option<&IdempotencyRecord>,
    ) -> Result<(), EnqueueError> {
        on_engine!(self.enqueue_simulation(new, queue, idempotency))
    }

    /// How many wait for a worker.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn queued_simulations(&self) -> Result<u64, StorageError> {
        on_engine!(self.queued_simulations())
    }

    /// One simulation.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn simulation(&self, id: SimulationId) -> Result<Option<Simulation>, StorageError> {
        on_engine!(self.simulation(id))
    }

    /// A page of simulations in the order of their ids, after the cursor, at most `limit`.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn simulations(
        &self,
        filter: &SimulationFilter,
        after: Option<SimulationId>,
        limit: u16,
    ) -> Result<Vec<Simulation>, StorageError> {
        on_engine!(self.simulations(filter, after, limit))
    }

    /// A file of a finished cell, from 1; of the whole grid, 0.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn simulation_result(
        &self,
        id: SimulationId,
        cell: u32,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        on_engine!(self.simulation_result(id, cell, name))
    }

    /// Stops a simulation at `now`; the results of finished cells stay. `false` where it is unknown
    /// or has ended.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn cancel_simulation(
        &self,
        id: SimulationId,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.cancel_simulation(id, now))
    }

    /// Removes a simulation that has ended, with its results. `false` where it is unknown or has
    /// not.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn remove_simulation(&self, id: SimulationId) -> Result<bool, StorageError> {
        on_engine!(self.remove_simulation(id))
    }
}

/// Simulations, for workers. A worker has a simulation until its lease runs out, and others may
/// take it then; what it writes is refused, by `false`, as soon as it does not have it.
impl Database {
    /// Gives the oldest simulation that waits, or whose lease ran out before `now`, to a worker.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn claim_simulation(
        &self,
        worker: WorkerId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedSimulation>, StorageError> {
        on_engine!(self.claim_simulation(worker, now, until))
    }

    /// Prolongs a lease.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn renew_simulation(
        &self,
        lease: SimulationLease,
        until: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.renew_simulation(lease, until))
    }

    /// The finished runs of a cell, from 1, by number.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn simulation_runs(
        &self,
        id: SimulationId,
        cell: u32,
    ) -> Result<Vec<JournalledRun>, StorageError> {
        on_engine!(self.simulation_runs(id, cell))
    }

    /// Adds finished runs to the journal, and says how far all is.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn add_simulation_runs(
        &self,
        lease: SimulationLease,
        runs: &[JournalledRun],
        runs_done: u32,
        time_left_s: Option<i64>,
    ) -> Result<bool, StorageError> {
        on_engine!(self.add_simulation_runs(lease, runs, runs_done, time_left_s))
    }

    /// Stores the files of a finished cell, or of the grid as cell 0, and prolongs the lease.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn add_simulation_results(
        &self,
        lease: SimulationLease,
        cell: u32,
        files: &[(&str, Vec<u8>)],
        until: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.add_simulation_results(lease, cell, files, until))
    }

    /// Ends a simulation: it failed where there is an error, else it is finished.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn end_simulation(
        &self,
        lease: SimulationLease,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        on_engine!(self.end_simulation(lease, error, now))
    }

    /// Gives a simulation back before it is finished; its journal stays.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn release_simulation(&self, lease: SimulationLease) -> Result<bool, StorageError> {
        on_engine!(self.release_simulation(lease))
    }
}
