//! The file of a sweep on systems (TOML), every error with its line.
//!
//! ```toml
//! seeds = [1, 2]              # of drawn workloads; 1 unless given
//! shares = "shares.csv"       # as `--shares` of `batch run`
//! energy_factors = [{}, { ada = 0.7 }]   # each is played: what the energy of users' jobs is multiplied by; [{}] unless given
//! [[workloads]]
//! file = "jobs.csv.gz"        # relative to this file; `name` may follow
//! [[workloads]]
//! model = "eurora"            # or a month of it such as "eurora_2014_05": drawn, `jobs` of them, for each seed
//! jobs = 10000
//! [[systems]]
//! file = "eurora.toml"        # or `model = "eurora"`; `name` may follow
//! [[supplies]]                # none: no prices, CO2 intensities, caps and budgets
//! price = "price.csv"         # `co2`, `cap`, `budgets`, `allow_uncovered` and `name` may follow
//! origin = "2026-01-01T00:00:00Z"
//! [[policies]]
//! order = ["fcfs", "sjf"]     # `backfill`, `fit`, `estimate` and `power_estimate` may follow; a list is combined, "all" is every part
//! fit = "all"
//! options = { window = [10, 100] }
//! [options]                   # for all policies whose parts have them
//! half_life_s = 86400
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use batch::dispatch::jobs::EuroraSpan;
use batch::policy::PartKind;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::super::file::{beside, stem};
use super::super::text::{Entries, Text, parsed};
use super::policies::{OptionValues, PartLists, SystemPolicy, combinations};
use super::supplies::{SupplyEntry, SweptSupply, supply};
use crate::cli::Failure;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    workloads: Vec<Spanned<WorkloadEntry>>,
    systems: Vec<Spanned<SystemEntry>>,
    #[serde(default)]
    supplies: Vec<Spanned<SupplyEntry>>,
    policies: Vec<Spanned<PolicyEntry>>,
    #[serde(default)]
    options: Entries,
    #[serde(default = "one")]
    seeds: Vec<u64>,
    shares: Option<PathBuf>,
    #[serde(default = "nobody")]
    energy_factors: Spanned<Vec<BTreeMap<String, f64>>>,
}

fn one() -> Vec<u64> {
    vec![1]
}

