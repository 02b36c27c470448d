//! Simulations in the background: started, watched, cancelled, their results fetched.
//!
//! What was asked for is checked whole before it is accepted (`check`), and stored with everything
//! that it is played with, so that later changes of the site change nothing (`site`). Every process
//! has one worker (`worker`), which plays one simulation at a time (`play`) on threads of its own:
//! the database gives each simulation to one of them.

mod check;
mod error;
mod play;
mod site;
mod worker;

use std::sync::Arc;

use storage::{
    EnqueueError, NewSimulation, Simulation, SimulationFilter, SimulationId, SimulationQueue,
    SimulationState,
};
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;

use super::agendas::AgendaService;
use super::shared::{
    Access, Fault, IdempotencyKey, KeyError, Shared, SiteState, blocking, cut_page,
};
use crate::simulation::document::Document;

pub use error::SimulationError;
pub use worker::LOOK;

/// The status of the answer to a simulation that was started: 202.
const STARTED: u16 = 202;

/// Starts simulations, plays them, and hands out what comes of them.
pub struct SimulationService {
    shared: Arc<Shared>,
    agendas: Arc<AgendaService>,
    /// Wakes the worker.
    wake: Notify,
    /// Experiments are checked one at a time: it takes the room of a cell.
    checking: Semaphore,
}

/// What became of a request for a simulation.
#[derive(Clone, Copy, Debug)]
pub enum Started {
    /// A new one waits.
    New(SimulationId),
    /// The key was used before for the same request: the simulation of then.
    Before(SimulationId),
}

/// A page of simulations.
#[derive(Debug)]
pub struct SimulationsPage {
    /// Oldest first.
    pub simulations: Vec<Simulation>,
    /// Where the next page starts.
    pub next: Option<SimulationId>,
}

/// What a removal did.
#[derive(Debug)]
pub enum Removed {
    /// It had not ended, and was cancelled.
    Cancelled(Box<Simulation>),
    /// It is gone with its results; whose it was.
    Gone(String),
}

impl SimulationService {
    /// On the site's agendas where experiments want them.
    pub fn new(shared: Arc<Shared>, agendas: Arc<AgendaService>) -> Self {
        Self { shared, agendas, wake: Notify::new(), checking: Semaphore::new(1) }
    }

    /// Checks an experiment and lets it wait for a worker.
    ///
    /// # Errors
    /// `Invalid` with every error, `QueueFull`, `TooMany`, `Key`.
    pub async fn start_simulation(
        &self,
        access: Access<'_>,
        state: &SiteState,
        mut document: Document,
        key: Option<&IdempotencyKey>,
    ) -> Result<Started, SimulationError> {
        let owner = access.owner;
        let most_of_owner = self.shared.settings.limits.simulations_per_user;
        let queue = SimulationQueue {
            most: self.shared.settings.simulation_queue,
            most_of_owner: (!access.is_operator()).then_some(most_of_owner),
        };
        if self.shared.database.queued_simulations().await? >= u64::from(queue.most) {
            return Err(SimulationError::QueueFull);
        }
        document.co2_accounting = self.site_accounting(&document).await?;
        let shown = document.shown().map_err(Fault::internal)?;
        self.put_in_site(state, &mut document).await?;
        let checked = {
            let turn = self.checking.acquire().await;
            let _turn = turn.map_err(Fault::internal)?;
            blocking(move || check::check(&document)).await?
        };
        let checked = checked.map_err(SimulationError::Invalid)?;
        let now = self.shared.now();
        let new = NewSimulation {
            id: SimulationId::new(Uuid::now_v7()),
            owner: owner.to_owned(),
            experiment: shown,
            inputs: checked.kept,
            notes: serde_json::to_string(&checked.notes).map_err(Fault::internal)?,
            cells: checked.cells,
            runs: checked.runs,
            created: now,
        };
        let record = key.map(|key| key.record(owner, STARTED, new.id.as_uuid(), now));
        match self.shared.database.enqueue_simulation(&new, queue, record.as_ref()).await {
            Ok(()) => {
                self.wake.notify_one();
                Ok(Started::New(new.id))
            }
            Err(EnqueueError::QueueFull) => Err(SimulationError::QueueFull),
            Err(EnqueueError::QueueFullForOwner) => Err(SimulationError::TooMany(most_of_owner)),
            Err(EnqueueError::IdempotencyKeyReused) => {
                let before = self.started_before(owner, key).await?;
                before.ok_or(SimulationError::Key(KeyError::Reused))
            }
            Err(EnqueueError::Storage(error)) => Err(error.into()),
        }
    }

