//! Results as tidy CSV: one row for each observation, one column for each variable.

use std::io::{Error, Write};

use planner::time::Timestamp;
use serde::Serialize;

use crate::policy::Policy;
use crate::report::ReportedCell;
use crate::sesames::{
    CURVE_MEASURES, Cell, MANAGER_FIGURES, Measure, Measures, PlayedRun, RequestOutcome, Savings,
    curve,
};

/// A row for each request, policy and run. Costs are in the tariff's currency; what is absent is
/// empty.
#[derive(Serialize)]
struct RequestRow<'a> {
    run: u32,
    policy: &'a str,
    /// From 1, as drawn.
    request: u32,
    /// Of the reservation where there is one, which may be an alternative's; else as asked first.
    nodes: u32,
    duration_s: i64,
    earliest_start: Timestamp,
    latest_start: Timestamp,
    /// `scheduled`, or the cause.
    outcome: &'static str,
    /// The policy that chose the start: another than `policy` where that is mixed.
    followed: Option<Policy>,
    start: Option<Timestamp>,
    start_lag_s: Option<i64>,
    energy_j: Option<f64>,
    cost: Option<f64>,
    co2_g: Option<f64>,
    planned_energy_j: Option<f64>,
    planned_cost: Option<f64>,
    planned_co2_g: Option<f64>,
    /// The least that it could have taken alone, each by itself.
    least_energy_j: Option<f64>,
    least_cost: Option<f64>,
    least_co2_g: Option<f64>,
    peak_power_w: Option<f64>,
}

/// Writes a row for each request under each policy in each run: `requests.csv`.
///
/// # Errors
/// Those of `out`.
pub fn requests(runs: &[PlayedRun], out: impl Write) -> Result<(), Error> {
    let mut table = csv::Writer::from_writer(out);
    for run in runs {
        for played in &run.policies {
            let policy = played.policy.to_string();
            for (asked, outcome) in run.requests.iter().zip(&played.outcomes) {
                let reserved = outcome.scheduled();
                let least = asked.least.as_ref();
                let shape = reserved.map_or_else(|| asked.shape(), |it| it.shape(asked));
                table.serialize(RequestRow {
                    run: run.run,
                    policy: &policy,
                    request: asked.number,
                    nodes: shape.nodes,
                    duration_s: shape.duration_s,
                    earliest_start: asked.earliest_start,
                    latest_start: asked.latest_start,
                    outcome: word(outcome),
                    followed: reserved.map(|reserved| reserved.followed),
                    start: reserved.map(|reserved| reserved.start),
                    start_lag_s: reserved.map(|reserved| reserved.start_lag_s),
                    energy_j: reserved.map(|reserved| reserved.billed.energy_j),
                    cost: reserved.map(|reserved| reserved.billed.cost),
                    co2_g: reserved.map(|reserved| reserved.billed.co2_g),
                    planned_energy_j: reserved.map(|reserved| reserved.planned.energy_j),
                    planned_cost: reserved.map(|reserved| reserved.planned.cost),
                    planned_co2_g: reserved.map(|reserved| reserved.planned.co2_g),
                    least_energy_j: least.map(|least| least.energy_j),
                    least_cost: least.map(|least| least.cost),
                    least_co2_g: least.map(|least| least.co2_g),
                    peak_power_w: reserved.map(|reserved| reserved.peak_power_w),
                })?;
            }
        }
    }
    table.flush()
}

const fn word(outcome: &RequestOutcome) -> &'static str {
    match outcome {
        RequestOutcome::Scheduled(_) => "scheduled",
        RequestOutcome::Unsuccessful(cause) => cause.word(),
    }
}

/// Writes a row for each policy in each run, a column for each [`Measure`], and where nodes are switched for each of
/// [`MANAGER_FIGURES`]: `runs.csv`.
///
/// # Errors
/// Those of `out`.
pub fn runs(cell: &Cell, runs: &[PlayedRun], out: impl Write) -> Result<(), Error> {
    let mut table = csv::Writer::from_writer(out);
    let keys = Measure::ALL.map(Measure::key);
    let is_managed = !cell.parameters().manager.is_off();
    let managed = MANAGER_FIGURES.map(|figure| figure.0);
    let managed = managed.iter().filter(|_| is_managed);
    table.write_record(["run", "policy"].iter().chain(&keys).chain(managed))?;
    for run in runs {
        for &policy in cell.policies() {
            let (nodes, month) = (cell.parameters().nodes, cell.parameters().month());
            let measures = Measures::of(run, policy, nodes, month);
            let values = Measure::ALL.map(|measure| number(measures.get(measure)));
            let managed = run.policy(policy).and_then(|played| played.managed);
            let managed = managed.iter().flat_map(|managed| managed.values().map(number));
            let of = [run.run.to_string(), policy.to_string()].into_iter().chain(values);
            table.write_record(of.chain(managed))?;
        }
    }
    table.flush()
}

/// Writes a row for each policy and number of requests placed so far, means over runs:
/// `curves.csv`.
///
/// # Errors
/// Those of `out`.
pub fn curves(cell: &Cell, runs: &[PlayedRun], out: impl Write) -> Result<(), Error> {
    let mut table = csv::Writer::from_writer(out);
    let keys = CURVE_MEASURES.map(Measure::key);
    table.write_record(["policy", "requests"].iter().chain(&keys))?;
    for &policy in cell.policies() {
        let (nodes, month) = (cell.parameters().nodes, cell.parameters().month());
        for point in curve(runs, policy, nodes, month) {
            let values = CURVE_MEASURES.map(|measure| number(point.get(measure)));
            let of = [policy.to_string(), point.requests.to_string()];
            table.write_record(of.iter().chain(&values))?;
        }
    }
    table.flush()
}

/// Writes a row for each cell of a sweep, policy and measure, with the mean over runs and half of its
/// 95 % confidence interval; savings are measures too: `summary.csv`.
///
/// # Errors
/// Those of `out`.
pub fn summary(cells: &[ReportedCell<'_>], out: impl Write) -> Result<(), Error> {
    let mut table = csv::Writer::from_writer(out);
    let varied = cells.first().map(|cell| cell.variant.varied.as_slice()).unwrap_or_default();
    let names = varied.iter().map(|(name, _)| name.as_str());
    table.write_record(names.chain(["policy", "measure", "mean", "ci95"]))?;
    for cell in cells {
        let values = cell
            .variant
            .varied
            .iter()
            .map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let values: Vec<String> = values.collect();
        for (policy, summary) in &cell.findings.summary.policies {
            let policy = policy.to_string();
            let mut row = |measure: &str, mean: Option<f64>, half: Option<f64>| {
                let of = [policy.clone(), measure.to_owned(), number(mean), number(half)];
                table.write_record(values.iter().chain(&of))
            };
            for measure in Measure::ALL {
                let half = summary.ci95.and_then(|ci95| ci95.means.get(measure));
                row(measure.key(), summary.means.get(measure), half)?;
            }
            if let Some(manager) = summary.manager {
                for ((key, ..), value) in MANAGER_FIGURES.iter().zip(manager.0.values()) {
                    row(key, value, None)?;
                }
            }
            let halves = summary.ci95.and_then(|ci95| ci95.savings);
            let savings = summary.savings.iter().flat_map(Savings::named);
            let halves = halves.map(|halves| halves.named());
            for (index, (name, mean)) in savings.enumerate() {
                row(&name, mean, halves.as_ref().and_then(|halves| halves[index].1))?;
            }
        }
    }
    table.flush()
}

/// As other programs read it; empty where there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
