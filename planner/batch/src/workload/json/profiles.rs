//! Batsim's profiles: what jobs do, by the names of versions 3 to 5, and what each comes to on so many machines.

use std::collections::HashMap;
use std::sync::Arc;

use network::replay::ApplicationTrace;
use serde::Deserialize;
use serde_json::Value;

use super::sum::Sum;
use super::traces::{FilesBeside, read_traces};
use crate::communication::{JobProgram, MachineNetwork, Step, TaskProfile};
use crate::job::{Utilisation, Work};
use crate::time::Time;

/// Sequences in sequences, at most.
const DEEPEST: usize = 50;

#[derive(Deserialize)]
struct Described {
    /// From 0 to 1.
    utilisation: Option<f64>,
    #[serde(flatten)]
    profile: Profile,
    /// Of a replay.
    #[serde(skip)]
    application: Option<Arc<ApplicationTrace>>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Profile {
    Delay {
        delay: f64,
    },
    #[serde(alias = "ptask_homogeneous")]
    ParallelHomogeneous {
        cpu: f64,
        #[serde(default)]
        com: f64,
        #[serde(default)]
        generation_strategy: Strategy,
    },
    ParallelHomogeneousTotal {
        cpu: f64,
        #[serde(default)]
        com: f64,
    },
    #[serde(alias = "ptask")]
    Parallel {
        cpu: Vec<f64>,
        #[serde(default)]
        com: Vec<f64>,
    },
    #[serde(alias = "ptask_on_storage_homogeneous")]
    ParallelHomogeneousPfs {
        #[serde(default)]
        bytes_to_read: f64,
        #[serde(default)]
        bytes_to_write: f64,
        #[serde(alias = "host")]
        storage: Option<Box<str>>,
        #[serde(default)]
        generation_strategy: Strategy,
    },
    #[serde(alias = "ptask_data_staging_between_storages")]
    DataStaging {
        nb_bytes: f64,
        from: Box<str>,
        to: Box<str>,
    },
    /// What its kind of trace is, its actions say.
    TraceReplay {
        trace_type: TraceType,
        trace_file: Box<str>,
    },
    /// A replay as Batsim had it before version 3.
    Smpi {
        trace: Box<str>,
    },
    #[serde(alias = "sequence", alias = "sequential_composition")]
    Composed {
        seq: Vec<String>,
        #[serde(default = "once", alias = "nb")]
        repeat: u32,
    },
}

impl Profile {
    const fn is_usage(&self) -> bool {
        matches!(self, Self::TraceReplay { trace_type: TraceType::Usage, .. })
    }
}

const fn once() -> u32 {
    1
}

/// What the amounts of a homogeneous profile are, as version 5 says it.
#[derive(Clone, Copy, Default, Deserialize)]
enum Strategy {
    #[default]
    #[serde(rename = "defined_amount_used_for_each_value")]
    Each,
    #[serde(rename = "defined_amount_spread_uniformly")]
    Spread,
}

/// What a trace of an application tells: what its ranks send and compute, or how much of their machines they use.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TraceType {
    Smpi,
    Usage,
}

/// Profiles by name.
#[derive(Default)]
pub(crate) struct Profiles {
    described: HashMap<String, Described>,
    /// Those that a network plays, as far as jobs had them.
    programs: HashMap<String, Arc<JobProgram>>,
}

/// What a job of a profile does.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(crate) struct Done {
    pub(crate) work: Work,
    pub(crate) utilisation: Option<Utilisation>,
    /// Whether it does nothing at all.
    pub(crate) nothing: bool,
    /// Whether machines do different amounts of it, and no network plays that.
    pub(crate) uneven: bool,
    /// Whether its power is not known.
    pub(crate) mixed: bool,
    /// Whether it communicates, and that takes no time.
    pub(crate) communicates: bool,
    /// Whether a network would play it otherwise.
    pub(crate) needs_network: bool,
}

