//! From what is asked for to instances: one simulation each, the last part changing fastest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use batch::dispatch::jobs::EURORA_SYSTEM;
use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::system::System;
use batch::dispatch::{SharesFile, UnitSupply};
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};

use super::super::super::files;
use super::super::super::nodes::Services;
use super::super::super::system::read_shares;
use super::super::super::system_source::{self, SystemSource};
use super::super::super::system_supply::SystemSupply;
use super::super::super::unit_workload::UnitWorkload;
use super::super::text::{MOST, place};
use super::file::{AskedSweep, UnitSource};
use super::policies::SystemPolicy;
use super::supplies::SweptSupply;
use crate::cli::Failure;

/// One simulation of a sweep, by places in its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemInstance {
    pub workload: usize,
    pub system: usize,
    /// Of a drawn workload.
    pub seed: Option<u64>,
    pub policy: usize,
    pub supply: usize,
    pub factors: usize,
}

/// A sweep with its systems, every part of which was looked at.
pub struct SystemSweep {
    pub asked: AskedSweep,
    pub systems: Vec<System>,
    supplies: Vec<SystemSupply>,
    shares: Option<SharesFile>,
    pub instances: Vec<SystemInstance>,
    /// By workload and system, of files.
    jobs: BTreeMap<(usize, usize), u64>,
    digests: BTreeMap<PathBuf, String>,
}

impl SystemSweep {
    /// Reads systems, supplies, shares and workloads; everything that is wrong with any instance.
    pub fn of(asked: AskedSweep) -> Result<Self, Failure> {
        let mut sweep = Self {
            instances: instances(&asked),
            systems: Vec::new(),
            supplies: Vec::new(),
            shares: asked.shares.as_deref().map(read_shares).transpose()?,
            asked,
            jobs: BTreeMap::new(),
            digests: BTreeMap::new(),
        };
        let mut errors = Vec::new();
        if sweep.instances.len() > MOST {
            errors.push(sweep.at(None, &format!("there are more than {MOST} combinations")));
        }
        sweep.read_systems(&mut errors)?;
        sweep.read_supplies(&mut errors)?;
        if errors.is_empty() {
            sweep.check_policies(&mut errors);
        }
        if errors.is_empty() {
            sweep.read_workloads(&mut errors)?;
        }
        sweep.digest_files();
        if errors.is_empty() { Ok(sweep) } else { Err(Failure::BadInput(errors)) }
    }

    /// An error at a line of the file, if there is one.
    fn at(&self, line: Option<usize>, what: &str) -> String {
        match (&self.asked.path, line) {
            (Some(path), line) => place(path, line.unwrap_or(1), what),
            (None, _) => what.to_owned(),
        }
    }

    fn located(
        &self,
        line: Option<usize>,
        failure: Failure,
        errors: &mut Vec<String>,
    ) -> Result<(), Failure> {
        match failure {
            Failure::BadInput(wrong) => {
                errors.extend(wrong.iter().map(|what| self.at(line, what)));
                Ok(())
            }
            other => Err(other),
        }
    }

    fn read_systems(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        for system in &self.asked.systems {
            let read = match &system.file {
                Some(file) => {
                    system_source::read(file, Services::Refused).map(SystemSource::system)
                }
                None => Ok(System::parse(EURORA_SYSTEM)?),
            };
            match read {
                Ok(read) => self.systems.push(read),
                Err(failure) => self.located(system.line, failure, errors)?,
            }
        }
        Ok(())
    }

    fn read_supplies(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        for supply in &self.asked.supplies {
            match SystemSupply::read(&supply.supplier, supply.budgets.as_deref()) {
                Ok(read) => self.supplies.push(read),
                Err(failure) => self.located(supply.line, failure, errors)?,
            }
        }
        Ok(())
    }

    /// Every policy on every system with every supply.
    fn check_policies(&self, errors: &mut Vec<String>) {
        let factors = BTreeMap::new();
        for policy in &self.asked.policies {
            let on = |system| policy.simulation(system, self.shares.as_ref(), &factors);
            for simulation in self.systems.iter().map(on) {
                let supplies =
                    self.supplies.iter().map(|it| it.supply(Some(policy.power_estimate)));
                let checked = supplies.filter_map(|supply| simulation.check_with(&supply).err());
                for wrong in checked.flatten() {
                    let wrong = self.at(policy.line, &wrong);
                    if !errors.contains(&wrong) {
                        errors.push(wrong);
                    }
                }
            }
        }
    }

    /// Reads every file on every system once, so that what is wrong is told before anything is played.
    fn read_workloads(&mut self, errors: &mut Vec<String>) -> Result<(), Failure> {
        let mut counts = BTreeMap::new();
        for (number, workload) in self.asked.workloads.iter().enumerate() {
            let UnitSource::File(file) = &workload.source else { continue };
            for (place, system) in self.systems.iter().enumerate() {
                match count(file, system) {
                    Ok(jobs) => {
                        counts.insert((number, place), jobs);
                    }
                    Err(failure) => self.located(workload.line, failure, errors)?,
                }
            }
        }
        self.jobs = counts;
        Ok(())
    }

    /// Keeps in mind what files hold; a file that is not there was complained of already.
    fn digest_files(&mut self) {
        let workloads = self.asked.workloads.iter().filter_map(|it| match &it.source {
            UnitSource::File(file) => Some(file),
            UnitSource::Eurora(..) => None,
        });
        let systems = self.asked.systems.iter().filter_map(|it| it.file.as_ref());
        let supplies = self.asked.supplies.iter().flat_map(SweptSupply::files);
        for file in workloads.chain(systems).chain(supplies).chain(&self.asked.shares) {
            if let Ok(content) = fs::read(file) {
                self.digests.insert(file.clone(), hex::encode(Sha256::digest(&content)));
            }
        }
    }

