//! From the file of a sweep to its instances: one simulation each, the last part changing fastest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use batch::communication::MachineNetwork;
use batch::job::Job;
use batch::platform::Platform;
use batch::simulation::{Decider, Inputs, NamedOptions, Simulation, SimulationOptions};
use batch::workload::{Cleaning, JobsInMemory, Workload, WorkloadReading};
use sha2::{Digest, Sha256};

use super::super::arguments::check_tie;
use super::super::cluster_inputs::ClusterInputs;
use super::super::inputs::FilesRead;
use super::super::nodes::Services;
use super::super::{files, inputs};
use super::file::{JobSource, SweepFile, SweptWorkload};
use super::policies::SweptPolicy;
use super::text::{MOST, place};
use crate::cli::Failure;

/// One simulation of a sweep, by places in the lists of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    pub workload: usize,
    pub platform: usize,
    /// Of a drawn workload.
    pub seed: Option<u64>,
    pub policy: usize,
}

/// A sweep with its platforms, every part of which was looked at.
pub struct Sweep {
    path: PathBuf,
    pub file: SweepFile,
    pub instances: Vec<Instance>,
    /// By workload and platform.
    clusters: Vec<Vec<ClusterInputs>>,
    /// By policy: the options of every policy, and its own.
    options: Vec<(SimulationOptions, NamedOptions)>,
    /// What the files held, by path.
    pub digests: BTreeMap<PathBuf, String>,
    /// The workload that was used last.
    latest: Mutex<Option<(Key, Arc<JobsInMemory>)>>,
}

/// Workload, platform, seed, and whether jobs communicate over the platform's network.
type Key = (usize, usize, Option<u64>, bool);

impl Sweep {
    /// Reads platforms and workloads; everything that is wrong with any instance.
    pub fn of(path: &Path, file: SweepFile) -> Result<Self, Failure> {
        let mut sweep = Self {
            path: path.to_owned(),
            instances: instances(&file),
            file,
            clusters: Vec::new(),
            options: Vec::new(),
            digests: BTreeMap::new(),
            latest: Mutex::new(None),
        };
        let mut errors = Vec::new();
        sweep.read_platforms(&mut errors)?;
        errors.extend(sweep.read_policies());
        if sweep.instances.len() > MOST {
            errors.push(place(path, 1, format!("there are more than {MOST} combinations")));
        }
        if errors.is_empty() {
            sweep.read_workloads(&mut errors)?;
        }
        if errors.is_empty() { Ok(sweep) } else { Err(Failure::BadInput(errors)) }
    }

