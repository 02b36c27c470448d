//! `wattbook batch run --system`: a simulation of jobs of units on a system of several resources.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use batch::dispatch::jobs::{UnitJob, UnitJobError};
use batch::dispatch::simulation::{UnitSimulation, UnitSimulationError};
use batch::dispatch::system::System;
use batch::dispatch::{
    ErrorTable, EstimatePart, LiveObserver, SharesFile, StepTable, UnitBackfillPart, UnitFitPart,
    UnitJobTable, UnitObserver, UnitOrderPart, UnitPlayed, UnitRefusal, UnitResults, UnitStep,
    UnitSupply, UserTable,
};
use batch::policy::PartKind;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::arguments::Arguments;
use super::files::{self, Pending, bad_input};
use super::formats::Format;
use super::nodes::Services;
use super::system_source;
use super::system_supply::{Ended, SystemSupply};
use super::unit_workload::{UnitWorkload, WorkloadRead};
use super::watch::{WatchArguments, Watched, WatchedRun};
use crate::cli::{Failure, out};

/// What was simulated, and what became of it.
#[derive(Serialize)]
struct SystemSummary {
    order: &'static str,
    backfill: &'static str,
    fit: &'static str,
    estimate: &'static str,
    power_estimate: &'static str,
    nodes: u32,
    #[serde(flatten)]
    results: UnitResults,
    /// Of everything but a table.
    workload: Option<WorkloadRead>,
    simulation_time: f64,
}

pub fn run(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    check(arguments)?;
    let began = Instant::now();
    let token = arguments.identity.token()?;
    let services = Services::Asked(token.as_ref());
    let powers = arguments.system.powers.as_deref();
    let system = system_source::read_with_powers(file, powers, services)?.system();
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
    let inputs = SystemSupply::read(&arguments.supplier, arguments.system.budgets.as_deref())?;
    let supply = inputs.supply(arguments.system.power_estimate);
    simulation.check_with(&supply).map_err(Failure::BadInput)?;
    if let Some(folder) = &arguments.out {
        out::check(&folder.into(), arguments.force)?;
    }
    let mut outputs = SystemOutputs::create(arguments, &system)?;
    let workload = PlayedFile {
        file: &arguments.workload,
        zone: &arguments.system.sacct_time_zone,
        watch: Some(&arguments.watch),
    };
    let (results, workload) = play(&workload, &simulation, &supply, &mut outputs)
        .map_err(|ended| inputs.failure(ended))?;
    inputs.notes(&results);
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
        power_estimate: first_or(arguments.system.power_estimate).about.name,
        nodes: system.nodes(),
        results,
        workload,
        simulation_time,
    };
    let text = serde_json::to_string_pretty(&summary)?;
    let Some(folder) = &arguments.out else { return Ok(crate::cli::print(text)?) };
    if arguments.force {
        out::clear(&folder.into())?;
    }
    outputs.finish(folder, &summary.results)?;
    let (pending, mut file) = Pending::create(folder, "summary.json")?;
    writeln!(file, "{text}")?;
    file.flush()?;
    pending.keep()?;
    out::tell_written(&folder.into());
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

fn first_or<P: PartKind>(said: Option<&'static P>) -> &'static P {
    said.unwrap_or(first())
}

pub fn read_shares(file: &Path) -> Result<SharesFile, Failure> {
    let text = files::text(file).map_err(|error| {
        Failure::BadInput(vec![format!("cannot read {}: {error}", file.display())])
    })?;
    SharesFile::parse(&text).map_err(|error| bad_input(file, error))
}

/// A workload that is played.
pub struct PlayedFile<'a> {
    pub file: &'a Path,
    /// Of what sacct printed.
    pub zone: &'a TimeZone,
    /// How it is shown while it is played.
    pub watch: Option<&'a WatchArguments>,
}

/// Plays a workload, shows it where that is asked for, and tells what of it is not played.
pub fn play(
    workload: &PlayedFile<'_>,
    simulation: &UnitSimulation<'_>,
    supply: &UnitSupply<'_>,
    observer: &mut impl UnitObserver,
) -> Result<(UnitResults, Option<WorkloadRead>), Ended> {
    let &PlayedFile { file, zone, watch } = workload;
    let system = simulation.system;
    // Two things cannot be painted on one terminal.
    let painted = watch.is_some_and(WatchArguments::on_terminal);
    let source = if painted { files::open_unseen(file) } else { files::open(file) };
    let source = source.map_err(Ended::Failed)?;
    let mut jobs = UnitWorkload::open(file, source, system, zone).map_err(Ended::Failed)?;
    let watched = Watched::new(1, 0);
    let viewers = watch.map(|it| it.show(&watched)).transpose().map_err(Ended::Failed)?;
    let asked = watch.is_some_and(WatchArguments::asked);
    let run = asked.then(|| watched.begin(file.display().to_string(), system, 0));
    if let Some(run) = &run {
        count(file, system, zone, run);
    }
    let live = run.as_ref().map(|run| LiveObserver::new(&run.state));
    let results = simulation.play_with(supply, jobs.by_ref(), &mut (observer, live));
    drop(viewers);
    let results = results.map_err(|error: UnitSimulationError<UnitJobError>| match error {
        UnitSimulationError::Workload(error) => Ended::Failed(bad_input(file, error)),
        error => Ended::Early(error),
    })?;
    jobs.tell();
    Ok((results, jobs.read()))
}

/// Counts the jobs of a file beside the simulation, which tells what is wrong with it.
fn count(file: &Path, system: &System, zone: &TimeZone, run: &Arc<WatchedRun>) {
    let (file, system, zone, run) =
        (file.to_owned(), system.clone(), zone.clone(), Arc::clone(run));
    thread::spawn(move || {
        let Ok(source) = files::open_unseen(&file) else { return };
        let Ok(jobs) = UnitWorkload::open(&file, source, &system, &zone) else { return };
        run.jobs.store(jobs.flatten().count() as u64, Ordering::Relaxed);
    });
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
        let with_supply = SystemSupply::is_said(arguments);
        outputs.jobs = Some((UnitJobTable::with_supply(out, with_supply)?, pending));
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
        pending.keep()?;
        let (pending, out) = Pending::create(folder, "estimate_errors.csv")?;
        ErrorTable::write(out, results)?;
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
