//! What energy came to by the supplier's tables, and what came of windows, budgets and caps.

use std::fmt::Write;

use charts::escaped;

use super::super::supply::SupplyResults;
use super::ReportedRun;
use super::figures::{legend, scatter};

/// A column of the table: its head, how many decimals it has, and its value where there is one.
type Column = (&'static str, usize, fn(&SupplyResults) -> Option<f64>);

const COLUMNS: [Column; 15] = [
    ("cost of jobs", 3, |it| it.jobs_cost),
    ("cost of the facility", 3, |it| it.energy_cost),
    ("CO2 of jobs, kg", 3, |it| it.jobs_co2_g.map(|it| it / 1000.0)),
    ("CO2 of the facility, kg", 3, |it| it.energy_co2_g.map(|it| it / 1000.0)),
    ("saved by windows", 3, |it| it.saved),
    ("credited", 3, |it| it.credited),
    ("jobs shifted", 0, |it| some(it.jobs_shifted)),
    ("jobs held by budgets", 0, |it| some(it.jobs_held_by_budget)),
    ("jobs refused by budgets", 0, |it| some(it.jobs_refused_by_budget)),
    ("budgets overspent", 0, |it| some(it.budgets_overspent)),
    ("most expected, kW", 3, |it| above(it.cap?.max_expected_power_w / 1000.0)),
    ("most measured, kW", 3, |it| above(it.cap?.max_measured_power_w / 1000.0)),
    ("above the cap, h", 2, |it| above(it.cap?.power_cap_exceeded_s / 3600.0)),
    ("above the cap, kWh", 3, |it| above(it.cap?.power_cap_exceeded_j / 3.6e6)),
    ("jobs refused by the cap", 0, |it| some(it.cap?.jobs_refused_by_cap)),
];

fn some(count: u64) -> Option<f64> {
    above(count as f64)
}

fn above(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

/// Figures and a table of the runs that have a supply; nothing where none has.
pub(super) fn all(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let supplied: Vec<&ReportedRun<'_>> =
        runs.iter().copied().filter(|run| run.supply.is_some()).collect();
    if supplied.is_empty() {
        return;
    }
    *out += "<h3>Prices, CO2, budgets and caps</h3><p>Costs are in the currency of the prices. Jobs that are shifted have a window and \
             started in it later than they could have; credits are what users get of what that saved. The cap bounds what nodes are \
             expected to draw; what is measured may be more. What is empty is nothing or not known.</p>\n";
    figures(out, &supplied);
    let columns: Vec<&Column> = COLUMNS.iter().filter(|it| is_known(it, &supplied)).collect();
    *out += "<div class=wide><table><thead><tr><th>run<th>scheduler<th>fit<th>estimate";
    for (head, ..) in &columns {
        let _ = write!(out, "<th>{head}");
    }
    *out += "</tr></thead><tbody>\n";
    for run in supplied {
        let (scheduler, fit) = (escaped(&run.scheduler), run.fit);
        let _ = write!(out, "<tr><th>{}<td>{scheduler}<td>{fit}<td>{}", run.number, run.estimate);
        for (_, decimals, of) in &columns {
            *out += "<td>";
            if let Some(value) = run.supply.and_then(of) {
                let _ = write!(out, "{value:.decimals$}");
            }
        }
        *out += "</tr>\n";
    }
    *out += "</tbody></table></div>\n";
}

/// Whether any run has a value of a column.
fn is_known((_, _, of): &Column, runs: &[&ReportedRun<'_>]) -> bool {
    runs.iter().any(|run| run.supply.and_then(of).is_some())
}

/// What costs and CO2 have to do with waits.
fn figures(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let wait = |run: &ReportedRun<'_>| run.distributions.waiting_time.mean / 60.0;
    let costs = scatter(runs, "Cost of jobs and waits", ["mean wait, min", "cost"], |run| {
        Some((wait(run), run.supply?.jobs_cost?))
    });
    let emitted = scatter(runs, "CO2 of jobs and waits", ["mean wait, min", "CO2, kg"], |run| {
        Some((wait(run), run.supply?.jobs_co2_g? / 1000.0))
    });
    if costs.is_empty() && emitted.is_empty() {
        return;
    }
    let _ = write!(out, "<div class=points>{costs}{emitted}</div>\n{}", legend(runs));
}