impl Profiles {
    /// Adds a profile, in place of another of this name; the traces that it names are read.
    pub(crate) fn insert(
        &mut self,
        name: &str,
        value: Value,
        files: FilesBeside<'_>,
    ) -> Result<(), String> {
        let described = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let mut described: Described = described;
        let (Profile::TraceReplay { trace_file: file, .. } | Profile::Smpi { trace: file }) =
            &described.profile
        else {
            self.add(name, described);
            return Ok(());
        };
        let application = read_traces(file, files)?;
        if described.profile.is_usage() && application.communicates() {
            return Err(
                "its trace_type is usage, and its ranks communicate: that is smpi".to_owned()
            );
        }
        described.application = Some(application);
        self.add(name, described);
        Ok(())
    }

    fn add(&mut self, name: &str, described: Described) {
        self.programs.clear();
        self.described.insert(name.to_owned(), described);
    }

    /// What a job of this profile does on so many machines: as parallel tasks where there is a network and it takes
    /// one to tell how long the job lasts or what its machines draw.
    pub(crate) fn done(
        &mut self,
        name: &str,
        nodes: u32,
        network: Option<&MachineNetwork>,
    ) -> Result<Done, String> {
        let sum = self.sum(name, nodes, DEEPEST)?;
        let delay = Time::from_seconds_f64(sum.delay_s)
            .ok_or("its delay is beyond what can be simulated")?;
        let needs_network = sum.communicates || sum.uneven || sum.mixed() || sum.replays;
        let utilisation = sum.utilisation;
        let Some(network) = network.filter(|_| needs_network) else {
            return Ok(Done {
                work: sum.work(delay),
                utilisation,
                nothing: delay <= Time::ZERO && sum.operations <= 0.0,
                uneven: sum.uneven,
                mixed: sum.mixed(),
                communicates: sum.communicates,
                needs_network,
            });
        };
        let work = Work::Program(self.program(name, network)?);
        let (nothing, uneven, mixed, communicates) = (false, false, false, false);
        Ok(Done { work, utilisation, nothing, uneven, mixed, communicates, needs_network })
    }

    /// A profile as steps. It was summed up before, so that it is sound and does not go round in circles.
    fn program(&mut self, name: &str, network: &MachineNetwork) -> Result<Arc<JobProgram>, String> {
        if let Some(program) = self.programs.get(name) {
            return Ok(Arc::clone(program));
        }
        let described = self.described.get(name);
        let described = described.ok_or_else(|| format!("there is no profile {name:?}"))?;
        let step = match &described.profile {
            Profile::TraceReplay { .. } | Profile::Smpi { .. } => {
                let application = described.application.as_ref();
                let application =
                    application.ok_or_else(|| format!("profile {name:?} has no trace"))?;
                Step::Replay(Arc::clone(application))
            }
            Profile::Composed { seq, repeat } => {
                let (parts, repeat) = (seq.clone(), *repeat);
                let parts = parts.iter().map(|part| self.program(part, network));
                Step::Sequence { parts: parts.collect::<Result<_, _>>()?, repeat }
            }
            Profile::Delay { delay } => Step::Wait(*delay),
            profile => {
                let task = task(profile);
                task.check(network).map_err(|error| format!("profile {name:?}: {error}"))?;
                Step::Task(task)
            }
        };
        let program = Arc::new(JobProgram { name: name.into(), step });
        self.programs.insert(name.to_owned(), Arc::clone(&program));
        Ok(program)
    }

    /// What profile `name` comes to on each of `nodes` machines.
    fn sum(&self, name: &str, nodes: u32, deepest: usize) -> Result<Sum, String> {
        let described = self.described.get(name);
        let described = described.ok_or_else(|| format!("there is no profile {name:?}"))?;
        let sum = match &described.application {
            Some(application) => Sum::of_replay(application, nodes),
            None => self.sum_of(name, &described.profile, nodes, deepest)?,
        };
        let Some(said) = described.utilisation else { return Ok(sum) };
        let utilisation = Utilisation::of(said).ok_or_else(|| {
            format!("profile {name:?}: utilisation is a number from 0 to 1, not {said}")
        })?;
        Ok(Sum { utilisation: Some(utilisation), ..sum })
    }

