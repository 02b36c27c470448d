//! `wattbook batch run`: one simulation.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use batch::communication::MachineNetwork;
use batch::kernel::SimulationError;
use batch::message_log::read_messages;
use batch::platform::Platform;
use batch::simulation::{
    self, MessageLog, NamedOptions, PlayError, Simulation, SimulationOptions, SimulationResults,
};
use batch::workload::{WorkloadError, WorkloadReading};

use super::arguments::Arguments;
use super::cluster_inputs::ClusterInputs;
use super::coverage;
use super::external::{self, External};
use super::files::{self, Pending};
use super::inputs;
use super::nodes::Services;
use super::outputs::Outputs;
use super::sites;
use super::system;
use crate::cli::Failure;
use crate::cli::out;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.sites.grid_experiment {
        return sites::run(arguments, file);
    }
    if let Some(file) = &arguments.system.system {
        return system::run(arguments, file);
    }
    let options = arguments.options()?;
    let token = arguments.identity.token()?;
    let services = Services::Asked(token.as_ref());
    let platform = inputs::platform(arguments.platform.as_deref(), machines(arguments)?, services)?;
    let mut cluster = ClusterInputs::read(platform, &arguments.supplier)?;
    if options.0.network {
        cluster.network = network(arguments, &cluster.platform)?;
    }
    if let Some(folder) = &arguments.out {
        out::check(&folder.into(), arguments.force)?;
    }
    let results = match play(arguments, &options, &cluster, false) {
        // Only a trace in great disorder has to be held in memory.
        Err(Ended::Disordered) => play(arguments, &options, &cluster, true),
        ended => ended,
    };
    let results = results.map_err(|ended| match ended {
        Ended::Disordered => files::bad_input(&arguments.workload, "is in disorder"),
        Ended::Failed(failure) => failure,
    })?;
    let refused = results.summary.nb_jobs_rejected_by_cap;
    if refused > 0 {
        super::note(&format!("{refused} jobs were refused: they could never start under the cap"));
    }
    for note in coverage::notes(&cluster.supplier, &cluster.tables, &results.uncovered) {
        crate::cli::tell(note);
    }
    let text = serde_json::to_string_pretty(&results)?;
    let Some(folder) = &arguments.out else { return Ok(crate::cli::print(text)?) };
    let (pending, mut file) = Pending::create(folder, "summary.json")?;
    writeln!(file, "{text}")?;
    file.flush()?;
    pending.keep()?;
    out::tell_written(&folder.into());
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

/// How the workload is read.
fn reading(arguments: &Arguments, platform: &Platform, whole: bool) -> WorkloadReading {
    WorkloadReading {
        machines: platform.machines(),
        raw: arguments.raw,
        whole,
        duplicates: arguments.keep_duplicates,
    }
}

/// The platform's network, where it is needed: without communication a simulation is played as fast as without it, and
/// what cannot be read of it does not matter.
fn network(arguments: &Arguments, platform: &Platform) -> Result<Option<MachineNetwork>, Failure> {
    // The messages of another simulator tell by themselves how long jobs last.
    let Some(file) = arguments.platform.as_deref().filter(|_| arguments.batches.is_none()) else {
        return Ok(None);
    };
    let workload = &arguments.workload;
    let read_twice = workload.is_file();
    let any = Platform::of_machines(platform.machines());
    let needed = read_twice
        && inputs::workload(workload, reading(arguments, platform, false), &any, None)?
            .needs_network();
    // What can be read only once, and what a scheduler registers, may communicate.
    if !needed && read_twice && arguments.combination().is_some() {
        return Ok(None);
    }
    match inputs::network(file, platform) {
        Err(Failure::BadInput(errors)) if !needed => {
            super::note(&format!("{}; it takes none", errors.join("; ")));
            Ok(None)
        }
        network => network,
    }
}

/// How a simulation ended, when not well.
enum Ended {
    /// The trace must be read whole.
    Disordered,
    Failed(Failure),
}

impl<F: Into<Failure>> From<F> for Ended {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

/// Plays what the arguments say.
fn play(
    arguments: &Arguments,
    (options, policy_options): &(SimulationOptions, NamedOptions),
    cluster: &ClusterInputs,
    whole: bool,
) -> Result<SimulationResults, Ended> {
    let began = Instant::now();
    let platform = &cluster.platform;
    let ended = |error| ended(arguments, cluster, error);
    let reading = reading(arguments, platform, whole);
    let mut jobs =
        inputs::workload(&arguments.workload, reading, platform, cluster.network.as_ref())?;
    let mut outside = None;
    let decider = if let Some(policy) = arguments.combination() {
        let message_log = arguments.batches.as_deref().map(message_log).transpose()?;
        simulation::Decider::Policy { policy, options: policy_options, message_log }
    } else {
        let External { rules, wire } =
            outside.insert(External::of(arguments, policy_options, &jobs, platform)?);
        simulation::Decider::External { rules, peer: wire }
    };
    let folder = arguments.out.as_deref();
    let simulation = Simulation {
        decider,
        tie: arguments.tie.into(),
        options: *options,
        tells_machines: folder.is_some(),
        inputs: cluster.inputs(),
    };
    simulation.check_coverage().map_err(|uncovered| coverage::before(cluster, &uncovered))?;
    let begins = jobs.begin().map_err(|error| ended(SimulationError::Workload(error).into()))?;
    if arguments.combination().is_some() {
        // A decision process may register jobs of its own.
        jobs.check_jobs().map_err(|error| files::bad_input(&arguments.workload, error))?;
    }
    let zero = cluster.supplier.origin.or(begins);
    let part = arguments.part(zero)?;
    let mut outputs = Outputs::create(folder, &arguments.format, platform, part)?;
    let mut results = simulation.play(&mut jobs, &mut outputs).map_err(ended)?;
    if let Some(folder) = arguments.out.as_ref().filter(|_| arguments.force) {
        out::clear(&folder.into())?;
    }
    external::keep(results.estimated_waiting_times.as_deref(), folder)?;
    let file = arguments.workload.file_name().unwrap_or_default().to_string_lossy();
    outputs.finish(&results.summary, &format!("{} on {file}", results.policy), zero)?;
    results.summary.simulation_time = Some(began.elapsed().as_secs_f64());
    Ok(results)
}

fn message_log<'a>(file: &Path) -> Result<MessageLog<'a>, Failure> {
    Ok(Box::new(read_messages(files::open(file)?)))
}

fn ended(arguments: &Arguments, cluster: &ClusterInputs, error: PlayError) -> Ended {
    Ended::Failed(match error {
        PlayError::Simulation(SimulationError::Workload(WorkloadError::Disordered { .. })) => {
            return Ended::Disordered;
        }
        PlayError::Simulation(SimulationError::Workload(error)) => {
            files::bad_input(&arguments.workload, error)
        }
        PlayError::Simulation(SimulationError::MessageLog(error)) => {
            let file = arguments.batches.as_deref().unwrap_or(Path::new("--batches"));
            files::bad_input(file, error)
        }
        error => coverage::failure(cluster, error),
    })
}
