//! The comparison as people read it on a terminal: a row for each policy.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use simulator::sesames::{Measure, PolicySummary, Summary};

/// A table of the policies of all cells; `names` are the cells', empty where there is only one.
pub fn comparison(cells: &[(String, &Summary)]) -> Table {
    let named = cells.len() > 1;
    let currency = cells.first().map_or("", |(_, summary)| summary.parameters.currency.code());
    let mut table = Table::new();
    let header = [
        "POLICY".to_owned(),
        "ENERGY kWh".to_owned(),
        format!("COST {currency}"),
        "CO2 kg".to_owned(),
        "LAG min".to_owned(),
        "NO NODES %".to_owned(),
        "NO POWER %".to_owned(),
        "NO AGENDA %".to_owned(),
        "OCCUPANCY %".to_owned(),
        "SAVES energy/cost/CO2 %".to_owned(),
    ];
    table
        .load_style(NOTHING)
        .set_header(named.then(|| "CELL".to_owned()).into_iter().chain(header));
    for (name, summary) in cells {
        for (policy, measured) in &summary.policies {
            let name = named.then(|| name.clone());
            table.add_row(name.into_iter().chain(row(&policy.to_string(), measured)));
        }
    }
    for column in table.column_iter_mut().skip(if named { 2 } else { 1 }) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn row(policy: &str, measured: &PolicySummary) -> [String; 10] {
    let number = |value: Option<f64>, unit: f64, decimals: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.decimals$}", value / unit))
    };
    let of = |measure, unit, decimals| number(measured.means.get(measure), unit, decimals);
    let savings = measured.savings.map_or_else(String::new, |savings| {
        let saved = savings.savings_vs_asap_first;
        [saved.energy_j, saved.cost, saved.co2_g].map(|saved| number(saved, 0.01, 2)).join(" / ")
    });
    [
        policy.to_owned(),
        of(Measure::EnergyJ, 3.6e6, 1),
        of(Measure::Cost, 1.0, 2),
        of(Measure::Co2G, 1e3, 2),
        of(Measure::StartLagS, 60.0, 1),
        of(Measure::UnsuccessfulNodes, 0.01, 2),
        of(Measure::UnsuccessfulPowerCap, 0.01, 2),
        of(Measure::UnsuccessfulAgendaGap, 0.01, 2),
        of(Measure::Occupancy, 0.01, 2),
        savings,
    ]
}