    /// What a profile does, whatever it says of utilisation.
    fn sum_of(
        &self,
        name: &str,
        profile: &Profile,
        nodes: u32,
        deepest: usize,
    ) -> Result<Sum, String> {
        let wrong = |what: String| format!("profile {name:?}: {what}");
        let amount = |value: f64| {
            let fine = value.is_finite() && value >= 0.0;
            fine.then_some(value).ok_or_else(|| wrong(format!("{value} is not an amount")))
        };
        let computing = |operations: f64, com: f64| {
            let (operations, communicates) = (amount(operations)?, amount(com)? > 0.0);
            Ok(Sum { operations, communicates, ..Sum::default() })
        };
        match profile {
            Profile::Delay { delay } => Ok(Sum { delay_s: amount(*delay)?, ..Sum::default() }),
            Profile::ParallelHomogeneous { cpu, com, generation_strategy: Strategy::Each } => {
                computing(*cpu, *com)
            }
            Profile::ParallelHomogeneous { cpu, com, .. }
            | Profile::ParallelHomogeneousTotal { cpu, com } => {
                computing(*cpu / f64::from(nodes.max(1)), *com)
            }
            Profile::Parallel { cpu, com } => {
                let width = nodes as usize;
                if cpu.len() != width {
                    return Err(wrong(format!("it is for {} machines", cpu.len())));
                }
                if !com.is_empty() && com.len() != width * width {
                    let numbers = com.len();
                    return Err(wrong(format!("com has {numbers} numbers, not {width} x {width}")));
                }
                let most = cpu
                    .iter()
                    .try_fold(0.0, |most: f64, one| Ok::<_, String>(most.max(amount(*one)?)))?;
                let com =
                    com.iter().try_fold(0.0, |sum, one| Ok::<_, String>(sum + amount(*one)?))?;
                let uneven = cpu.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne());
                Ok(Sum { uneven, ..computing(most, com)? })
            }
            Profile::ParallelHomogeneousPfs { bytes_to_read, bytes_to_write, .. } => {
                amount(*bytes_to_write)?;
                computing(0.0, amount(*bytes_to_read)? + bytes_to_write)
            }
            Profile::DataStaging { nb_bytes, .. } => computing(0.0, *nb_bytes),
            // Its traces were read, and say what it does.
            Profile::TraceReplay { .. } | Profile::Smpi { .. } => Ok(Sum::default()),
            Profile::Composed { seq, repeat } => {
                let deeper = deepest.checked_sub(1);
                let deeper = deeper.ok_or_else(|| wrong("it goes round in circles".into()))?;
                let mut total = Sum::default();
                for part in seq {
                    total.add(&self.sum(part, nodes, deeper)?, f64::from(*repeat));
                }
                Ok(total)
            }
        }
    }
}

/// The parallel task of a profile that is one.
fn task(profile: &Profile) -> TaskProfile {
    match profile {
        Profile::ParallelHomogeneous { cpu, com, generation_strategy: Strategy::Each } => {
            TaskProfile::Homogeneous { operations: *cpu, bytes: *com }
        }
        Profile::ParallelHomogeneous { cpu, com, .. } => {
            TaskProfile::Spread { operations: *cpu, bytes: *com }
        }
        Profile::ParallelHomogeneousTotal { cpu, com } => {
            TaskProfile::Total { operations: *cpu, bytes: *com }
        }
        Profile::Parallel { cpu, com } => {
            TaskProfile::Written { operations: cpu.clone(), bytes: com.clone() }
        }
        Profile::ParallelHomogeneousPfs {
            bytes_to_read,
            bytes_to_write,
            storage,
            generation_strategy,
        } => TaskProfile::Storage {
            storage: storage.clone(),
            read_bytes: *bytes_to_read,
            written_bytes: *bytes_to_write,
            divided: matches!(generation_strategy, Strategy::Spread),
        },
        Profile::DataStaging { nb_bytes, from, to } => {
            TaskProfile::Staging { from: from.clone(), to: to.clone(), bytes: *nb_bytes }
        }
        // Waits, replays and sequences are no tasks.
        Profile::Delay { .. }
        | Profile::TraceReplay { .. }
        | Profile::Smpi { .. }
        | Profile::Composed { .. } => TaskProfile::Homogeneous { operations: 0.0, bytes: 0.0 },
    }
}
