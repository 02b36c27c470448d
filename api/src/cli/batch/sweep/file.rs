//! The file of a parameter sweep (TOML): what is combined with what, every error with its line.
//!
//! ```toml
//! seeds = [1, 2]              # of drawn workloads; 1 unless given
//! tables = false              # whether each instance's own tables are written
//! [[workloads]]
//! file = "kth.swf.gz"         # relative to this file; `name`, `machines`, `raw`, `keep_duplicates` may follow
//! [[workloads]]
//! model = "simbatch"          # drawn, `jobs` of them, for each seed
//! jobs = 500
//! [[platforms]]               # none: the machines of the workloads
//! file = "taurus.toml"        # or `machines = 128`; `name` may follow
//! [[policies]]
//! policy = ["easy", "conservative"]
//! fit = "count"               # `order`, `backfill`, `gate`, `switching`, `allocation` and `tie` may follow; a list
//!                             # is combined as well; parts may stand without a policy
//! options = { launch_s = [0, 2] }
//! [options]                   # for all policies
//! tau_s = 60
//! [supplier]                  # tables for all instances: `price`, `co2`, `cap`, `reservations`;
//!                             # `allow_uncovered = true` plays what they do not cover
//! price = "price.csv"
//! origin = "2026-01-01T00:00:00Z"
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use planner::time::Timestamp;
use serde::Deserialize;
use toml::Spanned;

use super::super::arguments::Supplier;
use super::super::inputs::machines_of;
use super::policies::{PolicyEntry, SweptPolicy, combinations};
use super::text::{Entries, Text};
use crate::cli::Failure;
use crate::cli::batch::workload_model::Model;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    workloads: Vec<Spanned<WorkloadEntry>>,
    #[serde(default)]
    platforms: Vec<Spanned<PlatformEntry>>,
    policies: Vec<Spanned<PolicyEntry>>,
    #[serde(default)]
    options: Entries,
    #[serde(default = "one")]
    seeds: Vec<u64>,
    #[serde(default)]
    tables: bool,
    supplier: Option<Spanned<SupplierEntry>>,
}

/// As the arguments of `batch run` of these names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SupplierEntry {
    price: Option<PathBuf>,
    co2: Option<PathBuf>,
    cap: Option<PathBuf>,
    reservations: Option<PathBuf>,
    origin: Option<String>,
    #[serde(default)]
    allow_uncovered: bool,
}