    /// The simulation that was started with this key, if there is a key and it was used.
    ///
    /// # Errors
    /// [`KeyError::Reused`] where it was used for another request.
    pub async fn started_before(
        &self,
        owner: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<Started>, KeyError> {
        let id = self.shared.answered_before(owner, key, STARTED).await?;
        Ok(id.map(|id| Started::Before(SimulationId::new(id))))
    }

    /// One simulation.
    ///
    /// # Errors
    /// `NoSimulation` where there is none, or it is not the caller's.
    pub async fn simulation(
        &self,
        access: Access<'_>,
        id: SimulationId,
    ) -> Result<Simulation, SimulationError> {
        let stored = self.shared.database.simulation(id).await?;
        stored
            .filter(|simulation| access.permits(&simulation.owner))
            .ok_or(SimulationError::NoSimulation(id))
    }

    /// A page of the simulations that the caller may see.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn simulations(
        &self,
        access: Access<'_>,
        filter: SimulationFilter,
        after: Option<SimulationId>,
        limit: u16,
    ) -> Result<SimulationsPage, SimulationError> {
        let owner = if access.is_operator() { filter.owner } else { Some(access.owner.to_owned()) };
        let filter = SimulationFilter { owner, ..filter };
        let mut found = self.shared.database.simulations(&filter, after, limit + 1).await?;
        let next = cut_page(&mut found, limit, |it| it.id);
        Ok(SimulationsPage { simulations: found, next })
    }

    /// A file of a finished cell, from 1, or of the whole sweep, 0.
    ///
    /// # Errors
    /// `NotFinished`, `NoSimulation`.
    pub async fn simulation_result(
        &self,
        simulation: &Simulation,
        cell: u32,
        name: &str,
    ) -> Result<Vec<u8>, SimulationError> {
        let found = self.shared.database.simulation_result(simulation.id, cell, name).await?;
        found.ok_or_else(|| SimulationError::NotFinished { state: simulation.state.word() })
    }

    /// Stops a simulation that has not ended. One that was cancelled before stays as it is.
    ///
    /// # Errors
    /// `Ended` where it is finished or failed, `NoSimulation`.
    pub async fn cancel_simulation(
        &self,
        access: Access<'_>,
        id: SimulationId,
    ) -> Result<Simulation, SimulationError> {
        self.simulation(access, id).await?;
        self.shared.database.cancel_simulation(id, self.shared.now()).await?;
        let simulation = self.simulation(access, id).await?;
        match simulation.state {
            SimulationState::Cancelled => Ok(simulation),
            state => Err(SimulationError::Ended { state: state.word() }),
        }
    }

    /// Cancels a simulation that has not ended, and removes one that has.
    ///
    /// # Errors
    /// `NoSimulation`.
    pub async fn remove_simulation(
        &self,
        access: Access<'_>,
        id: SimulationId,
    ) -> Result<Removed, SimulationError> {
        let found = self.simulation(access, id).await?;
        if self.shared.database.cancel_simulation(id, self.shared.now()).await? {
            return Ok(Removed::Cancelled(Box::new(self.simulation(access, id).await?)));
        }
        self.shared.database.remove_simulation(id).await?;
        Ok(Removed::Gone(found.owner))
    }
}
