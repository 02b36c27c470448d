//! `wattbook batch run --system`: a simulation of jobs of units on a system of several resources.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use batch::dispatch::jobs::{JobsOfTable, JobsOfTrace, UnitJob, UnitJobError};
use batch::dispatch::simulation::{UnitSimulation, UnitSimulationError};
use batch::dispatch::system::System;
use batch::dispatch::{
    EstimatePart, SharesFile, StepTable, UnitBackfillPart, UnitFitPart, UnitJobTable, UnitObserver,
    UnitOrderPart, UnitPlayed, UnitRefusal, UnitResults, UnitStep, UserTable,
};
use batch::policy::PartKind;
use batch::workload::Cleaning;
use serde::Serialize;

use super::arguments::Arguments;
use super::files::{self, Pending, bad_input};
use super::formats::Format;
use crate::cli::{Failure, out};

/// What was simulated, and what became of it.
#[derive(Serialize)]
struct SystemSummary {
    order: &'static str,
    backfill: &'static str,
    fit: &'static str,
    estimate: &'static str,
    nodes: u32,
    #[serde(flatten)]
    results: UnitResults,
    /// Of a trace.
    workload: Option<Cleaning>,
    simulation_time: f64,
}

pub fn run(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    check(arguments)?;
    let began = Instant::now();
    let system = read_system(file)?;
    let shares = arguments.system.shares.as_deref().map(read_shares).transpose()?;
    let energy_factors: BTreeMap<String, f64> =
        arguments.system.user_energy_factor.iter().cloned().collect();
    let parts = &arguments.parts;
    let order = parts.order.and_then(|it| it.of_system).unwrap_or(first::<UnitOrderPart>());
    let backfill =
        parts.backfill.and_then(|it| it.of_system).unwrap_or(first::<UnitBackfillPart>());
    let fit = parts.fit.and_then(|it| it.of_system).unwrap_or(first::<UnitFitPart>());
    let estimate = arguments.system.estimate.unwrap_or(first::<EstimatePart>());
    let simulation = UnitSimulation {
        system: &system,
        order,
        backfill: backfill.backfill,
        fit,
        estimate,
        shares: shares.as_ref(),
        energy_factors: &energy_factors,
        options: &arguments.options,
    };
    simulation.check().map_err(Failure::BadInput)?;
    if let Some(folder) = &arguments.out {
        out::check(folder, arguments.force)?;
    }
    let mut outputs = SystemOutputs::create(arguments, &system)?;
    let (results, workload) = play(arguments, &simulation, &mut outputs)?;
    for user in
        energy_factors.keys().filter(|user| !results.users.iter().any(|it| *it.user == ***user))
    {
        super::note(&format!("--user-energy-factor: no job is of {user}"));
    }
    if results.jobs_refused > 0 {
        super::note(&format!("{} jobs were refused; jobs.csv says why", results.jobs_refused));
    }
    let simulation_time = began.elapsed().as_secs_f64();
    let summary = SystemSummary {
        order: order.about.name,
        backfill: backfill.about.name,
        fit: fit.about.name,
        estimate: estimate.about.name,
        nodes: system.nodes(),
        results,
        workload,
        simulation_time,
    };
    let text = serde_json::to_string_pretty(&summary)?;
    let Some(folder) = &arguments.out else { return Ok(crate::cli::print(text)?) };
    if arguments.force {
        out::clear(folder)?;
    }
    outputs.finish(folder, &summary.results)?;
    let (pending, mut file) = Pending::create(folder, "summary.json")?;
    writeln!(file, "{text}")?;
    file.flush()?;
    pending.keep()?;
    out::tell_written(folder);
    Ok(())
}

/// What does not go with a system.
fn check(arguments: &Arguments) -> Result<(), Failure> {
    let mut errors: Vec<String> = Vec::new();
    for name in arguments.parts.not_of_systems() {
        errors.push(format!("{name} is for machines that are counted, not for --system"));
    }
    if arguments.format != [Format::Csv] {
        errors.push("--system writes tables: --format csv".to_owned());
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::BadInput(errors)) }
}

