//! Rows of simulations.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::{SimulationId, WorkerId};
use crate::row::{RowPlace, instant};
use crate::simulations::{
    ClaimedSimulation, JournalledRun, Simulation, SimulationLease, SimulationState,
};

#[derive(FromRow)]
pub(crate) struct SimulationRow {
    id: SimulationId,
    owner: String,
    state: String,
    experiment: String,
    notes: String,
    cells: i64,
    runs: i64,
    runs_done: i64,
    time_left_s: Option<i64>,
    created_s: i64,
    started_s: Option<i64>,
    ended_s: Option<i64>,
    error: Option<String>,
    version: i64,
}

#[derive(FromRow)]
pub(crate) struct ClaimedRow {
    id: SimulationId,
    experiment: String,
    inputs: String,
    runs: i64,
    runs_done: i64,
    attempts: i64,
}

#[derive(FromRow)]
pub(crate) struct SimulationRunRow {
    cell: i64,
    run: i64,
    played: String,
}

impl TryFrom<SimulationRow> for Simulation {
    type Error = StorageError;
    fn try_from(row: SimulationRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "simulations", row: row.id };
        Ok(Self {
            id: row.id,
            owner: row.owner,
            state: place.word("state", &row.state, SimulationState::from_word)?,
            experiment: row.experiment,
            notes: row.notes,
            cells: place.count("cells", row.cells)?,
            runs: place.count("runs", row.runs)?,
            runs_done: place.count("runs_done", row.runs_done)?,
            time_left_s: row.time_left_s,
            created: Timestamp::from_unix_seconds(row.created_s),
            started: instant(row.started_s),
            ended: instant(row.ended_s),
            error: row.error,
            version: row.version,
        })
    }
}

impl ClaimedRow {
    /// What the worker who claimed it needs.
    pub(crate) fn by(self, worker: WorkerId) -> Result<ClaimedSimulation, StorageError> {
        let place = RowPlace { table: "simulations", row: self.id };
        Ok(ClaimedSimulation {
            lease: SimulationLease { id: self.id, worker },
            runs: place.count("runs", self.runs)?,
            runs_done: place.count("runs_done", self.runs_done)?,
            attempts: place.count("attempts", self.attempts)?,
            experiment: self.experiment,
            inputs: self.inputs,
        })
    }
}

impl TryFrom<SimulationRunRow> for JournalledRun {
    type Error = StorageError;
    fn try_from(row: SimulationRunRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "simulation_runs", row: row.run };
        let (cell, run) = (place.count("cell", row.cell)?, place.count("run", row.run)?);
        Ok(Self { cell, run, played: row.played })
    }
}
