//! Plays one simulation that this process has, from where its journal ends.
//!
//! Cell by cell, so that one cluster is in memory at a time; the runs of a cell on the worker's
//! threads. Finished runs go to the journal about twice a second, since each write waits for the
//! disk; a cell's files are written as soon as its last run is there.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use planner::json::JsonError;
use planner::time::Seconds;
use simulator::experiment::{Experiment, ExperimentError, Variant};
use simulator::report::{Findings, ReportedCell};
use simulator::sesames::{Cell, PlayedRun, SesamesError};
use storage::{ClaimedSimulation, Database, JournalledRun, SimulationLease, StorageError};
use tokio::runtime::Handle;

use crate::clock::Clock;
use crate::simulation::document::Document;
use crate::simulation::inputs::{self, BadInput};
use crate::simulation::pool;
use crate::simulation::progress::{PoolError, Progress};
use crate::simulation::results::{self, CellFile, FinishedCell, SweepFile};

/// How long a worker has a simulation without renewing it.
pub(super) const LEASE: Seconds = Seconds::new(10);

/// How often finished runs are written down, at most.
const JOURNAL_EVERY: Duration = Duration::from_millis(500);

/// One simulation and what it is played with.
pub struct Player {
    pub runtime: Handle,
    pub database: Database,
    pub clock: Clock,
    pub threads: usize,
    /// Tells it to stop.
    pub progress: Arc<Progress>,
}

/// How playing ended.
pub enum Played {
    /// All results are written.
    ToTheEnd,
    /// It was told to stop; the journal has what is finished.
    Stopped,
}

/// Why playing ended early.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// Another worker has it, or it was cancelled.
    #[error("the simulation is no longer this worker's")]
    Lost,
    /// The database did not take or give what is finished.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// What was stored cannot be read.
    #[error("what was stored of the simulation cannot be read: {}", listed(.0))]
    Stored(Vec<JsonError>),
    /// The experiment has no cells.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A cell cannot be laid out.
    #[error("{}", listed(.0))]
    Inputs(Vec<BadInput>),
    /// A run cannot be played, or a plan of it was found wrong.
    #[error(transparent)]
    Pool(PoolError),
    /// Runs cannot be summed up.
    #[error(transparent)]
    Sums(#[from] SesamesError),
    /// A run or a result cannot be written as text.
    #[error("a result cannot be written")]
    Writing(#[from] std::io::Error),
}

impl From<PoolError> for PlayError {
    /// What the journal refused comes back through the pool.
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Other(error) => match error.downcast::<Self>() {
                Ok(own) => own,
                Err(error) => Self::Pool(PoolError::Other(error)),
            },
            error => Self::Pool(error),
        }
    }
}

fn listed<E: ToString>(errors: &[E]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// How far the simulation is.
struct Journal<'a> {
    player: &'a Player,
    lease: SimulationLease,
    runs: u32,
    runs_done: u32,
    /// When this worker began, and how many runs it has finished since.
    began: Instant,
    played: u32,
    /// Not written yet.
    pending: Vec<JournalledRun>,
    written: Instant,
}

impl Player {
    /// Plays until the end, or until `progress.stopped`. Not for async threads.
    ///
    /// # Errors
    /// See [`PlayError`].
    pub fn play(&self, claimed: &ClaimedSimulation) -> Result<Played, PlayError> {
        let document = Document::read(&claimed.inputs).map_err(PlayError::Stored)?;
        let experiment = &document.experiment;
        let variants = experiment.variants()?;
        let now = Instant::now();
        let mut journal = Journal {
            player: self,
            lease: claimed.lease,
            runs: claimed.runs,
            runs_done: claimed.runs_done,
            began: now,
            played: 0,
            pending: Vec::new(),
            written: now,
        };
        let mut findings = Vec::with_capacity(variants.len());
        for (number, variant) in (1..).zip(&variants) {
            let prepared =
                inputs::cell(variant, &experiment.policies, &document.inputs(), &mut |name| {
                    document.table(name)
                });
            let cell = prepared.map_err(PlayError::Inputs)?.cell;
            let Some(runs) = journal.cell(number, &cell)? else { return Ok(Played::Stopped) };
            findings.push(self.finish(claimed.lease, number, experiment, variant, &cell, &runs)?);
        }
        if !experiment.vary.is_empty() {
            self.finish_sweep(claimed.lease, experiment, &variants, &findings)?;
        }
        Ok(Played::ToTheEnd)
    }

