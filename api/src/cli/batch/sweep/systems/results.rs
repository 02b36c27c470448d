//! What comes of a sweep on systems: `results.csv`, a row for each instance; `users.csv`, one for each user of each; a summary for each;
//! `report.html`. Only `timing.csv` and `timing.json` tell of the time that they took, so that the same sweep gives the same bytes.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;

use anyhow::anyhow;
use batch::dispatch::sweep_report::{ReportedRun, UserRatios, html};
use batch::dispatch::{
    Distributions, SupplyResults, UnitResults, UserBill, UserStretch, WaitedJobs,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::super::files::Pending;
use super::super::results::{folder, is_partly_covered, text};
use super::instances::SystemSweep;
use super::supplies::SweptSupply;

/// A finished instance.
#[derive(Serialize, Deserialize)]
pub struct FinishedRun {
    /// From 0.
    pub instance: usize,
    pub wall_s: f64,
    /// Its summary.
    results: Map<String, Value>,
    distributions: Distributions,
    users: Vec<UserStretch>,
    /// What came of its supply, where it has one.
    supply: Option<SupplyResults>,
    /// What users' jobs came to there, by name.
    bills: BTreeMap<Box<str>, UserBill>,
    /// The jobs whose slowdown is not 1: bytes in hexadecimal.
    waited: String,
}

/// What names in a summary cannot be columns of: many numbers each.
const WIDE: [&str; 2] = ["densities", "slowdown_counts"];

impl FinishedRun {
    pub fn new(
        instance: usize,
        results: &UnitResults,
        distributions: Distributions,
        users: Vec<UserStretch>,
        waited: &WaitedJobs,
        wall_s: f64,
    ) -> anyhow::Result<Self> {
        let supply = results.supply.clone();
        let told = results.users.iter().filter(|_| supply.is_some());
        let bills = told.map(|it| (it.user.clone(), it.bill)).collect();
        let Value::Object(results) = serde_json::to_value(results)? else {
            return Err(anyhow!("results are no object"));
        };
        let waited = hex::encode(waited.to_bytes());
        Ok(Self { instance, wall_s, results, distributions, users, supply, bills, waited })
    }

    /// Whether the tables of its supply do not cover all that was played.
    pub fn is_partly_covered(&self) -> bool {
        is_partly_covered(&self.results)
    }

    fn count(&self, name: &str) -> u64 {
        self.results.get(name).and_then(Value::as_u64).unwrap_or(0)
    }
}

impl SystemSweep {
    /// Names and values of what makes an instance.
    fn parameters(&self, number: usize) -> Map<String, Value> {
        let (instance, asked) = (self.instances[number], &self.asked);
        let policy = &asked.policies[instance.policy];
        let mut parameters = Map::new();
        let mut add = |name: &str, value: Value| {
            parameters.insert(name.to_owned(), value);
        };
        add("instance", (number + 1).into());
        add("workload", asked.workloads[instance.workload].name.as_str().into());
        add("system", asked.systems[instance.system].name.as_str().into());
        add("nodes", self.systems[instance.system].nodes().into());
        add("seed", instance.seed.into());
        add("order", policy.order.about.name.into());
        add("backfill", policy.backfill.about.name.into());
        add("fit", policy.fit.about.name.into());
        add("estimate", policy.estimate.about.name.into());
        if self.has_supplies() || self.estimates_powers() {
            add("power_estimate", policy.power_estimate.about.name.into());
        }
        for (name, value) in &policy.options {
            add(name, value.as_str().into());
        }
        if self.has_supplies() {
            add("supply", asked.supplies[instance.supply].name.as_str().into());
        }
        if asked.factors.iter().any(|it| !it.is_empty()) {
            let factors = asked.factors[instance.factors].iter();
            let factors: Vec<String> = factors.map(|(user, it)| format!("{user}={it}")).collect();
            add("user_energy_factor", factors.join(" ").into());
        }
        add("baseline", (self.baseline(number) + 1).into());
        parameters
    }

    /// What an instance is, in words.
    pub fn name(&self, number: usize) -> String {
        let policy = &self.asked.policies[self.instances[number].policy];
        let (fit, estimate) = (policy.fit.about.name, policy.estimate.about.name);
        format!(
            "{}: {}, {}, {fit}, {estimate}",
            number + 1,
            self.jobs_in_words(number),
            self.scheduler(number)
        )
    }

    /// Order, backfilling and options of an instance, and its supply and estimates of power where these differ, in words.
    fn scheduler(&self, number: usize) -> String {
        let instance = self.instances[number];
        let policy = &self.asked.policies[instance.policy];
        let mut words = policy.scheduler();
        if self.estimates_powers() {
            words = format!("{words}, power {}", policy.power_estimate.about.name);
        }
        if self.asked.supplies.len() > 1 {
            words = format!("{words}, {}", self.asked.supplies[instance.supply].name);
        }
        words
    }

    /// Whether any instance has prices, CO2 intensities, caps or budgets from files.
    fn has_supplies(&self) -> bool {
        self.asked.supplies.iter().any(SweptSupply::is_there)
    }

    /// Whether policies differ in how they estimate what jobs draw.
    fn estimates_powers(&self) -> bool {
        let names = self.asked.policies.iter().map(|it| it.power_estimate.about.name);
        names.collect::<HashSet<&str>>().len() > 1
    }

    fn jobs_in_words(&self, number: usize) -> String {
        let instance = self.instances[number];
        let workload = &self.asked.workloads[instance.workload].name;
        let system = &self.asked.systems[instance.system].name;
        let seed = instance.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
        format!("{workload} on {system}{seed}")
    }
}

/// Numbers over the users of an instance, compared with the baseline.
fn ratios(finished: &FinishedRun) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(it) = UserRatios::of(&finished.users) {
        let UserRatios { least, mean, median, deviation, most } = it;
        for (name, value) in [
            ("least", least),
            ("mean", mean),
            ("median", median),
            ("deviation", deviation),
            ("most", most),
        ] {
            out.insert(format!("user_stretch_ratio_{name}"), value.into());
        }
    }
    out
}

