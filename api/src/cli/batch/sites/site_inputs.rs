//! A site as its section and its files say it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use batch::communication::MachineNetwork;
use batch::job::Job;
use batch::platform::{Platform, PlatformDocument};
use batch::policy::{
    BackfillPart, Combination, FitPart, GatePart, OrderPart, PartKind, Policy, SwitchingPart,
};
use batch::simulation::NamedOptions;
use batch::sites::{LoadSection, PlatformSource, SiteSection, SiteSetup, drawn_load};
use batch::supplier_tables::SupplierTables;
use batch::workload::WorkloadReading;
use planner::time::Timestamp;

use super::super::arguments::Supplier;
use super::super::files::bad_input;
use super::super::inputs;
use super::super::nodes::Services;
use super::super::parts::PartArguments;
use super::super::supplier;
use crate::cli::Failure;

/// What a site is made of.
pub struct SiteInputs {
    pub platform: Platform,
    pub network: Option<MachineNetwork>,
    policy: Combination,
    options: NamedOptions,
    tables: SupplierTables,
    load: Vec<Job>,
    delays_compute: bool,
}

/// Where a section stands, and what is said for all of them.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// The experiment's file.
    pub file: &'a Path,
    /// The folder that files are named from.
    pub folder: &'a Path,
    pub origin: Option<Timestamp>,
    /// Whether workloads are left as they are.
    pub raw: bool,
    pub services: Services<'a>,
}

impl SiteInputs {
    /// Reads what a section names.
    pub fn read(around: Around<'_>, site: &SiteSection) -> Result<Self, Failure> {
        let Around { file, folder, .. } = around;
        let wrong = |error: String| bad_input(file, format!("site {:?}: {error}", site.name));
        let policy = policy(site).map_err(wrong)?;
        let options = options(site).map_err(wrong)?;
        let (platform, network) = machines(around, site)?;
        let supplier = supplier_of(around, site).map_err(wrong)?;
        let tables = supplier::tables(&supplier)?;
        let (mut load, mut delays_compute) = (Vec::new(), true);
        match &site.load {
            None => {}
            Some(LoadSection::Drawn(drawn)) => load = drawn_load(drawn),
            Some(LoadSection::File(name)) => {
                let path = folder.join(name);
                let machines = platform.machines();
                let reading =
                    WorkloadReading { machines, raw: around.raw, whole: true, duplicates: false };
                let mut workload = inputs::workload(&path, reading, &platform, network.as_ref())?;
                let jobs = workload.read_all().map_err(|error| bad_input(&path, error))?;
                (load, delays_compute) = (jobs.jobs, jobs.delays_compute);
            }
        }
        Ok(Self { platform, network, policy, options, tables, load, delays_compute })
    }

    /// What is played.
    pub fn setup<'a>(&'a self, site: &'a SiteSection) -> SiteSetup<'a> {
        SiteSetup {
            name: &site.name,
            platform: &self.platform,
            network: self.network.as_ref(),
            frontal: &site.frontal,
            policy: self.policy,
            options: &self.options,
            tables: &self.tables,
            queues: site.queues,
            speed: site.speed,
            load: &self.load,
            delays_compute: self.delays_compute,
        }
    }
}

/// The policy, or the parts that it is made of; first come, first served where nothing is said.
fn policy(site: &SiteSection) -> Result<Combination, String> {
    let policy = site.policy.as_deref().map(str::parse::<Policy>).transpose();
    let policy = policy.map_err(|error| format!("policy {error}"))?;
    let parts = PartArguments {
        order: part::<OrderPart>(site.order.as_deref())?,
        backfill: part::<BackfillPart>(site.backfill.as_deref())?,
        fit: part::<FitPart>(site.fit.as_deref())?,
        allocation: None,
        gate: part::<GatePart>(site.gate.as_deref())?,
        switching: part::<SwitchingPart>(site.switching.as_deref())?,
    };
    Ok(parts.combined(policy.or(Some(Policy::Fcfs).filter(|_| site.order.is_none()))))
}

/// A part of this name, where one is said.
fn part<P: PartKind>(name: Option<&str>) -> Result<Option<&'static P>, String> {
    let named = name.map(P::named).transpose();
    named.map_err(|error| format!("{} {error}", P::KIND))
}

fn options(site: &SiteSection) -> Result<NamedOptions, String> {
    let option = |(name, value): (&String, &toml::Value)| match value {
        toml::Value::String(text) => Ok((name.clone(), text.clone())),
        toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
            Ok((name.clone(), value.to_string()))
        }
        _ => Err(format!("option {name} must be a number, true, false or a text")),
    };
    site.options.iter().map(option).collect()
}

fn supplier_of(around: Around<'_>, site: &SiteSection) -> Result<Supplier, String> {
    let path = |name: &Option<String>| -> Option<PathBuf> {
        name.as_ref().map(|name| around.folder.join(name))
    };
    let (price, co2, cap) = (path(&site.price), path(&site.co2), path(&site.cap));
    let any = price.is_some() || co2.is_some() || cap.is_some();
    if any && around.origin.is_none() {
        let what = "price, co2 and cap go by the clock: origin at the top says what instant the simulation begins at";
        return Err(what.to_owned());
    }
    Ok(Supplier { price, co2, cap, origin: around.origin, ..Supplier::default() })
}

/// The machines, and the network between them and their frontal.
fn machines(
    around: Around<'_>,
    site: &SiteSection,
) -> Result<(Platform, Option<MachineNetwork>), Failure> {
    let Around { file, folder, services, .. } = around;
    let wrong =
        |error: &dyn std::fmt::Display| bad_input(file, format!("site {:?}: {error}", site.name));
    match &site.platform {
        None => {
            let platform = Platform::of_machines(site.machines.unwrap_or(1));
            let section = site.network_with_frontal();
            let network = section.map(|section| MachineNetwork::of_section(&section, &platform));
            let network = network.transpose().map_err(|error| wrong(&error))?;
            Ok((platform, network))
        }
        Some(PlatformSource::Here(document)) => {
            let platform = written(document).map_err(|error| wrong(&error))?;
            let section = document.network.as_ref();
            let network = section.map(|section| MachineNetwork::of_section(section, &platform));
            let network = network.transpose().map_err(|error| wrong(&error))?;
            Ok((platform, network))
        }
        Some(PlatformSource::File(name)) => {
            let is_url = name.starts_with("http://") || name.starts_with("https://");
            let path = if is_url { PathBuf::from(name) } else { folder.join(name) };
            let platform = inputs::platform(Some(&path), None, services)?;
            let network = inputs::network(&path, &platform)?;
            Ok((platform, network))
        }
    }
}

/// Machines that are written in the experiment.
fn written(document: &PlatformDocument) -> Result<Platform, batch::platform::PlatformError> {
    Platform::new(&document.machines(&BTreeMap::new())?)
}
