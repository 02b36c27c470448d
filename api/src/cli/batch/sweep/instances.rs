//! From a grid to its instances: one simulation each, the last part changing fastest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use batch::job::Job;
use batch::platform::Platform;
use batch::policy::Setting;
use batch::workload::{Cleaning, Reading};
use sha2::{Digest, Sha256};

use super::super::arguments::{Arguments, Decider, Options, Supplier};
use super::super::files;
use super::super::formats::Format;
use super::super::inputs::{self, Held, Workload};
use super::super::nodes::Services;
use super::super::run::Given;
use super::grid::{Grid, GridWorkload, MOST, Source, Way, place};
use crate::cli::Failure;
use crate::cli::identity::Identity;

/// One simulation of a grid, by places in its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    pub workload: usize,
    pub platform: usize,
    /// Of a drawn workload.
    pub seed: Option<u64>,
    pub way: usize,
}

/// A grid with its platforms, every part of which was looked at.
pub struct Campaign {
    path: PathBuf,
    pub grid: Grid,
    pub instances: Vec<Instance>,
    /// By workload and platform.
    given: Vec<Vec<Given>>,
    /// What the files held, by path.
    pub digests: BTreeMap<PathBuf, String>,
    /// The workload that was used last.
    latest: Mutex<Option<(Key, Arc<Held>)>>,
}

/// Workload, platform and seed.
type Key = (usize, usize, Option<u64>);

impl Campaign {
    /// Reads platforms and workloads; everything that is wrong with any instance.
    pub fn of(path: &Path, grid: Grid) -> Result<Self, Failure> {
        let mut campaign = Self {
            path: path.to_owned(),
            instances: instances(&grid),
            grid,
            given: Vec::new(),
            digests: BTreeMap::new(),
            latest: Mutex::new(None),
        };
        let mut errors = Vec::new();
        campaign.read_platforms(&mut errors)?;
        errors.extend(campaign.wrong_ways());
        if campaign.instances.len() > MOST {
            errors.push(place(path, 1, format!("there are more than {MOST} combinations")));
        }
        if errors.is_empty() {
            campaign.read_workloads(&mut errors)?;
        }
        if errors.is_empty() { Ok(campaign) } else { Err(Failure::BadInput(errors)) }
    }