    /// What a journal is of: another sweep, other contents of its files or another program begin anew.
    pub fn fingerprint(&self) -> anyhow::Result<String> {
        let asked = &self.asked;
        let workload = |it: &super::file::SweptUnits| match &it.source {
            UnitSource::File(file) => format!("{} {}", it.name, file.display()),
            UnitSource::Eurora(span, jobs) => format!("{} {} {jobs}", it.name, span.name),
        };
        let workloads: Vec<String> = asked.workloads.iter().map(workload).collect();
        let systems: Vec<(&str, &Option<PathBuf>)> =
            asked.systems.iter().map(|it| (it.name.as_str(), &it.file)).collect();
        let policy = |it: &SystemPolicy| {
            let parts = [it.fit.about.name, it.estimate.about.name, it.power_estimate.about.name];
            format!("{} {}", it.scheduler(), parts.join(" "))
        };
        let supply = |it: &SweptSupply| {
            let files = it.files().map(|file| file.display().to_string());
            let files: Vec<String> = files.collect();
            let origin = it.supplier.origin.map(|origin| origin.to_string());
            (it.name.clone(), files, origin, it.supplier.allow_uncovered)
        };
        let supplies: Vec<_> = asked.supplies.iter().map(supply).collect();
        let policies: Vec<String> = asked.policies.iter().map(policy).collect();
        let version = env!("CARGO_PKG_VERSION");
        let lists = (workloads, systems, supplies, policies, &asked.factors, &asked.seeds);
        Ok(serde_json::to_string(&("systems", version, lists, &self.digests))?)
    }

    /// The files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.digests.keys().map(PathBuf::as_path)
    }

    /// The simulation of an instance.
    pub fn simulation(&self, instance: SystemInstance) -> UnitSimulation<'_> {
        let factors = &self.asked.factors[instance.factors];
        let policy = &self.asked.policies[instance.policy];
        policy.simulation(&self.systems[instance.system], self.shares.as_ref(), factors)
    }

    /// What an instance is played with.
    pub fn supply(&self, instance: SystemInstance) -> UnitSupply<'_> {
        let policy = &self.asked.policies[instance.policy];
        self.read_supply(instance).supply(Some(policy.power_estimate))
    }

    /// What the files of an instance's supply say.
    pub fn read_supply(&self, instance: SystemInstance) -> &SystemSupply {
        &self.supplies[instance.supply]
    }

    /// The jobs of an instance.
    pub fn jobs(&self, instance: SystemInstance) -> Result<UnitWorkload, Failure> {
        match &self.asked.workloads[instance.workload].source {
            UnitSource::File(file) => {
                let source = files::open_unseen(file)?;
                UnitWorkload::open(file, source, &self.systems[instance.system], &TimeZone::UTC)
            }
            UnitSource::Eurora(span, jobs) => {
                Ok(UnitWorkload::eurora(span, *jobs, instance.seed.unwrap_or_default()))
            }
        }
    }

    /// How many jobs an instance has.
    pub fn job_count(&self, instance: SystemInstance) -> u64 {
        match &self.asked.workloads[instance.workload].source {
            UnitSource::File(_) => {
                self.jobs.get(&(instance.workload, instance.system)).copied().unwrap_or(0)
            }
            UnitSource::Eurora(_, jobs) => u64::from(*jobs),
        }
    }

    /// The file that an instance's jobs are in.
    pub fn file(&self, instance: SystemInstance) -> Option<&Path> {
        match &self.asked.workloads[instance.workload].source {
            UnitSource::File(file) => Some(file),
            UnitSource::Eurora(..) => None,
        }
    }

    /// The instance that another one's stretches are compared with: the same without factors, if it has some and that is played; else
    /// the first of the same jobs on the same system.
    pub fn baseline(&self, number: usize) -> usize {
        let of = self.instances[number];
        let same_jobs = |it: &SystemInstance| {
            (it.workload, it.system, it.seed) == (of.workload, of.system, of.seed)
        };
        let plain = |it: &SystemInstance| {
            let same = same_jobs(it) && (it.policy, it.supply) == (of.policy, of.supply);
            same && self.asked.factors[it.factors].is_empty()
        };
        let changed = !self.asked.factors[of.factors].is_empty();
        let plain = changed.then(|| self.instances.iter().position(plain)).flatten();
        plain.or_else(|| self.instances.iter().position(same_jobs)).unwrap_or(number)
    }
}

fn count(file: &Path, system: &System) -> Result<u64, Failure> {
    let mut jobs = UnitWorkload::open(file, files::open_unseen(file)?, system, &TimeZone::UTC)?;
    let counted = jobs.try_fold(0_u64, |count, job| job.map(|_| count + 1));
    counted.map_err(|error| files::bad_input(file, error))
}

/// Every combination, workloads changing slowest. Seeds count for drawn workloads only.
fn instances(asked: &AskedSweep) -> Vec<SystemInstance> {
    let mut instances = Vec::new();
    for (workload, of) in asked.workloads.iter().enumerate() {
        let seeds = match of.source {
            UnitSource::File(_) => vec![None],
            UnitSource::Eurora(..) => asked.seeds.iter().copied().map(Some).collect(),
        };
        for system in 0..asked.systems.len() {
            for &seed in &seeds {
                for policy in 0..asked.policies.len() {
                    for supply in 0..asked.supplies.len() {
                        let factors = 0..asked.factors.len();
                        instances.extend(factors.map(|factors| SystemInstance {
                            workload,
                            system,
                            seed,
                            policy,
                            supply,
                            factors,
                        }));
                    }
                }
            }
        }
    }
    instances
}