fn one() -> Vec<u64> {
    vec![1]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkloadEntry {
    name: Option<String>,
    file: Option<PathBuf>,
    model: Option<String>,
    jobs: Option<u32>,
    machines: Option<u32>,
    #[serde(default)]
    raw: bool,
    #[serde(default)]
    keep_duplicates: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlatformEntry {
    name: Option<String>,
    file: Option<PathBuf>,
    machines: Option<u32>,
}

/// What is combined.
pub struct SweepFile {
    pub workloads: Vec<SweptWorkload>,
    pub platforms: Vec<SweptPlatform>,
    pub policies: Vec<SweptPolicy>,
    pub seeds: Vec<u64>,
    pub tables: bool,
    /// For all instances, and its line.
    pub supplier: (Supplier, usize),
}

/// A workload.
pub struct SweptWorkload {
    pub line: usize,
    pub name: String,
    pub source: JobSource,
    /// Of the platform, the first so many machines.
    pub machines: Option<u32>,
    pub raw: bool,
    pub keep_duplicates: bool,
}

/// Where jobs come from.
pub enum JobSource {
    File(PathBuf),
    /// So many, drawn for each seed.
    Drawn(Model, u32),
}

/// A platform.
pub struct SweptPlatform {
    pub line: usize,
    pub name: String,
    pub file: Option<PathBuf>,
    pub machines: Option<u32>,
}

/// Reads the file of a sweep.
pub fn read(path: &Path) -> Result<SweepFile, Failure> {
    let bad = |error: String| Failure::BadInput(vec![error]);
    let text = fs::read_to_string(path)
        .map_err(|error| bad(format!("cannot read {}: {error}", path.display())))?;
    let document: Document = toml::from_str(&text)
        .map_err(|error| bad(format!("{}: {}", path.display(), error.to_string().trim_end())))?;
    let mut text = Text { path, content: text, errors: Vec::new() };
    let workloads = document.workloads.into_iter().filter_map(|entry| workload(&mut text, entry));
    let mut workloads: Vec<SweptWorkload> = workloads.collect();
    let platforms = document.platforms.into_iter().filter_map(|entry| platform(&mut text, entry));
    let mut platforms: Vec<SweptPlatform> = platforms.collect();
    if platforms.is_empty() {
        let nameless = String::new();
        platforms.push(SweptPlatform { line: 1, name: nameless, file: None, machines: None });
        for workload in workloads.iter_mut().filter(|workload| workload.machines.is_none()) {
            let said = match &workload.source {
                // What is wrong with the file is told when it is read.
                JobSource::File(file) => machines_of(file).ok().flatten(),
                JobSource::Drawn(..) => None,
            };
            workload.machines = said.map(|(machines, _)| machines);
            if said.is_none() {
                let what = "machines: there is no platform, and the workload does not say it, so it must be said";
                text.wrong(workload.line, what);
            }
        }
    }
    let mut policies = Vec::new();
    for entry in document.policies {
        policies.extend(combinations(&mut text, &document.options, &entry));
    }
    for (what, missing) in [
        ("workloads: there must be at least one", workloads.is_empty()),
        ("policies: there must be at least one", policies.is_empty()),
        ("seeds: there must be at least one", document.seeds.is_empty()),
    ] {
        if missing && text.errors.is_empty() {
            text.wrong(1, what);
        }
    }
    let supplier = document.supplier.as_ref();
    let supplier = supplier.map(|entry| self::supplier(&mut text, entry)).unwrap_or_default();
    let Document { seeds, tables, .. } = document;
    if text.errors.is_empty() {
        Ok(SweepFile { workloads, platforms, policies, seeds, tables, supplier })
    } else {
        Err(Failure::BadInput(text.errors))
    }
}

fn workload(text: &mut Text<'_>, entry: Spanned<WorkloadEntry>) -> Option<SweptWorkload> {
    let line = text.line(entry.span().start);
    let WorkloadEntry { name, file, model, jobs, machines, raw, keep_duplicates } =
        entry.into_inner();
    if machines == Some(0) || jobs == Some(0) {
        text.wrong(line, "machines and jobs: there must be at least one");
    }
    let (default, source) = match (file, model) {
        (Some(file), None) => {
            if jobs.is_some() {
                text.wrong(line, "jobs: only drawn workloads have a number of jobs");
            }
            (stem(&file), JobSource::File(beside(text.path, &file)))
        }
        (None, Some(model)) => {
            let Ok(law) = Model::from_str(&model, false) else {
                let known = Model::value_variants().iter().filter_map(Model::to_possible_value);
                let known: Vec<String> = known.map(|known| known.get_name().to_owned()).collect();
                let known = known.join(", ");
                text.wrong(line, format!("model: {model:?} is none of {known}"));
                return None;
            };
            (model, JobSource::Drawn(law, jobs.unwrap_or(law.usual_jobs())))
        }
        _ => {
            text.wrong(line, "a workload has either a file or a model");
            return None;
        }
    };
    let name = name.unwrap_or(default);
    Some(SweptWorkload { line, name, source, machines, raw, keep_duplicates })
}

fn platform(text: &mut Text<'_>, entry: Spanned<PlatformEntry>) -> Option<SweptPlatform> {
    let line = text.line(entry.span().start);
    let PlatformEntry { name, file, machines } = entry.into_inner();
    if machines == Some(0) {
        text.wrong(line, "machines: there must be at least one");
    }
    let default = match (&file, machines) {
        (Some(file), _) => stem(file),
        (None, Some(machines)) => machines.to_string(),
        (None, None) => {
            text.wrong(line, "a platform has a file or a number of machines, or both");
            return None;
        }
    };
    let file = file.map(|file| beside(text.path, &file));
    Some(SweptPlatform { line, name: name.unwrap_or(default), file, machines })
}

fn supplier(text: &mut Text<'_>, entry: &Spanned<SupplierEntry>) -> (Supplier, usize) {
    let line = text.line(entry.span().start);
    let entry = entry.get_ref();
    let file = |path: &Option<PathBuf>| path.as_deref().map(|path| beside(text.path, path));
    let (price, co2, cap) = (file(&entry.price), file(&entry.co2), file(&entry.cap));
    let reservations = file(&entry.reservations);
    let by_clock = price.is_some() || co2.is_some() || cap.is_some();
    let origin = origin(text, line, entry.origin.as_deref(), by_clock);
    let allow_uncovered = entry.allow_uncovered;
    (Supplier { price, co2, cap, reservations, origin, allow_uncovered }, line)
}

/// The instant at which simulations begin, which must be said where tables go `by_clock`.
pub(super) fn origin(
    text: &mut Text<'_>,
    line: usize,
    said: Option<&str>,
    by_clock: bool,
) -> Option<Timestamp> {
    match said.map(Timestamp::parse) {
        Some(Ok(origin)) => return Some(origin),
        Some(Err(error)) => text.wrong(line, format!("origin {error}")),
        None if by_clock => {
            text.wrong(line, "origin: tables go by the clock, so it must be said");
        }
        None => {}
    }
    None
}

/// A path that stands in `file`.
pub(super) fn beside(file: &Path, path: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

/// A file's name up to its first dot.
pub(super) fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}
