//! Rows of simulations.

use planner::time::Timestamp;
use sqlx::FromRow;

use crate::error::StorageError;
use crate::identity::{SimulationId, WorkerId};
use crate::row::inconsistent;
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

fn count(number: i64, row: &impl ToString) -> Result<u32, StorageError> {
    let wrong = inconsistent("simulations", row, "a count is out of range");
    u32::try_from(number).map_err(|_| wrong())
}

impl TryFrom<SimulationRow> for Simulation {
    type Error = StorageError;
    fn try_from(row: SimulationRow) -> Result<Self, StorageError> {
        let wrong = inconsistent("simulations", &row.id, "unknown state");
        Ok(Self {
            id: row.id,
            owner: row.owner,
            state: SimulationState::from_word(&row.state).ok_or_else(wrong)?,
            experiment: row.experiment,
            notes: row.notes,
            cells: count(row.cells, &row.id)?,
            runs: count(row.runs, &row.id)?,
            runs_done: count(row.runs_done, &row.id)?,
            time_left_s: row.time_left_s,
            created: Timestamp::from_unix_seconds(row.created_s),
            started: row.started_s.map(Timestamp::from_unix_seconds),
            ended: row.ended_s.map(Timestamp::from_unix_seconds),
            error: row.error,
            version: row.version,
        })
    }
}

impl ClaimedRow {
    /// What the worker who claimed it needs.
    pub(crate) fn by(self, worker: WorkerId) -> Result<ClaimedSimulation, StorageError> {
        Ok(ClaimedSimulation {
            lease: SimulationLease { id: self.id, worker },
            runs: count(self.runs, &self.id)?,
            runs_done: count(self.runs_done, &self.id)?,
            attempts: count(self.attempts, &self.id)?,
            experiment: self.experiment,
            inputs: self.inputs,
        })
    }
}

impl TryFrom<SimulationRunRow> for JournalledRun {
    type Error = StorageError;
    fn try_from(row: SimulationRunRow) -> Result<Self, StorageError> {
        let (cell, run) = (count(row.cell, &row.run)?, count(row.run, &row.run)?);
        Ok(Self { cell, run, played: row.played })
    }
}