    /// Writes the files of a cell.
    fn finish(
        &self,
        lease: SimulationLease,
        number: u32,
        experiment: &Experiment,
        variant: &Variant,
        cell: &Cell,
        runs: &[PlayedRun],
    ) -> Result<Findings, PlayError> {
        let findings = Findings::of(cell, runs)?;
        let finished = FinishedCell { experiment, variant, cell, runs, findings: &findings };
        let mut files = Vec::with_capacity(CellFile::ALL.len());
        for file in CellFile::ALL {
            let mut content = Vec::new();
            file.write(&finished, &mut content)?;
            files.push((file.name(), content));
        }
        self.store(lease, number, &files)?;
        Ok(findings)
    }

    /// Writes the files of the whole sweep.
    fn finish_sweep(
        &self,
        lease: SimulationLease,
        experiment: &Experiment,
        variants: &[Variant],
        findings: &[Findings],
    ) -> Result<(), PlayError> {
        let cells = variants.iter().zip(findings);
        let cells: Vec<ReportedCell<'_>> =
            cells.map(|(variant, findings)| ReportedCell { variant, findings }).collect();
        let mut files = Vec::new();
        for file in SweepFile::ALL {
            let mut content = Vec::new();
            file.write(experiment, &cells, &mut content)?;
            files.push((file.name(), content));
        }
        let mut summaries = Vec::new();
        let all: Vec<_> = findings.iter().map(|findings| &findings.summary).collect();
        results::json(&all, &mut summaries)?;
        files.push((CellFile::Summary.name(), summaries));
        self.store(lease, 0, &files)
    }

    fn store(
        &self,
        lease: SimulationLease,
        cell: u32,
        files: &[(&str, Vec<u8>)],
    ) -> Result<(), PlayError> {
        let until = self.clock.now() + LEASE;
        let stored = self.database.add_simulation_results(lease, cell, files, until);
        if self.runtime.block_on(stored)? { Ok(()) } else { Err(PlayError::Lost) }
    }
}

impl Journal<'_> {
    /// Plays what is missing of a cell: all its runs, by number; `None` where it was stopped.
    fn cell(&mut self, number: u32, cell: &Cell) -> Result<Option<Vec<PlayedRun>>, PlayError> {
        let player = self.player;
        let mut runs = self.known(number)?;
        let known: HashSet<u32> = runs.iter().map(|played| played.run).collect();
        let missing = (0..cell.parameters().runs).filter(|run| !known.contains(run));
        let tasks: Vec<(usize, u32)> = missing.map(|run| (0, run)).collect();
        let take = |_: usize, played: PlayedRun| {
            self.add(number, &played)?;
            runs.push(played);
            Ok(())
        };
        let cells = std::slice::from_ref(cell);
        let outcome = pool::play(cells, &tasks, player.threads, &player.progress, take, || {});
        self.write()?;
        outcome?;
        if player.progress.stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        runs.sort_unstable_by_key(|run| run.run);
        Ok(Some(runs))
    }

    /// The runs of a cell that the journal has. One that cannot be read is played again.
    fn known(&self, cell: u32) -> Result<Vec<PlayedRun>, PlayError> {
        let rows = self.player.database.simulation_runs(self.lease.id, cell);
        let rows = self.player.runtime.block_on(rows)?;
        Ok(rows.iter().filter_map(|row| serde_json::from_str(&row.played).ok()).collect())
    }

    fn add(&mut self, cell: u32, played: &PlayedRun) -> anyhow::Result<()> {
        let text = serde_json::to_string(played)?;
        self.pending.push(JournalledRun { cell, run: played.run, played: text });
        self.played += 1;
        self.runs_done = self.runs_done.saturating_add(1).min(self.runs);
        if self.written.elapsed() >= JOURNAL_EVERY {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), PlayError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let Player { database, runtime, .. } = self.player;
        let left = self.time_left_s();
        let written = database.add_simulation_runs(self.lease, &self.pending, self.runs_done, left);
        if !runtime.block_on(written)? {
            return Err(PlayError::Lost);
        }
        self.pending.clear();
        self.written = Instant::now();
        Ok(())
    }

    /// What the runs to come will take if they are like those played so far.
    fn time_left_s(&self) -> Option<i64> {
        let each_s = self.began.elapsed().as_secs_f64() / f64::from(self.played.max(1));
        let left_s = (each_s * f64::from(self.runs - self.runs_done)).ceil();
        Duration::try_from_secs_f64(left_s).ok().and_then(|left| left.as_secs().try_into().ok())
    }
}
