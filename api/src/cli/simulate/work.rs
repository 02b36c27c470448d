//! An experiment being played: runs come in, finished cells go out.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use simulator::experiment::{Experiment, Variant};
use simulator::report::{Findings, ReportedCell};
use simulator::sesames::{Cell, PlayedRun, Summary};

use super::FinishedRun;
use super::output::{self, Timing};
use crate::cli::interrupt::on_interrupt;
use crate::cli::journal::Journal;
use crate::cli::out::Target;
use crate::cli::parts::Part;
use crate::simulation::pool;
use crate::simulation::progress::Progress;
use crate::simulation::results::{FinishedCell, SweepFile};

/// Cells and what is finished of them.
pub struct Work<'a> {
    experiment: &'a Experiment,
    variants: &'a [Variant],
    cells: &'a [Cell],
    out: Option<&'a Target>,
    journal: Option<Journal<'a>>,
    /// Runs of unfinished cells, by cell.
    runs: Vec<Vec<PlayedRun>>,
    /// Of finished cells.
    finished: Vec<Option<Findings>>,
    timing: Timing,
}

impl<'a> Work<'a> {
    pub fn new(
        experiment: &'a Experiment,
        variants: &'a [Variant],
        cells: &'a [Cell],
        out: Option<&'a Target>,
        journal: Option<Journal<'a>>,
    ) -> Self {
        Self {
            experiment,
            variants,
            cells,
            out,
            journal,
            runs: cells.iter().map(|_| Vec::new()).collect(),
            finished: cells.iter().map(|_| None).collect(),
            timing: Timing::default(),
        }
    }

    /// Plays what is not `kept` from before, of a part or of the whole.
    pub fn play(
        &mut self,
        mut kept: Vec<FinishedRun>,
        threads: usize,
        part: Option<Part>,
    ) -> anyhow::Result<()> {
        let began = Instant::now();
        let runs_of = |(cell, of): (usize, &Cell)| {
            (0..of.parameters().runs).map(move |run| (cell, run)).collect::<Vec<_>>()
        };
        let mut tasks: Vec<(usize, u32)> =
            self.cells.iter().enumerate().flat_map(runs_of).collect();
        if let Some(part) = part {
            tasks =
                (0..).zip(tasks).filter(|(number, _)| part.has(*number)).map(|it| it.1).collect();
        }
        // Two parts may have finished the same.
        let mut of_before: HashSet<(usize, u32)> = HashSet::new();
        kept.retain(|finished| of_before.insert((finished.cell, finished.played.run)));
        tasks.retain(|task| !of_before.contains(task));
        for FinishedRun { cell, played } in kept {
            self.take(cell, played)?;
        }
        let progress = Arc::new(Progress::default());
        let seen = Arc::clone(&progress);
        on_interrupt(move || seen.stopped.store(true, Ordering::Relaxed));
        let plans_of_run = |cell: &Cell| cell.plans() / u64::from(cell.parameters().runs);
        let plans = tasks.iter().map(|&(cell, _)| plans_of_run(&self.cells[cell])).sum();
        let bar = progress_bar(plans);
        let tick = || bar.set_position(progress.plans.load(Ordering::Relaxed));
        let cells = self.cells;
        let take = |cell, played| self.keep(cell, played);
        let played = pool::play(cells, &tasks, threads, &progress, take, tick);
        bar.finish_and_clear();
        self.out.map_or(Ok(()), Target::send)?;
        played?;
        if progress.stopped.load(Ordering::Relaxed) {
            return Err(anyhow!("interrupted: {}", self.how_to_go_on()));
        }
        self.timing = Timing {
            wall_s: began.elapsed().as_secs_f64(),
            threads,
            runs_played: tasks.len(),
            plans: progress.plans.load(Ordering::Relaxed),
            plans_checked: progress.judged.load(Ordering::Relaxed),
        };
        Ok(())
    }

    fn how_to_go_on(&self) -> String {
        match self.out {
            Some(target) => {
                format!("finished runs are kept in {target}; the same command goes on from them")
            }
            None => "with --out, finished runs would be kept".to_owned(),
        }
    }

    /// Takes a run that was played now.
    fn keep(&mut self, cell: usize, played: PlayedRun) -> anyhow::Result<()> {
        let finished = FinishedRun { cell, played };
        if let Some(journal) = &mut self.journal {
            journal.add(&finished)?;
        }
        self.take(cell, finished.played)
    }

    /// Takes a finished run, and finishes its cell when it is the last one.
    fn take(&mut self, number: usize, played: PlayedRun) -> anyhow::Result<()> {
        let cell = &self.cells[number];
        let runs = &mut self.runs[number];
        runs.push(played);
        if runs.len() < cell.parameters().runs as usize {
            return Ok(());
        }
        let mut runs = std::mem::take(runs);
        runs.sort_unstable_by_key(|run| run.run);
        let findings = Findings::of(cell, &runs)?;
        if let Some(folder) = self.out.map(Target::folder) {
            let variant = &self.variants[number];
            let finished = FinishedCell {
                experiment: self.experiment,
                variant,
                cell,
                runs: &runs,
                findings: &findings,
            };
            output::cell(&output::folder_of(folder, number, variant), &finished)?;
        }
        self.finished[number] = Some(findings);
        Ok(())
    }

    /// Writes what is of all cells, and ends the journal.
    pub fn finish(self) -> anyhow::Result<Vec<Summary>> {
        let findings: Vec<Findings> = self.finished.into_iter().flatten().collect();
        if let Some(folder) = self.out.map(Target::folder) {
            self.timing.write(folder)?;
            if findings.len() > 1 {
                let cells = self.variants.iter().zip(&findings);
                let cells: Vec<ReportedCell<'_>> =
                    cells.map(|(variant, findings)| ReportedCell { variant, findings }).collect();
                for part in SweepFile::ALL {
                    let path = folder.join(part.name());
                    output::file(&path, |out| part.write(self.experiment, &cells, out))?;
                }
            }
        }
        if let Some(journal) = self.journal {
            journal.finish()?;
        }
        Ok(findings.into_iter().map(|findings| findings.summary).collect())
    }
}

/// Shows how much of it is done, on a terminal.
pub fn progress_bar(plans: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(plans).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
