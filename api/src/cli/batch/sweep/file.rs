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
//! allocation = "count"        # `tie` may follow; a list is combined as well
//! options = { launch_s = [0, 2] }
//! [options]                   # for all policies
//! tau_s = 60
//! [supplier]                  # tables for all instances: `price`, `co2`, `cap`, `reservations`;
//!                             # `allow_uncovered = true` plays what they do not cover
//! price = "price.csv"
//! origin = "2026-01-01T00:00:00Z"
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use batch::policy::{Allocation, Policy};
use clap::ValueEnum;
use planner::time::Timestamp;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::super::arguments::{AllocationArgument, Decider, Supplier, TieArgument};
use super::super::inputs::machines_of;
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

/// Values of options by name.
type Entries = BTreeMap<Spanned<String>, Spanned<Value>>;

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyEntry {
    policy: Spanned<Value>,
    allocation: Option<Spanned<Value>>,
    tie: Option<Spanned<Value>>,
    #[serde(default)]
    options: Entries,
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

impl SweptPolicy {
    /// What backfilling reserves.
    pub const fn allocation(&self) -> Allocation {
        Decider::Policy(self.policy).allocation(self.allocation)
    }
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

/// A policy with one value for each of its parameters.
pub struct SweptPolicy {
    pub line: usize,
    pub policy: Policy,
    pub allocation: AllocationArgument,
    pub tie: TieArgument,
    /// Name, value and line.
    pub options: Vec<(String, String, usize)>,
}

/// The most combinations.
pub const MOST: usize = 100_000;

/// The file being read.
struct Text<'a> {
    path: &'a Path,
    content: String,
    errors: Vec<String>,
}

impl Text<'_> {
    /// The line of a byte, from 1.
    fn line(&self, at: usize) -> usize {
        1 + self.content.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    fn wrong(&mut self, line: usize, what: impl std::fmt::Display) {
        self.errors.push(place(self.path, line, what));
    }
}

/// An error at a line of the file.
pub fn place(path: &Path, line: usize, what: impl std::fmt::Display) -> String {
    format!("{}: line {line}: {what}", path.display())
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
    let origin = match entry.origin.as_deref().map(Timestamp::parse) {
        Some(Err(error)) => {
            text.wrong(line, format!("origin {error}"));
            None
        }
        Some(Ok(origin)) => Some(origin),
        None if price.is_some() || co2.is_some() || cap.is_some() => {
            text.wrong(line, "origin: tables go by the clock, so it must be said");
            None
        }
        None => None,
    };
    let allow_uncovered = entry.allow_uncovered;
    (Supplier { price, co2, cap, reservations, origin, allow_uncovered }, line)
}

/// A path that stands in `file`.
fn beside(file: &Path, path: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}

/// A file's name up to its first dot.
fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Every combination that an entry stands for: the last parameter changes fastest.
fn combinations(
    text: &mut Text<'_>,
    shared: &Entries,
    entry: &Spanned<PolicyEntry>,
) -> Vec<SweptPolicy> {
    let line = text.line(entry.span().start);
    let entry = entry.get_ref();
    let policies = parsed(text, "policy", &entry.policy, |name| match name.parse()? {
        Decider::Policy(policy) => Ok(policy),
        Decider::External => Err("cannot play in a sweep".to_owned()),
    });
    let allocations = parsed_or_default(text, "allocation", entry.allocation.as_ref());
    let ties = parsed_or_default(text, "tie", entry.tie.as_ref());
    let mut options: Vec<Vec<(String, String, usize)>> = vec![Vec::new()];
    let own = |name: &Spanned<String>| entry.options.keys().any(|own| own == name);
    let shared = shared.iter().filter(|(name, _)| !own(name));
    let mut named: Vec<_> = shared.chain(&entry.options).collect();
    named.sort_by_key(|(name, _)| name.span().start);
    for (name, values) in named {
        let at = text.line(name.span().start);
        let values = parsed(text, name.get_ref(), values, |value| Ok(value.to_owned()));
        let with = |before: &Vec<_>, value: &String| {
            let mut longer = before.clone();
            longer.push((name.get_ref().clone(), value.clone(), at));
            longer
        };
        if options.len().saturating_mul(values.len()) > MOST {
            text.wrong(at, format!("there are more than {MOST} combinations"));
            return Vec::new();
        }
        options = options
            .iter()
            .flat_map(|before| values.iter().map(|value| with(before, value)))
            .collect();
    }
    let mut combined = Vec::new();
    for &policy in &policies {
        for &allocation in &allocations {
            for &tie in &ties {
                let with = |options: &Vec<_>| SweptPolicy {
                    line,
                    policy,
                    allocation,
                    tie,
                    options: options.clone(),
                };
                combined.extend(options.iter().map(with));
            }
        }
    }
    combined
}

fn parsed_or_default<T: ValueEnum + Default>(
    text: &mut Text<'_>,
    name: &str,
    values: Option<&Spanned<Value>>,
) -> Vec<T> {
    let Some(values) = values else { return vec![T::default()] };
    parsed(text, name, values, |value| {
        T::from_str(value, false).map_err(|_| "is no value of it".to_owned())
    })
}

/// A value or a list of them.
fn parsed<T>(
    text: &mut Text<'_>,
    name: &str,
    values: &Spanned<Value>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Vec<T> {
    let line = text.line(values.span().start);
    let several = match values.get_ref() {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    if several.is_empty() {
        text.wrong(line, format!("{name}: there must be at least one value"));
    }
    let mut found = Vec::new();
    for value in several {
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Boolean(value) => value.to_string(),
            other => {
                text.wrong(line, format!("{name}: {other} is neither text nor number"));
                continue;
            }
        };
        match parse(&value) {
            Ok(value) => found.push(value),
            Err(error) => text.wrong(line, format!("{name}: {value:?} {error}")),
        }
    }
    found
}