fn nobody() -> Spanned<Vec<BTreeMap<String, f64>>> {
    Spanned::new(0..0, vec![BTreeMap::new()])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkloadEntry {
    name: Option<String>,
    file: Option<PathBuf>,
    model: Option<String>,
    jobs: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemEntry {
    name: Option<String>,
    file: Option<PathBuf>,
    model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyEntry {
    order: Option<Spanned<Value>>,
    backfill: Option<Spanned<Value>>,
    fit: Option<Spanned<Value>>,
    estimate: Option<Spanned<Value>>,
    power_estimate: Option<Spanned<Value>>,
    #[serde(default)]
    options: Entries,
}

/// What is combined.
pub struct AskedSweep {
    /// The file that says so.
    pub path: Option<PathBuf>,
    pub workloads: Vec<SweptUnits>,
    pub systems: Vec<SweptSystem>,
    /// At least one, which may be of nothing.
    pub supplies: Vec<SweptSupply>,
    pub policies: Vec<SystemPolicy>,
    /// What the energy of users' jobs is multiplied by.
    pub factors: Vec<BTreeMap<String, f64>>,
    pub seeds: Vec<u64>,
    pub shares: Option<PathBuf>,
}

/// A workload of units.
pub struct SweptUnits {
    pub line: Option<usize>,
    pub name: String,
    pub source: UnitSource,
}

/// Where jobs of units come from.
pub enum UnitSource {
    File(PathBuf),
    /// So many of Eurora's jobs in a span, drawn for each seed.
    Eurora(&'static EuroraSpan, u32),
}

/// A system.
pub struct SweptSystem {
    pub line: Option<usize>,
    pub name: String,
    /// None for Eurora's.
    pub file: Option<PathBuf>,
}

/// Reads the file.
pub fn read(path: &Path) -> Result<AskedSweep, Failure> {
    let bad = |error: String| Failure::BadInput(vec![error]);
    let content = fs::read_to_string(path)
        .map_err(|error| bad(format!("cannot read {}: {error}", path.display())))?;
    let document: Document = toml::from_str(&content)
        .map_err(|error| bad(format!("{}: {}", path.display(), error.to_string().trim_end())))?;
    let mut text = Text { path, content, errors: Vec::new() };
    let workloads = document.workloads.into_iter().filter_map(|entry| workload(&mut text, entry));
    let workloads: Vec<SweptUnits> = workloads.collect();
    let systems = document.systems.into_iter().filter_map(|entry| system(&mut text, entry));
    let systems: Vec<SweptSystem> = systems.collect();
    let supplies = document.supplies.into_iter().map(|entry| supply(&mut text, entry));
    let mut supplies: Vec<SweptSupply> = supplies.collect();
    if supplies.is_empty() {
        supplies.push(SweptSupply::none());
    }
    let of_all = options(&mut text, &document.options);
    let mut policies = Vec::new();
    for entry in &document.policies {
        policies.extend(policy(&mut text, entry, &of_all));
    }
    for option in &of_all {
        let has =
            |policy: &SystemPolicy| policy.options.iter().any(|(name, _)| *name == option.name);
        if text.errors.is_empty() && !policies.iter().any(has) {
            let what = format!("{}: no part of any policy has this option", option.name);
            text.wrong(option.line.unwrap_or(1), what);
        }
    }
    let line = text.line(document.energy_factors.span().start);
    let factors = document.energy_factors.into_inner();
    if factors.iter().flatten().any(|(_, factor)| !factor.is_finite() || *factor < 0.0) {
        text.wrong(line, "energy_factors: a factor is a number from 0 on");
    }
    for (what, missing) in [
        ("workloads: there must be at least one", workloads.is_empty()),
        ("systems: there must be at least one", systems.is_empty()),
        ("policies: there must be at least one", policies.is_empty()),
        ("seeds: there must be at least one", document.seeds.is_empty()),
        ("energy_factors: there must be at least one, {} for none", factors.is_empty()),
    ] {
        if missing && text.errors.is_empty() {
            text.wrong(1, what);
        }
    }
    if !text.errors.is_empty() {
        return Err(Failure::BadInput(text.errors));
    }
    let shares = document.shares.map(|file| beside(path, &file));
    let (path, seeds) = (Some(path.to_owned()), document.seeds);
    Ok(AskedSweep { path, workloads, systems, supplies, policies, factors, seeds, shares })
}

fn workload(text: &mut Text<'_>, entry: Spanned<WorkloadEntry>) -> Option<SweptUnits> {
    let line = text.line(entry.span().start);
    let WorkloadEntry { name, file, model, jobs } = entry.into_inner();
    let (default, source) = match (file, model.as_deref()) {
        (Some(file), None) => {
            if jobs.is_some() {
                text.wrong(line, "jobs: only drawn workloads have a number of jobs");
            }
            (stem(&file), UnitSource::File(beside(text.path, &file)))
        }
        (None, Some(model)) => {
            let Some(span) = EuroraSpan::named(model) else {
                let names: Vec<&str> = EuroraSpan::ALL.iter().map(|span| span.name).collect();
                text.wrong(line, format!("model: {model:?} is none of {}", names.join(", ")));
                return None;
            };
            (model.to_owned(), UnitSource::Eurora(span, jobs.unwrap_or(span.jobs)))
        }
        _ => {
            text.wrong(line, "a workload has either a file or a model");
            return None;
        }
    };
    if jobs == Some(0) {
        text.wrong(line, "jobs: there must be at least one");
    }
    Some(SweptUnits { line: Some(line), name: name.unwrap_or(default), source })
}

fn system(text: &mut Text<'_>, entry: Spanned<SystemEntry>) -> Option<SweptSystem> {
    let line = text.line(entry.span().start);
    let SystemEntry { name, file, model } = entry.into_inner();
    let (default, file) = match (file, model.as_deref()) {
        (Some(file), None) => (stem(&file), Some(beside(text.path, &file))),
        (None, Some("eurora")) => ("eurora".to_owned(), None),
        (None, Some(other)) => {
            text.wrong(line, format!("model: {other:?} is not eurora"));
            return None;
        }
        _ => {
            text.wrong(line, "a system has either a file or a model");
            return None;
        }
    };
    Some(SweptSystem { line: Some(line), name: name.unwrap_or(default), file })
}

fn options(text: &mut Text<'_>, entries: &Entries) -> Vec<OptionValues> {
    let mut named: Vec<_> = entries.iter().collect();
    named.sort_by_key(|(name, _)| name.span().start);
    let mut all = Vec::new();
    for (name, values) in named {
        let line = Some(text.line(name.span().start));
        let values = parsed(text, name.get_ref(), values, |value| Ok(value.to_owned()));
        all.push(OptionValues { name: name.get_ref().clone(), values, line });
    }
    all
}

fn policy(
    text: &mut Text<'_>,
    entry: &Spanned<PolicyEntry>,
    shared: &[OptionValues],
) -> Vec<SystemPolicy> {
    let line = text.line(entry.span().start);
    let entry = entry.get_ref();
    let lists = PartLists {
        line: Some(line),
        orders: parts(text, "order", entry.order.as_ref()),
        backfills: parts(text, "backfill", entry.backfill.as_ref()),
        fits: parts(text, "fit", entry.fit.as_ref()),
        estimates: parts(text, "estimate", entry.estimate.as_ref()),
        power_estimates: parts(text, "power_estimate", entry.power_estimate.as_ref()),
    };
    let own = options(text, &entry.options);
    if !text.errors.is_empty() {
        return Vec::new();
    }
    combinations(&lists, &own, shared).unwrap_or_else(|(at, what)| {
        text.wrong(at.unwrap_or(line), what);
        Vec::new()
    })
}

/// The parts of a kind that are named; its first where none is.
fn parts<P: PartKind>(
    text: &mut Text<'_>,
    name: &str,
    values: Option<&Spanned<Value>>,
) -> Vec<&'static P> {
    let Some(values) = values else { return vec![P::ALL[0]] };
    let named = parsed(text, name, values, |value| match value {
        "all" => Ok(P::ALL.to_vec()),
        value => P::named(value).map(|part| vec![part]).map_err(|error| error.to_string()),
    });
    named.into_iter().flatten().collect()
}
