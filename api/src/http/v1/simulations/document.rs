//! Simulations as JSON.

use planner::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use simulator::experiment::{Experiment, Variant};
use storage::{Simulation, SimulationState};
use utoipa::ToSchema;
use uuid::Uuid;

use super::result::names;
use super::stored::{is_sweep, parsed};
use crate::service::shared::Fault;

/// How a simulation stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Standing)]
pub struct SimulationProgress {
    /// Sorts by creation.
    pub id: Uuid,
    /// Whose.
    pub owner: String,
    /// The report's title.
    pub name: String,
    /// `queued`, `running`, `finished`, `failed` or `cancelled`.
    #[schema(example = "running")]
    pub state: &'static str,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
    /// Runs of all cells.
    pub runs: u32,
    /// Of these, finished and written down.
    pub runs_done: u32,
    /// What the others will take if they are like these; null where that is not known.
    pub time_left_s: Option<i64>,
    /// Why it failed, in words.
    pub error: Option<String>,
    /// What to know of how its inputs were read, such as jobs left out of a trace.
    #[schema(value_type = Vec<String>)]
    pub notes: Value,
}

/// A simulation without its summary.
#[derive(Serialize, ToSchema)]
pub struct SimulationDocument {
    /// How it stands.
    #[serde(flatten)]
    pub standing: SimulationProgress,
    /// What was asked for: tables by name, `nodes`, `agendas` and `requests` by where they come
    /// from.
    #[schema(value_type = Object)]
    pub experiment: Value,
    /// The cells of the grid; one where nothing is varied.
    pub cells: Vec<CellDocument>,
    /// What can be fetched of it once it is finished.
    #[schema(example = json!(["summary", "runs.csv", "requests.csv", "curves.csv", "report"]))]
    pub results: Vec<&'static str>,
}

/// A cell.
#[derive(Serialize, ToSchema)]
pub struct CellDocument {
    /// From 1.
    pub cell: usize,
    /// What is varied, and its value here.
    #[schema(example = "max_delay_h=12")]
    pub name: String,
}

/// A simulation with its summary.
#[derive(Serialize, ToSchema)]
pub struct SummedUpSimulation {
    /// The simulation.
    #[serde(flatten)]
    pub simulation: SimulationDocument,
    /// The comparison once it is finished, as `summary` answers: of a grid a list, by cell.
    #[schema(value_type = Option<serde_json::Value>)]
    pub summary: Option<Box<RawValue>>,
}

impl SimulationProgress {
    /// How a stored simulation stands.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(stored: &Simulation) -> Result<Self, Fault> {
        let experiment = parsed(&stored.experiment)?;
        Ok(Self {
            id: stored.id.as_uuid(),
            owner: stored.owner.clone(),
            name: experiment["name"].as_str().unwrap_or_default().to_owned(),
            state: stored.state.word(),
            created_at: stored.created,
            started_at: stored.started,
            ended_at: stored.ended,
            runs: stored.runs,
            runs_done: stored.runs_done,
            time_left_s: stored.time_left_s,
            error: stored.error.clone(),
            notes: parsed(&stored.notes)?,
        })
    }
}

impl SimulationDocument {
    /// A stored simulation without its summary.
    ///
    /// # Errors
    /// What is stored of it cannot be read.
    pub fn of(stored: &Simulation) -> Result<Self, Fault> {
        let experiment = parsed(&stored.experiment)?;
        let finished = stored.state == SimulationState::Finished;
        Ok(Self {
            standing: SimulationProgress::of(stored)?,
            cells: cells(&experiment),
            results: if finished { names(is_sweep(&experiment)).collect() } else { Vec::new() },
            experiment,
        })
    }
}

fn cells(shown: &Value) -> Vec<CellDocument> {
    let map = |member: &str| shown[member].as_object().cloned().unwrap_or_default();
    let experiment = Experiment {
        parameters: map("parameters"),
        files: map("files"),
        vary: map("vary"),
        ..Experiment::default()
    };
    let variants = experiment.variants().unwrap_or_default();
    let names = variants.iter().map(Variant::name);
    (1..).zip(names).map(|(cell, name)| CellDocument { cell, name }).collect()
}
