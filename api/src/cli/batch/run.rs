//! `wattbook batch run`: one simulation.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use simulator::batch::batches::batches;
use simulator::batch::kernel::{self, Cluster, SimulationError};
use simulator::batch::platform::Platform;
use simulator::batch::policy::{Allocation, Setting, Tie};
use simulator::batch::reservation::Reservation;
use simulator::batch::summary::Summary;
use simulator::batch::tariff::Tariff;
use simulator::batch::workload::{Cleaning, Reading, WorkloadError};

use super::arguments::{Arguments, Decider, Options, Supplier};
use super::coverage;
use super::external;
use super::files::{self, Pending};
use super::inputs::{self, Workload};
use super::nodes::Services;
use super::outputs::Outputs;
use super::supplier;
use crate::cli::Failure;
use crate::cli::out;

/// What `summary.json` says.
#[derive(Serialize)]
pub(super) struct Results {
    policy: &'static str,
    allocation: Allocation,
    tie: Tie,
    #[serde(flatten)]
    summary: Summary,
    workload: Cleaning,
    /// Jobs whose communication took no time: there is no network.
    jobs_communicating: u64,
    /// What a person should know.
    #[serde(skip)]
    notes: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = arguments.options()?;
    let token = arguments.identity.token()?;
    let services = Services::Asked(token.as_ref());
    let platform = inputs::platform(arguments.platform.as_deref(), arguments.machines, services)?;
    let given = Given::of(platform, &arguments.supplier)?;
    if let Some(folder) = &arguments.out {
        out::check(folder, arguments.force)?;
    }
    let results = match play(arguments, &options, &given, false) {
        // Only a trace in great disorder has to be held in memory.
        Err(Ended::Disordered) => play(arguments, &options, &given, true),
        ended => ended,
    };
    let results = results.map_err(|ended| match ended {
        Ended::Disordered => files::bad_input(&arguments.workload, "is in disorder"),
        Ended::Failed(failure) => failure,
    })?;
    for note in &results.notes {
        crate::cli::tell(note);
    }
    let text = serde_json::to_string_pretty(&results)?;
    let Some(folder) = &arguments.out else { return Ok(crate::cli::print(text)?) };
    let (pending, mut file) = Pending::create(folder, "summary.json")?;
    writeln!(file, "{text}")?;
    file.flush()?;
    pending.keep()?;
    out::tell_written(folder);
    Ok(())
}

/// What a simulation is played on.
pub(super) struct Given {
    pub platform: Platform,
    pub tariff: Tariff,
    pub reservations: Vec<Reservation>,
    /// Where the tables are, and when the simulation begins.
    pub supplier: Supplier,
}

impl Given {
    /// A platform with the tables that are given.
    pub(super) fn of(platform: Platform, supplier: &Supplier) -> Result<Self, Failure> {
        let reservations = supplier::reserved(supplier, platform.machines())?;
        let tariff = supplier::tariff(supplier)?;
        Ok(Self { platform, tariff, reservations, supplier: supplier.clone() })
    }
}

/// How a simulation ended, when not well.
pub(super) enum Ended {
    /// The trace must be read whole.
    Disordered,
    Failed(Failure),
}

impl<F: Into<Failure>> From<F> for Ended {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

fn play(
    arguments: &Arguments,
    options: &Options,
    given: &Given,
    whole: bool,
) -> Result<Results, Ended> {
    let platform = &given.platform;
    let reading = Reading { machines: platform.machines(), raw: arguments.raw, whole };
    let jobs = Workload::open(&arguments.workload, reading, platform)?;
    play_jobs(arguments, options, given, jobs)
}

/// Plays a workload as the arguments say.
pub(super) fn play_jobs(
    arguments: &Arguments,
    options: &Options,
    given: &Given,
    mut jobs: Workload,
) -> Result<Results, Ended> {
    let began = Instant::now();
    let platform = &given.platform;
    let machines = platform.machines();
    let (allocation, tie) = (arguments.allocation(), arguments.tie());
    let of_trace = jobs.delays_compute();
    let delays_compute = options.driving.delays_compute.unwrap_or(of_trace);
    let goes_by = match arguments.policy {
        Decider::Policy(policy) => policy.goes_by(&options.policy),
        Decider::External => None,
    };
    coverage::before(given, goes_by)?;
    let folder = arguments.out.as_deref();
    let mut outputs = Outputs::create(folder, &arguments.format, platform, options.tau)?;
    let known = platform.has_draws() || !platform.one_speed();
    let switches = arguments.policy.switches();
    let places = folder.is_some() || allocation == Allocation::Set || known || switches;
    let cluster = Cluster {
        platform,
        tie,
        launch: options.launch,
        places,
        delays_compute,
        tariff: Some(&given.tariff),
    };
    let setting = Setting {
        platform,
        allocation,
        tie,
        options: &options.policy,
        tariff: &given.tariff,
        reservations: &given.reservations,
    };
    let played = match (arguments.policy, &arguments.batches) {
        (Decider::External, _) => {
            external::play(arguments, options, cluster, &mut jobs, &mut outputs)?
        }
        (Decider::Policy(policy), told) => {
            let mut scheduler = policy.scheduler(&setting).map_err(Failure::BadInput)?;
            let driving = options.driving;
            let driven = jobs.by_ref().map(|job| job.map(|job| driving.of(job, of_trace)));
            let played = match told {
                None => kernel::simulate(driven, cluster, scheduler.as_mut(), &mut outputs),
                Some(path) => {
                    let batches = batches(files::open(path)?);
                    let scheduler = scheduler.as_mut();
                    kernel::replay(driven, batches, cluster, scheduler, &mut outputs)
                }
            };
            played.map(|()| None)
        }
    };
    let dialogue = played.map_err(|error| ended(arguments, error))?;
    let covered = coverage::after(given, goes_by, outputs.metered_until())?;
    if let Some(folder) = folder.filter(|_| arguments.force) {
        out::clear(folder)?;
    }
    external::keep(dialogue, folder)?;
    let file = arguments.workload.file_name().unwrap_or_default().to_string_lossy();
    let title = format!("{} on {file}", arguments.policy.name());
    let mut summary = outputs.finish(machines, &title)?;
    summary.simulation_time = Some(began.elapsed().as_secs_f64());
    summary.power_cap_covered_share = covered.cap_share;
    Ok(Results {
        policy: arguments.policy.name(),
        allocation,
        tie,
        summary,
        workload: jobs.cleaning(),
        jobs_communicating: jobs.jobs_communicating(),
        notes: covered.notes,
    })
}

fn ended(arguments: &Arguments, error: SimulationError<WorkloadError>) -> Ended {
    Ended::Failed(match error {
        SimulationError::Workload(WorkloadError::Disordered { .. }) => return Ended::Disordered,
        SimulationError::Workload(error) => files::bad_input(&arguments.workload, error),
        SimulationError::Batches(error) => {
            let file = arguments.batches.as_deref().unwrap_or(Path::new("--batches"));
            files::bad_input(file, error)
        }
        error => Failure::from(error),
    })
}