    /// Reads the options of policies; what is wrong with them and with policies' other parameters, each at
    /// its line.
    fn read_policies(&mut self) -> Vec<String> {
        let mut errors: Vec<String> = Vec::new();
        for number in 0..self.file.policies.len() {
            let policy = &self.file.policies[number];
            let named = |(name, value, _): &(String, String, usize)| (name.clone(), value.clone());
            let named: NamedOptions = policy.options.iter().map(named).collect();
            let (options, mut wrong) = match SimulationOptions::read(&named) {
                Ok(options) => (options, Vec::new()),
                Err(errors) => (Default::default(), errors),
            };
            wrong.extend(check_tie(policy.tie.into(), policy.combination().allocation()).err());
            self.options.push(options);
            if wrong.is_empty() {
                wrong = self.wrong_options(number);
            }
            for error in wrong {
                let error = self.at_option(&self.file.policies[number], &error);
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// What is wrong with a policy's own options, on the platforms that could be read.
    fn wrong_options(&self, policy: usize) -> Vec<String> {
        let wrong = |cluster: &ClusterInputs| {
            let simulation = self.simulation_on(cluster, policy, false);
            simulation.check_options().err().unwrap_or_default()
        };
        self.clusters.iter().flatten().flat_map(wrong).collect()
    }

    /// The line of the option that an error begins with, else of the policy.
    fn at_option(&self, policy: &SweptPolicy, error: &str) -> String {
        let begins = |(name, ..): &&(String, String, usize)| error.starts_with(name.as_str());
        let line = policy.options.iter().find(begins).map_or(policy.line, |(_, _, line)| *line);
        place(&self.path, line, error)
    }

    fn read_platforms(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        for workload in &self.file.workloads {
            let mut platforms = Vec::new();
            for platform in &self.file.platforms {
                let machines = workload.machines.or(platform.machines);
                let services = Services::Refused;
                let read = match inputs::platform(platform.file.as_deref(), machines, services) {
                    Ok(read) => read,
                    Err(failure) => {
                        errors.extend(located(&self.path, platform.line, failure)?);
                        continue;
                    }
                };
                let (supplier, line) = &self.file.supplier;
                match ClusterInputs::read(read, supplier) {
                    Ok(read) => platforms.push(read),
                    Err(failure) => errors.extend(located(&self.path, *line, failure)?),
                }
            }
            self.clusters.push(platforms);
        }
        errors.dedup();
        let supplier = &self.file.supplier.0;
        let tables = [&supplier.price, &supplier.co2, &supplier.cap, &supplier.reservations];
        let platforms = self.file.platforms.iter().map(|platform| &platform.file);
        let mut files: Vec<PathBuf> = platforms.chain(tables).flatten().cloned().collect();
        let nodes = files.iter().flat_map(|file| inputs::files_of_nodes(file));
        files.extend(nodes.collect::<Vec<PathBuf>>());
        for file in &files {
            self.digest(file);
        }
        Ok(())
    }

    fn read_workloads(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        let mut files = Vec::new();
        for number in 0..self.file.workloads.len() {
            let JobSource::File(file) = &self.file.workloads[number].source else { continue };
            files.push(file.clone());
            for place in 0..self.clusters[number].len() {
                if let Err((line, failure)) = self.read_for(number, place) {
                    errors.extend(located(&self.path, line, failure)?);
                    break;
                }
            }
        }
        for file in files.iter().filter(|_| errors.is_empty()) {
            self.digest(file);
        }
        Ok(())
    }

    /// Reads a workload for a platform, whose network is read too where jobs communicate over it: what is wrong, and the line of
    /// the file that it belongs to.
    fn read_for(&mut self, number: usize, place: usize) -> Result<(), (usize, Failure)> {
        let (workload, platform) = (&self.file.workloads[number], &self.file.platforms[place]);
        let of_workload = |failure| (workload.line, failure);
        let cluster = &self.clusters[number][place];
        let communicates = self.communicates(workload, cluster).map_err(of_workload)?;
        let network = match platform.file.as_deref().filter(|_| communicates) {
            Some(file) => inputs::network(file, &cluster.platform),
            None => Ok(None),
        };
        let network = network.map_err(|failure| (platform.line, failure))?;
        let (_, beside) =
            hold(workload, None, &cluster.platform, network.as_ref()).map_err(of_workload)?;
        self.clusters[number][place].network = network;
        for file in &beside {
            self.digest(file);
        }
        Ok(())
    }

    /// Whether jobs of a workload communicate, and some policy lets that take time.
    fn communicates(
        &self,
        workload: &SweptWorkload,
        cluster: &ClusterInputs,
    ) -> Result<bool, Failure> {
        let wanted = self.options.iter().any(|(options, _)| options.network);
        let JobSource::File(file) = &workload.source else { return Ok(false) };
        if !wanted {
            return Ok(false);
        }
        let any = Platform::of_machines(cluster.platform.machines());
        let source = files::open_unseen(file)?;
        let beside = FilesRead::beside(file);
        let opened =
            Workload::open(source, reading(workload, any.machines()), &any, None, &|name| {
                beside.read(name)
            });
        Ok(opened.map_err(|error| files::bad_input(file, error))?.needs_network())
    }

    /// What jobs communicate over under a policy, where that takes time.
    fn network<'a>(&self, cluster: &'a ClusterInputs, policy: usize) -> Option<&'a MachineNetwork> {
        cluster.network.as_ref().filter(|_| self.options[policy].0.network)
    }

    /// Keeps in mind what a file holds; a file that is not there was complained of already.
    fn digest(&mut self, file: &Path) {
        if let Ok(content) = fs::read(file) {
            self.digests.insert(file.to_owned(), hex::encode(Sha256::digest(&content)));
        }
    }

    /// What an instance is played on.
    pub fn cluster(&self, instance: Instance) -> &ClusterInputs {
        &self.clusters[instance.workload][instance.platform]
    }

    /// The simulation of an instance.
    pub fn simulation(&self, instance: Instance, tells_machines: bool) -> Simulation<'_> {
        self.simulation_on(self.cluster(instance), instance.policy, tells_machines)
    }