/// Writes the summary of an instance.
pub fn summary(out: &Path, sweep: &SystemSweep, finished: &FinishedRun) -> anyhow::Result<()> {
    let number = finished.instance;
    let document = json!({
        "parameters": sweep.parameters(number),
        "summary": finished.results,
        "distributions": finished.distributions,
        "users": finished.users,
    });
    let (pending, mut file) = Pending::create(&folder(out, number), "summary.json")?;
    writeln!(file, "{}", serde_json::to_string_pretty(&document)?)?;
    file.flush()?;
    drop(file);
    pending.keep()
}

/// Writes the tables of all instances, in their order.
pub fn tables(out: &Path, sweep: &SystemSweep, all: &[FinishedRun]) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for finished in all {
        let mut row = sweep.parameters(finished.instance);
        let parameters = row.len();
        flatten(&mut row, "", &finished.results);
        if let Value::Object(mut distributions) = serde_json::to_value(&finished.distributions)? {
            distributions.retain(|name, _| !WIDE.contains(&name.as_str()));
            flatten(&mut row, "", &distributions);
        }
        row.extend(ratios(finished));
        rows.push((row, parameters));
    }
    // Parameters go before results.
    let of_parameters = rows.iter().flat_map(|(row, parts)| row.keys().take(*parts));
    let of_results = rows.iter().flat_map(|(row, parts)| row.keys().skip(*parts));
    let mut columns: Vec<&String> = Vec::new();
    let mut seen = HashSet::new();
    columns.extend(of_parameters.chain(of_results).filter(|name| seen.insert(name.as_str())));
    let body = rows.iter().map(|(row, _)| {
        columns.iter().map(|name| text(row.get(name.as_str()))).collect::<Vec<String>>()
    });
    table(out, "results.csv", &columns, body)?;
    users(out, all)?;
    let timing = all.iter().map(|finished| {
        let rate = finished.count("jobs") as f64 / finished.wall_s.max(1e-6);
        let number = (finished.instance + 1).to_string();
        vec![number, format!("{:.6}", finished.wall_s), format!("{rate:.0}")]
    });
    table(out, "timing.csv", &["instance", "wall_s", "jobs_per_s"], timing)
}