    /// What is wrong with the parameters of policies, each at its line.
    fn wrong_ways(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for way in &self.grid.ways {
            let instance = Instance { workload: 0, platform: 0, seed: None, way: 0 };
            let arguments = self.arguments_of(way, instance, None);
            let wrong = match arguments.options() {
                Err(Failure::BadInput(wrong)) => wrong,
                Ok(options) => self.wrong_options(way, &arguments, &options),
                Err(_) => Vec::new(),
            };
            for error in wrong {
                let error = self.at_option(way, &error);
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// What is wrong with a policy's own options, on the platforms that could be read.
    fn wrong_options(&self, way: &Way, arguments: &Arguments, options: &Options) -> Vec<String> {
        let Decider::Policy(policy) = way.policy else { return Vec::new() };
        let (allocation, tie) = (arguments.allocation(), arguments.tie());
        let wrong = |given: &Given| {
            let setting = Setting {
                platform: &given.platform,
                allocation,
                tie,
                options: &options.policy,
                tables: &given.tables,
                reservations: &given.reservations,
            };
            policy.scheduler(&setting).err().unwrap_or_default()
        };
        self.given.iter().flatten().flat_map(wrong).collect()
    }

    /// The line of the option that an error begins with, else of the policy.
    fn at_option(&self, way: &Way, error: &str) -> String {
        let begins = |(name, ..): &&(String, String, usize)| error.starts_with(name.as_str());
        let line = way.options.iter().find(begins).map_or(way.line, |(_, _, line)| *line);
        place(&self.path, line, error)
    }

    fn read_platforms(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        for workload in &self.grid.workloads {
            let mut platforms = Vec::new();
            for platform in &self.grid.platforms {
                let machines = workload.machines.or(platform.machines);
                let services = Services::Refused;
                let read = match inputs::platform(platform.file.as_deref(), machines, services) {
                    Ok(read) => read,
                    Err(failure) => {
                        errors.extend(located(&self.path, platform.line, failure)?);
                        continue;
                    }
                };
                let (supplier, line) = &self.grid.supplier;
                match Given::of(read, supplier) {
                    Ok(read) => platforms.push(read),
                    Err(failure) => errors.extend(located(&self.path, *line, failure)?),
                }
            }
            self.given.push(platforms);
        }
        errors.dedup();
        let supplier = &self.grid.supplier.0;
        let tables = [&supplier.price, &supplier.co2, &supplier.cap, &supplier.reservations];
        let platforms = self.grid.platforms.iter().map(|platform| &platform.file);
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
        for (number, workload) in self.grid.workloads.iter().enumerate() {
            let Source::File(file) = &workload.source else { continue };
            files.push(file.clone());
            for given in &self.given[number] {
                if let Err(failure) = hold(workload, None, &given.platform) {
                    errors.extend(located(&self.path, workload.line, failure)?);
                    break;
                }
            }
        }
        for file in files.iter().filter(|_| errors.is_empty()) {
            self.digest(file);
        }
        Ok(())
    }

    /// Keeps in mind what a file holds; a file that is not there was complained of already.
    fn digest(&mut self, file: &Path) {
        if let Ok(content) = fs::read(file) {
            self.digests.insert(file.to_owned(), hex::encode(Sha256::digest(&content)));
        }
    }

    /// The instance as `batch run` would be told it.
    pub fn arguments(&self, instance: Instance, out: Option<PathBuf>) -> Arguments {
        self.arguments_of(&self.grid.ways[instance.way], instance, out)
    }

    fn arguments_of(&self, way: &Way, instance: Instance, out: Option<PathBuf>) -> Arguments {
        let workload = &self.grid.workloads[instance.workload];
        let named = |(name, value, _): &(String, String, usize)| (name.clone(), value.clone());
        Arguments {
            workload: match &workload.source {
                Source::File(file) => file.clone(),
                Source::Drawn(..) => PathBuf::from(&workload.name),
            },
            machines: workload.machines,
            policy: way.policy,
            socket: String::new(),
            socket_timeout_s: 0,
            events: None,
            allocation: way.allocation,
            tie: way.tie,
            batches: None,
            platform: None,
            identity: Identity::default(),
            supplier: Supplier::default(),
            raw: workload.raw,
            keep_duplicates: workload.keep_duplicates,
            options: way.options.iter().map(named).collect(),
            out,
            force: false,
            format: vec![Format::Csv],
            report_from: None,
            report_to: None,
        }
    }

    /// What an instance is played on.
    pub fn given(&self, instance: Instance) -> &Given {
        &self.given[instance.workload][instance.platform]
    }

    /// The jobs of an instance, which end early once `stopped` is set.
    pub fn jobs(&self, instance: Instance, stopped: &Arc<AtomicBool>) -> Result<Workload, Failure> {
        let key = (instance.workload, instance.platform, instance.seed);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let held = match &*latest {
            Some((of, held)) if *of == key => Arc::clone(held),
            _ => {
                let workload = &self.grid.workloads[instance.workload];
                let held = Arc::new(hold(workload, instance.seed, &self.given(instance).platform)?);
                *latest = Some((key, Arc::clone(&held)));
                held
            }
        };
        Ok(Workload::Held { held, next: 0, stopped: Arc::clone(stopped) })
    }
}

/// The jobs of a workload in memory.
fn hold(workload: &GridWorkload, seed: Option<u64>, platform: &Platform) -> Result<Held, Failure> {
    let machines = platform.machines();
    match &workload.source {
        Source::File(file) => {
            let reading = Reading {
                machines,
                raw: workload.raw,
                whole: true,
                duplicates: workload.keep_duplicates,
            };
            let source = files::open_unseen(file)?;
            Workload::read_from(source, file, reading, platform)?.hold(file)
        }
        Source::Drawn(model, count) => {
            let drawn = model.jobs(*count, machines, seed.unwrap_or_default());
            let jobs_read = drawn.len() as u64;
            let fits = |job: &Job| workload.raw || job.nodes <= machines;
            let jobs: Vec<_> = drawn.into_iter().filter(fits).collect();
            let jobs_kept = jobs.len() as u64;
            let dropped_too_large = jobs_read - jobs_kept;
            let cleaning =
                Cleaning { jobs_read, jobs_kept, dropped_too_large, ..Cleaning::default() };
            Ok(Held { jobs, cleaning, jobs_communicating: 0, delays_compute: true })
        }
    }
}

/// Bad input, at the line of the grid file that names it.
fn located(path: &Path, line: usize, failure: Failure) -> Result<Vec<String>, Failure> {
    match failure {
        Failure::BadInput(errors) => {
            Ok(errors.into_iter().map(|error| place(path, line, error)).collect())
        }
        other => Err(other),
    }
}

/// Every combination, workloads changing slowest. Seeds count for drawn workloads only.
fn instances(grid: &Grid) -> Vec<Instance> {
    let mut instances = Vec::new();
    for (workload, of) in grid.workloads.iter().enumerate() {
        let seeds = match of.source {
            Source::File(_) => vec![None],
            Source::Drawn(..) => grid.seeds.iter().copied().map(Some).collect(),
        };
        for platform in 0..grid.platforms.len() {
            for &seed in &seeds {
                let ways = 0..grid.ways.len();
                instances.extend(ways.map(|way| Instance { workload, platform, seed, way }));
            }
        }
    }
    instances
}
