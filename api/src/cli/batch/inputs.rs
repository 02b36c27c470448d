//! Platforms and workloads from files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use batch::communication::{MachineNetwork, MachineNetworkError};
use batch::platform::{KnownMachine, Machine, Platform, PlatformDocument, PlatformError, read_xml};
use batch::workload::{JobsInMemory, Workload, WorkloadReading, machines_said};

use super::files::{bad_input, open, open_unseen};
use super::nodes::{self, Services};
use crate::cli::Failure;

/// The first `machines` machines of a platform file or of a service, or machines of which nothing is known.
pub fn platform(
    file: Option<&Path>,
    machines: Option<u32>,
    services: Services<'_>,
) -> Result<Platform, Failure> {
    let Some(file) = file else { return Ok(Platform::of_machines(machines.unwrap_or(1))) };
    let mut listed = listed(file, services)?;
    if let Some(asked) = machines {
        let there = u32::try_from(listed.len()).unwrap_or(u32::MAX);
        if asked > there {
            return Err(bad_input(file, PlatformError::Few { asked, there }));
        }
        listed.truncate(asked as usize);
    }
    Platform::new(&listed).map_err(|error| bad_input(file, error))
}

/// The machines of a platform: `SimGrid`'s XML, our own document, or nodes of a service.
fn listed(file: &Path, services: Services<'_>) -> Result<Vec<Machine>, Failure> {
    let machines =
        |known: Vec<KnownMachine>| known.into_iter().map(KnownMachine::machine).collect();
    if let Some(url) = file.to_str().filter(|name| nodes::is_url(name)) {
        return nodes::read(url, Path::new(""), services).map(machines);
    }
    let mut text = String::new();
    open(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
    let first = text.trim_start();
    let header = first.lines().next().unwrap_or_default();
    let table = header.contains("idle_power_w") && header.contains(',') && !header.contains('=');
    let list = first.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    if first.starts_with('<') {
        read_xml(&text).map_err(|error| bad_input(file, error))
    } else if first.starts_with('{') || list || table {
        nodes::parse(file, &text).map(machines)
    } else {
        read_toml(file, &text, services)
    }
}

fn read_toml(file: &Path, text: &str, services: Services<'_>) -> Result<Vec<Machine>, Failure> {
    let document: PlatformDocument =
        toml::from_str(text).map_err(|error| bad_input(file, error))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut known = BTreeMap::new();
    for source in document.machines.iter().filter_map(|class| class.nodes.as_ref()) {
        known.insert(source.clone(), nodes::read(source, folder, services)?);
    }
    document.machines(&known).map_err(|error| bad_input(file, error))
}

/// The files of nodes that a platform file names, where it does.
pub fn files_of_nodes(file: &Path) -> Vec<PathBuf> {
    let document = fs::read_to_string(file).ok().and_then(|text| toml::from_str(&text).ok());
    let Some(PlatformDocument { machines, .. }) = document else { return Vec::new() };
    let folder = file.parent().unwrap_or(Path::new(""));
    machines.iter().filter_map(|class| Some(folder.join(class.nodes.as_ref()?))).collect()
}

/// How many machines a workload says that there are, and where.
pub fn machines_of(file: &Path) -> Result<Option<(u32, &'static str)>, Failure> {
    if !file.is_file() {
        // What can be read only once.
        return Ok(None);
    }
    machines_said(open_unseen(file)?).map_err(|error| bad_input(file, error))
}

/// The network of a platform file whose machines are the platform's, where the file describes one.
pub fn network(file: &Path, platform: &Platform) -> Result<Option<MachineNetwork>, Failure> {
    if file.to_str().is_some_and(nodes::is_url) {
        return Ok(None);
    }
    let mut text = String::new();
    open(file)?.read_to_string(&mut text).map_err(|error| bad_input(file, error))?;
    let wrong = |error: MachineNetworkError| {
        let way_out = "--option network=false lets communication take no time";
        bad_input(file, format!("{error}; {way_out}"))
    };
    if text.trim_start().starts_with('<') {
        return MachineNetwork::read(&text, platform).map_err(wrong);
    }
    // Tables and lists of nodes say nothing of a network.
    let document: Option<PlatformDocument> = toml::from_str(&text).ok();
    let section = document.and_then(|document| document.network);
    section.map(|section| MachineNetwork::of_section(&section, platform)).transpose().map_err(wrong)
}

/// Opens a workload that `platform` can play, over its network where there is one.
pub fn workload(
    file: &Path,
    reading: WorkloadReading,
    platform: &Platform,
    network: Option<&MachineNetwork>,
) -> Result<Workload, Failure> {
    let beside = FilesRead::beside(file);
    let opened = Workload::open(open(file)?, reading, platform, network, &|name| beside.read(name));
    opened.map_err(|error| bad_input(file, error))
}

/// Reads files that a workload names, and keeps in mind which.
pub struct FilesRead {
    folder: PathBuf,
    paths: RefCell<Vec<PathBuf>>,
}

impl FilesRead {
    /// Those whose paths begin at the folder of a workload.
    pub fn beside(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, paths: RefCell::default() }
    }

    /// The text of one of them.
    pub fn read(&self, name: &str) -> io::Result<String> {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path)?;
        self.paths.borrow_mut().push(path);
        Ok(text)
    }

    /// Those that were read.
    pub fn into_paths(self) -> Vec<PathBuf> {
        self.paths.into_inner()
    }
}

/// All jobs of a workload, and the workload that they were read from.
pub fn all_jobs(
    file: &Path,
    machines: Option<u32>,
    raw: bool,
    duplicates: bool,
) -> Result<(JobsInMemory, Workload), Failure> {
    let machines = machines.unwrap_or(u32::MAX);
    let reading = WorkloadReading { machines, raw, whole: true, duplicates };
    let mut workload = workload(file, reading, &Platform::of_machines(machines), None)?;
    let jobs = workload.read_all().map_err(|error| bad_input(file, error))?;
    Ok((jobs, workload))
}
