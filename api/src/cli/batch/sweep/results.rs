//! What comes of a sweep: `results.csv`, a row for each instance, and a summary for each.
//!
//! Nothing in them tells of the time they took, so that the same sweep gives the same bytes.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::files::Pending;
use super::instances::{Instance, Sweep};

/// A finished instance.
#[derive(Serialize, Deserialize)]
pub struct Finished {
    /// From 0.
    pub instance: usize,
    /// Its summary.
    pub results: Map<String, Value>,
}

/// Whether the supplier's tables do not cover all that was played.
pub fn is_partly_covered(results: &Map<String, Value>) -> bool {
    results.iter().any(|(name, value)| {
        name.ends_with("_covered_share") && value.as_f64().is_some_and(|share| share < 1.0)
    })
}

/// What differs from one time to the next.
const OF_THE_CLOCK: [&str; 2] = ["simulation_time", "scheduling_time"];

/// Where an instance's files go.
pub fn folder(out: &Path, number: usize) -> PathBuf {
    out.join("instances").join(format!("{:06}", number + 1))
}

/// The summary of an instance without what the clock says.
pub fn timeless(results: &impl Serialize) -> anyhow::Result<Map<String, Value>> {
    let Value::Object(mut results) = serde_json::to_value(results)? else {
        return Ok(Map::new());
    };
    results.retain(|name, _| !OF_THE_CLOCK.contains(&name.as_str()));
    Ok(results)
}

/// Names and values of what makes an instance.
fn parameters(sweep: &Sweep, number: usize, instance: Instance) -> Map<String, Value> {
    let file = &sweep.file;
    let policy = &file.policies[instance.policy];
    let mut parameters = Map::new();
    parameters.insert("instance".into(), (number + 1).into());
    parameters.insert("workload".into(), file.workloads[instance.workload].name.as_str().into());
    parameters.insert("platform".into(), file.platforms[instance.platform].name.as_str().into());
    parameters.insert("machines".into(), sweep.cluster(instance).platform.machines().into());
    parameters.insert("seed".into(), instance.seed.into());
    parameters.insert("policy".into(), policy.combination().name().into());
    for (kind, name) in policy.parts.said().names() {
        parameters.insert(kind.into(), name.into());
    }
    for (name, value, _) in &policy.options {
        parameters.insert(name.clone(), value.as_str().into());
    }
    parameters
}

/// Writes the summary of an instance.
pub fn summary(out: &Path, sweep: &Sweep, finished: &Finished) -> anyhow::Result<()> {
    let number = finished.instance;
    let parameters = parameters(sweep, number, sweep.instances[number]);
    let document = serde_json::json!({"parameters": parameters, "summary": finished.results});
    let (pending, mut file) = Pending::create(&folder(out, number), "summary.json")?;
    writeln!(file, "{}", serde_json::to_string_pretty(&document)?)?;
    file.flush()?;
    drop(file);
    pending.keep()
}

/// Writes the table of all instances, in their order: every parameter has a column, empty where an
/// instance has none, and every key of the summaries.
pub fn table(out: &Path, sweep: &Sweep, all: &[Finished]) -> anyhow::Result<()> {
    let row = |finished: &Finished| {
        let number = finished.instance;
        let mut row = parameters(sweep, number, sweep.instances[number]);
        let parts = row.len();
        flatten(&mut row, "", &finished.results);
        (row, parts)
    };
    let rows: Vec<(Map<String, Value>, usize)> = all.iter().map(row).collect();
    // Parameters go before results.
    let of_parameters = rows.iter().flat_map(|(row, parts)| row.keys().take(*parts));
    let of_results = rows.iter().flat_map(|(row, parts)| row.keys().skip(*parts));
    let mut columns: Vec<&String> = Vec::new();
    let mut seen = HashSet::new();
    columns.extend(of_parameters.chain(of_results).filter(|name| seen.insert(name.as_str())));
    let (pending, file) = Pending::create(out, "results.csv")?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(&columns)?;
    for (row, _) in &rows {
        writer.write_record(columns.iter().map(|name| text(row.get(name.as_str()))))?;
    }
    writer.into_inner().map_err(|error| anyhow!("cannot write results.csv: {error}"))?;
    pending.keep()
}

/// Objects in objects become names with underscores.
fn flatten(row: &mut Map<String, Value>, before: &str, values: &Map<String, Value>) {
    for (name, value) in values {
        let name = format!("{before}{name}");
        match value {
            Value::Object(inner) => flatten(row, &format!("{name}_"), inner),
            value => {
                row.insert(name, value.clone());
            }
        }
    }
}

pub fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
