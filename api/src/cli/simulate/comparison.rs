//! The comparison as people read it on a terminal: the month in total, then what is saved on the same
//! requests, a row for each policy.

use std::fmt;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use simulator::policy::Policy;
use simulator::sesames::{Measure, PolicySummary, SavedIntervals, Summary};

use super::managed::{self, count};

/// All cells' policies.
pub struct Comparison {
    /// What was played.
    lead: String,
    months: Table,
    /// Absent where nothing was compared with `asap_first`.
    savings: Option<(Table, String)>,
    /// What the manager of nodes saves; absent where there is none.
    managed: Option<Table>,
    /// What must be known beside the numbers.
    notes: Vec<String>,
}

/// Of an experiment; `names` are the cells', empty where there is only one.
pub fn comparison(title: &str, cells: &[(String, &Summary)]) -> Comparison {
    let named = cells.len() > 1;
    let (mut months, mut savings) = (months(cells, named), savings(named));
    let mut compared = false;
    for (name, summary) in cells {
        for (policy, measured) in &summary.policies {
            let name = || named.then(|| name.clone()).into_iter();
            months.add_row(name().chain(month(*policy, measured)));
            if let Some(row) = saved(*policy, measured) {
                savings.add_row(name().chain(row));
                compared = true;
            }
        }
    }
    for table in [&mut months, &mut savings] {
        for column in table.column_iter_mut().skip(if named { 2 } else { 1 }) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let intervals = cells.first().map_or_else(String::new, |(_, it)| it.intervals.words());
    Comparison {
        lead: lead(title, cells),
        months,
        savings: compared.then_some((savings, intervals)),
        managed: managed::table(cells),
        notes: notes(cells),
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.lead, self.months)?;
        if let Some((savings, intervals)) = &self.savings {
            write!(
                f,
                "\n\nSaved against asap_first, in total over the requests that both served\n{savings}\n\
                 From and to: {intervals}"
            )?;
        }
        if let Some(managed) = &self.managed {
            let title = "Nodes that nobody had: what the manager saves of what they take";
            write!(f, "\n\n{title}\n{managed}")?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

/// What was played, in a line.
fn lead(title: &str, cells: &[(String, &Summary)]) -> String {
    let Some((_, summary)) = cells.first() else { return title.to_owned() };
    let of = &summary.parameters.parameters;
    let runs = match of.runs {
        1 => "in total".to_owned(),
        runs => format!("in total, mean of {runs} runs"),
    };
    let (days, start) = (of.days, of.start);
    format!("{title}: {days} days from {start}, {runs}")
}

fn months(cells: &[(String, &Summary)], named: bool) -> Table {
    let currency = cells.first().map_or("", |(_, summary)| summary.parameters.currency.code());
    let header = [
        "POLICY".to_owned(),
        "REQUESTS".to_owned(),
        "SERVED".to_owned(),
        "NO NODES".to_owned(),
        "NO POWER".to_owned(),
        "NO AGENDA".to_owned(),
        "ENERGY kWh".to_owned(),
        format!("COST {currency}"),
        "CO2 kg".to_owned(),
        "MEAN WAIT min".to_owned(),
        "OCCUPANCY %".to_owned(),
    ];
    let mut table = Table::new();
    let cell = named.then(|| "CELL".to_owned());
    table.load_style(NOTHING).set_header(cell.into_iter().chain(header));
    table
}

fn savings(named: bool) -> Table {
    let header = ["POLICY", "REQUESTS", "ENERGY %", "COST %", "CO2 %"];
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(named.then_some("CELL").into_iter().chain(header));
    table
}

/// A policy's month.
fn month(policy: Policy, measured: &PolicySummary) -> [String; 11] {
    let month = &measured.month;
    let mean = |measure, unit: f64, decimals: usize| {
        let value = measured.means.get(measure);
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.decimals$}", value / unit))
    };
    [
        policy.to_string(),
        count(month.requests),
        count(month.served),
        count(month.not_served_nodes),
        count(month.not_served_power_cap),
        count(month.not_served_agenda_gap),
        format!("{:.1}", month.energy_j / 3.6e6),
        format!("{:.2}", month.cost),
        format!("{:.2}", month.co2_g / 1e3),
        mean(Measure::StartLagS, 60.0, 1),
        mean(Measure::Occupancy, 0.01, 2),
    ]
}

/// What a policy saves; nothing for `asap_first` itself.
fn saved(policy: Policy, measured: &PolicySummary) -> Option<[String; 5]> {
    let same = measured.same_requests?;
    let SavedIntervals { energy_j, cost, co2_g } = same.saved_ci95;
    let share = |saved: Option<f64>, interval: Option<[f64; 2]>| {
        let Some(saved) = saved else { return "-".to_owned() };
        let interval =
            interval.map(|[from, to]| format!(" ({:.1} to {:.1})", 100.0 * from, 100.0 * to));
        format!("{:.1}{}", 100.0 * saved, interval.unwrap_or_default())
    };
    Some([
        policy.to_string(),
        count(same.requests),
        share(same.saved.energy_j, energy_j),
        share(same.saved.cost, cost),
        share(same.saved.co2_g, co2_g),
    ])
}

fn notes(cells: &[(String, &Summary)]) -> Vec<String> {
    let shares = cells.iter().filter_map(|(name, summary)| {
        let (_, first) = summary.policies.first()?;
        let share = first.month.covered_share.filter(|share| *share < 1.0)?;
        let of = if name.is_empty() { String::new() } else { format!("{name}: ") };
        Some(format!(
            "{of}prices, CO2 and caps cover {:.1} % of the requests; cost and CO2 are of what was placed \
             where they do",
            100.0 * share
        ))
    });
    shares.collect()
}
