//! What the manager of the nodes' power saves, as people read it on a terminal: a row for each policy.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use simulator::policy::Policy;
use simulator::sesames::{ManagedPower, Summary};

/// The table of all cells' policies, with the cells' names where there are several; absent where nobody switches nodes.
pub fn table(cells: &[(String, &Summary)]) -> Option<Table> {
    let named = cells.len() > 1;
    let currency = cells.first().map_or("", |(_, summary)| summary.parameters.currency.code());
    let header = [
        "POLICY".to_owned(),
        "IDLE kWh".to_owned(),
        "SAVED kWh".to_owned(),
        "%".to_owned(),
        format!("SAVED {currency}"),
        "SAVED CO2 kg".to_owned(),
        "ORACLE kWh".to_owned(),
        "OF ORACLE %".to_owned(),
        "SLEEPS".to_owned(),
        "LATE".to_owned(),
        "LATE node-h".to_owned(),
        "FAILED".to_owned(),
        "LOST node-h".to_owned(),
    ];
    let mut table = Table::new();
    let cell = named.then(|| "CELL".to_owned());
    table.load_style(NOTHING).set_header(cell.into_iter().chain(header));
    let mut is_managed = false;
    for (name, summary) in cells {
        for (policy, measured) in &summary.policies {
            let Some(manager) = measured.manager else { continue };
            let name = named.then(|| name.clone()).into_iter();
            table.add_row(name.chain(row(*policy, &manager.0)));
            is_managed = true;
        }
    }
    for column in table.column_iter_mut().skip(if named { 2 } else { 1 }) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    is_managed.then_some(table)
}

/// A number of requests or events: whole, or a mean over runs.
pub fn count(number: f64) -> String {
    let whole = (number - number.round()).abs() < 1e-9;
    if whole { format!("{number:.0}") } else { format!("{number:.1}") }
}

fn row(policy: Policy, managed: &ManagedPower) -> [String; 13] {
    let saved = managed.saved();
    let number = |value: Option<f64>, unit: f64, decimals: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.decimals$}", value / unit))
    };
    let kwh = |joules: f64| number(Some(joules), 3.6e6, 1);
    [
        policy.to_string(),
        kwh(managed.idle.energy_j),
        kwh(saved.energy_j),
        number(managed.saved_share()[0], 0.01, 1),
        number(saved.cost, 1.0, 2),
        number(saved.co2_g, 1e3, 2),
        kwh(managed.oracle_saved().energy_j),
        number(managed.of_oracle()[0], 0.01, 1),
        count(managed.sleeps),
        count(managed.late_nodes),
        number(Some(managed.late_node_s), 3600.0, 1),
        count(managed.boot_failures),
        number(Some(managed.lost_node_s), 3600.0, 1),
    ]
}
