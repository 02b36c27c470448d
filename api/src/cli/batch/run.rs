//! `wattbook batch run`: one simulation.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use batch::kernel::{self, Cluster, SimulationError};
use batch::message_log::read_messages;
use batch::platform::Platform;
use batch::policy::{Allocation, Setting};
use batch::reservation::Reservation;
use batch::summary::Summary;
use batch::supplier_tables::SupplierTables;
use batch::workload::{Cleaning, Reading, WorkloadError};
use serde::Serialize;

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
use batch::scheduler::Tie;

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
    let platform = inputs::platform(arguments.platform.as_deref(), machines(arguments)?, services)?;
    let given = Given::of(platform, &arguments.supplier)?;
    if let Some(folder) = &arguments.out {
        out::check(folder, arguments.force)?;
    }
    let results = match play(arguments, &options, &given, false) {
        // Only a trace in great disorder has to be held in memory.
        Err(Ended::Disordered) => play(arguments, &options, &given, true),
        ended => ended,
    };
    if let Ok(Results { summary: Summary { nb_jobs_rejected_by_cap: refused @ 1.., .. }, .. }) =
        &results
    {
        super::note(&format!("{refused} jobs were refused: they could never start under the cap"));
    }
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

/// How many machines there are: what is said, or without a platform what the workload says.
fn machines(arguments: &Arguments) -> Result<Option<u32>, Failure> {
    if arguments.machines.is_some() || arguments.platform.is_some() {
        return Ok(arguments.machines);
    }
    let Some((machines, key)) = inputs::machines_of(&arguments.workload)? else {
        let what = "does not say how many machines there are (MaxProcs or MaxNodes in a trace's header, nb_res in \
                    JSON): --machines or --platform does";
        return Err(files::bad_input(&arguments.workload, what));
    };
    super::note(&format!("{machines} machines, as the workload says ({key})"));
    Ok(Some(machines))
}

/// What a simulation is played on.
pub(super) struct Given {
    pub platform: Platform,
    pub tables: SupplierTables,
    pub reservations: Vec<Reservation>,
    /// Where the tables are, and when the simulation begins.
    pub supplier: Supplier,
}

impl Given {
    /// A platform with the tables that are given.
    pub(super) fn of(platform: Platform, supplier: &Supplier) -> Result<Self, Failure> {
        let reservations = supplier::reserved(supplier, platform.machines())?;
        let tables = supplier::tables(supplier)?;
        Ok(Self { platform, tables, reservations, supplier: supplier.clone() })
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
    let (machines, raw, duplicates) =
        (platform.machines(), arguments.raw, arguments.keep_duplicates);
    let reading = Reading { machines, raw, whole, duplicates };
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
    let begins =
        jobs.begin().map_err(|error| ended(arguments, SimulationError::Workload(error)))?;
    if arguments.policy != Decider::External {
        // A decision process may register jobs of its own.
        jobs.has_jobs(&arguments.workload)?;
    }
    let zero = given.supplier.origin.or(begins);
    let part = arguments.part(zero)?;
    let mut outputs = Outputs::create(folder, &arguments.format, platform, options.tau, part)?;
    let known = platform.has_draws() || !platform.one_speed();
    let switches = arguments.policy.switches();
    let places = folder.is_some() || allocation == Allocation::Set || known || switches;
    let cluster = Cluster {
        platform,
        tie,
        launch: options.launch,
        places,
        delays_compute,
        tables: Some(&given.tables),
    };
    let setting = Setting {
        platform,
        allocation,
        tie,
        options: &options.policy,
        tables: &given.tables,
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
                    let messages = read_messages(files::open(path)?);
                    let scheduler = scheduler.as_mut();
                    kernel::replay(driven, messages, cluster, scheduler, &mut outputs)
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
    let mut summary = outputs.finish(machines, &title, zero)?;
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
        SimulationError::MessageLog(error) => {
            let file = arguments.batches.as_deref().unwrap_or(Path::new("--batches"));
            files::bad_input(file, error)
        }
        error => Failure::from(error),
    })
}