/// A row for each user of each instance, with what jobs came to where any instance has a supply.
fn users(out: &Path, all: &[FinishedRun]) -> anyhow::Result<()> {
    let mut columns = vec!["instance", "user", "jobs", "mean_stretch", "mean_stretch_ratio"];
    let billed = all.iter().any(|run| run.supply.is_some());
    if billed {
        columns.extend(["cost", "co2_g", "saved", "credit", "jobs_held_by_budget"]);
    }
    let number = |it: Option<f64>| it.map_or(String::new(), |it| it.to_string());
    let user = |finished: &FinishedRun, it: &UserStretch| {
        let instance = (finished.instance + 1).to_string();
        let (jobs, stretch) = (it.jobs.to_string(), it.mean_stretch.to_string());
        let mut row = vec![instance, it.user.to_string(), jobs, stretch, number(it.mean_ratio)];
        if billed {
            let bill = finished.bills.get(&it.user);
            let amounts = bill.map(|it| [it.cost, it.co2_g, it.saved, it.credit]);
            row.extend(amounts.unwrap_or_default().map(number));
            row.push(bill.map_or(String::new(), |it| it.jobs_held_by_budget.to_string()));
        }
        row
    };
    let rows = all.iter().flat_map(|run| run.users.iter().map(move |it| user(run, it)));
    table(out, "users.csv", &columns, rows)
}

fn table(
    out: &Path,
    name: &str,
    columns: &[impl AsRef<[u8]>],
    rows: impl Iterator<Item = Vec<String>>,
) -> anyhow::Result<()> {
    let (pending, file) = Pending::create(out, name)?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(columns)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|error| anyhow!("cannot write {name}: {error}"))?;
    pending.keep()
}

/// Objects in objects become names with underscores; in lists each has its resource in the name.
fn flatten(row: &mut Map<String, Value>, before: &str, values: &Map<String, Value>) {
    for (name, value) in values {
        let name = format!("{before}{name}");
        match value {
            Value::Object(inner) => flatten(row, &format!("{name}_"), inner),
            Value::Array(list) => {
                for (place, item) in list.iter().enumerate() {
                    let Value::Object(item) = item else { continue };
                    let mut item = item.clone();
                    let of = item.shift_remove("resource");
                    let of = of.as_ref().and_then(Value::as_str).map(str::to_owned);
                    let of = of.unwrap_or_else(|| place.to_string());
                    flatten(row, &format!("{name}_{of}_"), &item);
                }
            }
            value => {
                row.insert(name, value.clone());
            }
        }
    }
}

/// The page of all instances.
pub fn report(sweep: &SystemSweep, all: &[FinishedRun]) -> String {
    let mut waited: BTreeMap<String, WaitedJobs> = BTreeMap::new();
    for finished in all {
        let own = WaitedJobs::from_bytes(&hex::decode(&finished.waited).unwrap_or_default());
        waited.entry(sweep.jobs_in_words(finished.instance)).or_default().join(&own);
    }
    let runs = all.iter().map(|finished| reported(sweep, &waited, finished));
    html("Sweep on systems", &runs.collect::<Vec<ReportedRun<'_>>>())
}

/// What the page shows of an instance; `waited` are the jobs that ever waited, by what jobs they are of.
fn reported<'a>(
    sweep: &SystemSweep,
    waited: &BTreeMap<String, WaitedJobs>,
    finished: &'a FinishedRun,
) -> ReportedRun<'a> {
    let number = finished.instance;
    let instance = sweep.instances[number];
    let policy = &sweep.asked.policies[instance.policy];
    let factors = &sweep.asked.factors[instance.factors];
    let of = sweep.jobs_in_words(number);
    let ran = finished.users.iter().map(|user| user.jobs).sum::<u64>();
    let jobs_at_once = ran.saturating_sub(waited.get(&of).map_or(0, WaitedJobs::count));
    ReportedRun {
        number: number + 1,
        of,
        scheduler: sweep.scheduler(number),
        fit: policy.fit.about.name,
        estimate: policy.estimate.about.name,
        jobs: finished.count("jobs_finished"),
        makespan_s: finished.results.get("makespan").and_then(Value::as_f64).unwrap_or(0.0),
        distributions: &finished.distributions,
        users: &finished.users,
        supply: finished.supply.as_ref(),
        changed_users: factors.keys().cloned().collect(),
        baseline: sweep.baseline(number) + 1,
        jobs_at_once,
    }
}
