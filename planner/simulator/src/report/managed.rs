//! What the manager of the nodes' power saves, where there is one: a table, and a figure beside the oracle.

use std::fmt::Write;

use super::ReportedCell;
use super::totals::{count, number};
use crate::sesames::{ManagedPower, Summary};
use charts::scale::{grouped, readable};
use charts::{Chart, Horizontal, Kind, Series};

/// The table and the figure of a cell; nothing where nobody switches nodes.
pub(super) fn of_cell(cell: &ReportedCell<'_>) -> String {
    let table = table(cell);
    if table.is_empty() {
        return table;
    }
    let figure = figure(&cell.findings.summary).figure();
    format!("{table}<div class=figures>{figure}</div>\n")
}

/// The table of a cell; nothing where nobody switches nodes.
pub(super) fn table(cell: &ReportedCell<'_>) -> String {
    let summary = &cell.findings.summary;
    let managed: Vec<_> = summary
        .policies
        .iter()
        .filter_map(|(policy, it)| Some((policy.to_string(), it.manager?.0)))
        .collect();
    if managed.is_empty() {
        return String::new();
    }
    let most =
        |of: fn(&ManagedPower) -> f64| managed.iter().map(|it| of(&it.1).abs()).fold(0.0, f64::max);
    let currency = summary.parameters.currency.code();
    let (joules, energy) = readable("J", most(|it| it.idle.energy_j), currency);
    let (money, cost) = readable("money", most(|it| it.idle.cost.unwrap_or(0.0)), currency);
    let (grams, co2) = readable("g", most(|it| it.idle.co2_g.unwrap_or(0.0)), currency);
    let mut out = format!(
        "<h3>Nodes that nobody had</h3>\n<p>What they take if all are on throughout, and what the manager saves of it by switching \
         them off. The oracle knows the month beforehand, and no boot fails it. A node that comes late is woken for a booking that \
         nobody foresaw, or boots for longer than it was counted on.</p>\n<div class=wide><table><thead><tr><th>policy</th><th>idle, \
         {energy}</th><th>saved, {energy}</th><th>saved, %</th><th>saved, {cost}</th><th>saved CO2, {co2}</th><th>of what the oracle \
         saves, %</th><th>switched off</th><th>late</th><th>late, node-h</th><th>not back</th><th>lost, node-h</th></tr></thead><tbody>"
    );
    for (policy, it) in &managed {
        let saved = it.saved();
        let _ = write!(out, "<tr><th>{policy}</th>");
        let amounts = [
            Some(it.idle.energy_j / joules),
            Some(saved.energy_j / joules),
            it.saved_share()[0].map(|part| 100.0 * part),
            saved.cost.map(|cost| cost / money),
            saved.co2_g.map(|mass| mass / grams),
            it.of_oracle()[0].map(|part| 100.0 * part),
        ];
        for amount in amounts {
            let _ = write!(out, "<td>{}</td>", amount.map_or("\u{2013}".to_owned(), number));
        }
        let (late_h, lost_h) = (it.late_node_s / 3600.0, it.lost_node_s / 3600.0);
        let hours = |hours: f64| grouped(&format!("{hours:.1}"));
        for cell in [
            count(it.sleeps),
            count(it.late_nodes),
            hours(late_h),
            count(it.boot_failures),
            hours(lost_h),
        ] {
            let _ = write!(out, "<td>{cell}</td>");
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>\n"
}

/// What the manager saves of what idle nodes take, in each criterion, and what the oracle does.
fn figure(summary: &Summary) -> Chart {
    let points = |parts: [Option<f64>; 3]| {
        let parts = parts.into_iter().enumerate();
        parts.filter_map(|(place, part)| Some((place as f64, 100.0 * part?, None))).collect()
    };
    let policies = summary.policies.iter().enumerate();
    let series = policies.filter_map(|(look, (policy, it))| {
        let managed = it.manager?.0;
        let own = Series { name: policy.to_string(), look, points: points(managed.saved_share()) };
        let name = format!("{policy}, oracle");
        let oracle = Series { name, look, points: points(managed.oracle_share()) };
        Some([own, oracle])
    });
    Chart {
        title: "Saved of what idle nodes take".to_owned(),
        x_label: "by the manager, and by the oracle beside it".to_owned(),
        y_label: "saved, %".to_owned(),
        horizontal: Horizontal::Places(["energy", "cost", "CO2"].map(str::to_owned).into()),
        kind: Kind::Bars,
        from_zero: true,
        series: series.flatten().collect(),
    }
}