/// The part of a kind that holds unless another is said.
fn first<P: PartKind>() -> &'static P {
    P::ALL[0]
}

fn read_system(file: &Path) -> Result<System, Failure> {
    let text = files::text(file).map_err(|error| {
        Failure::BadInput(vec![format!("cannot read {}: {error}", file.display())])
    })?;
    System::parse(&text).map_err(|error| {
        let line = |fault: &_| format!("{}: {fault}", file.display());
        Failure::BadInput(error.0.iter().map(line).collect())
    })
}

fn read_shares(file: &Path) -> Result<SharesFile, Failure> {
    let text = files::text(file).map_err(|error| {
        Failure::BadInput(vec![format!("cannot read {}: {error}", file.display())])
    })?;
    SharesFile::parse(&text).map_err(|error| bad_input(file, error))
}

/// Plays a table or a trace, as the file begins.
fn play(
    arguments: &Arguments,
    simulation: &UnitSimulation<'_>,
    outputs: &mut SystemOutputs,
) -> Result<(UnitResults, Option<Cleaning>), Failure> {
    let file = arguments.workload.as_path();
    let bad = |error: UnitJobError| bad_input(file, error);
    let mut source = files::open(file)?;
    let start = source.fill_buf().map_err(|error| bad_input(file, error))?;
    let header = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let table = header.windows(6).any(|word| word == b"job_id");
    let ended = |error: UnitSimulationError<UnitJobError>| match error {
        UnitSimulationError::Workload(error) => bad_input(file, error),
        error => Failure::Other(error.into()),
    };
    if table {
        let jobs = JobsOfTable::new(source, simulation.system).map_err(bad)?;
        return Ok((simulation.play(jobs, outputs).map_err(ended)?, None));
    }
    let mut jobs = JobsOfTrace::new(source, simulation.system).map_err(bad)?;
    let results = simulation.play(jobs.by_ref(), outputs).map_err(ended)?;
    let cleaning = jobs.cleaning();
    Ok((results, Some(cleaning)))
}

/// A table that is being written.
type Out = BufWriter<File>;

/// Tables that are written while jobs are played.
#[derive(Default)]
struct SystemOutputs {
    jobs: Option<(UnitJobTable<Out>, Pending)>,
    steps: Option<(StepTable<Out>, Pending)>,
}

impl SystemOutputs {
    fn create(arguments: &Arguments, system: &System) -> anyhow::Result<Self> {
        let mut outputs = Self::default();
        let Some(folder) = &arguments.out else { return Ok(outputs) };
        let (pending, out) = Pending::create(folder, "jobs.csv")?;
        outputs.jobs = Some((UnitJobTable::new(out)?, pending));
        if arguments.system.steps {
            let (pending, out) = Pending::create(folder, "steps.csv")?;
            outputs.steps = Some((StepTable::new(out, system)?, pending));
        }
        Ok(outputs)
    }

    /// Gives all tables their names, and writes that of users.
    fn finish(self, folder: &Path, results: &UnitResults) -> anyhow::Result<()> {
        if let Some((table, pending)) = self.jobs {
            table.finish()?;
            pending.keep()?;
        }
        if let Some((table, pending)) = self.steps {
            table.finish()?;
            pending.keep()?;
        }
        let (pending, out) = Pending::create(folder, "users.csv")?;
        UserTable::write(out, results)?;
        pending.keep()
    }
}

impl UnitObserver for SystemOutputs {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        self.jobs.as_mut().map_or(Ok(()), |(table, _)| table.played(played))
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        self.jobs.as_mut().map_or(Ok(()), |(table, _)| table.refused(job, why))
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        self.steps.as_mut().map_or(Ok(()), |(table, _)| table.step(step))
    }

    fn wants_steps(&self) -> bool {
        self.steps.is_some()
    }
}