    fn simulation_on<'a>(
        &'a self,
        cluster: &'a ClusterInputs,
        policy: usize,
        tells_machines: bool,
    ) -> Simulation<'a> {
        let (swept, (options, own)) = (&self.file.policies[policy], &self.options[policy]);
        Simulation {
            inputs: Inputs { network: self.network(cluster, policy), ..cluster.inputs() },
            decider: Decider::Policy {
                policy: swept.combination(),
                options: own,
                message_log: None,
            },
            tie: swept.tie.into(),
            options: *options,
            tells_machines,
        }
    }

    /// The jobs of an instance, which end early once `stopped` is set.
    pub fn jobs(&self, instance: Instance, stopped: &Arc<AtomicBool>) -> Result<Workload, Failure> {
        let cluster = self.cluster(instance);
        let network = self.network(cluster, instance.policy);
        let key = (instance.workload, instance.platform, instance.seed, network.is_some());
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = match &*latest {
            Some((of, jobs)) if *of == key => Arc::clone(jobs),
            _ => {
                let workload = &self.file.workloads[instance.workload];
                let (jobs, _) = hold(workload, instance.seed, &cluster.platform, network)?;
                let jobs = Arc::new(jobs);
                *latest = Some((key, Arc::clone(&jobs)));
                jobs
            }
        };
        Ok(Workload::shared(jobs, Arc::clone(stopped)))
    }
}

/// How a workload is read.
const fn reading(workload: &SweptWorkload, machines: u32) -> WorkloadReading {
    let (raw, duplicates) = (workload.raw, workload.keep_duplicates);
    WorkloadReading { machines, raw, whole: true, duplicates }
}

/// The jobs of a workload in memory, and the files that it names.
fn hold(
    workload: &SweptWorkload,
    seed: Option<u64>,
    platform: &Platform,
    network: Option<&MachineNetwork>,
) -> Result<(JobsInMemory, Vec<PathBuf>), Failure> {
    let machines = platform.machines();
    match &workload.source {
        JobSource::File(file) => {
            let source = files::open_unseen(file)?;
            let beside = FilesRead::beside(file);
            let reading = reading(workload, machines);
            let opened =
                Workload::open(source, reading, platform, network, &|name| beside.read(name));
            let jobs = opened.and_then(|mut jobs| jobs.read_all());
            let jobs = jobs.map_err(|error| files::bad_input(file, error))?;
            Ok((jobs, beside.into_paths()))
        }
        JobSource::Drawn(model, count) => {
            let drawn = model.jobs(*count, machines, seed.unwrap_or_default());
            let jobs_read = drawn.len() as u64;
            let fits = |job: &Job| workload.raw || job.nodes <= machines;
            let jobs: Vec<_> = drawn.into_iter().filter(fits).collect();
            let jobs_kept = jobs.len() as u64;
            let dropped_too_large = jobs_read - jobs_kept;
            let cleaning =
                Cleaning { jobs_read, jobs_kept, dropped_too_large, ..Cleaning::default() };
            let (jobs_communicating, delays_compute) = (0, true);
            let held = JobsInMemory { jobs, cleaning, jobs_communicating, delays_compute };
            Ok((held, Vec::new()))
        }
    }
}

/// Bad input, at the line of the file that names it.
fn located(path: &Path, line: usize, failure: Failure) -> Result<Vec<String>, Failure> {
    match failure {
        Failure::BadInput(errors) => {
            Ok(errors.into_iter().map(|error| place(path, line, error)).collect())
        }
        other => Err(other),
    }
}

/// Every combination, workloads changing slowest. Seeds count for drawn workloads only.
fn instances(file: &SweepFile) -> Vec<Instance> {
    let mut instances = Vec::new();
    for (workload, of) in file.workloads.iter().enumerate() {
        let seeds = match of.source {
            JobSource::File(_) => vec![None],
            JobSource::Drawn(..) => file.seeds.iter().copied().map(Some).collect(),
        };
        for platform in 0..file.platforms.len() {
            for &seed in &seeds {
                let policies = 0..file.policies.len();
                let instance = |policy| Instance { workload, platform, seed, policy };
                instances.extend(policies.map(instance));
            }
        }
    }
    instances
}
