//! One HTML page of an experiment's results that can be opened offline: tables and figures, with
//! everything it needs inside.

mod figures;
mod findings;
mod managed;
mod totals;

use std::fmt::Write;

use crate::experiment::Variant;
use crate::policy::Policy;
use crate::sesames::{Measure, PolicySummary};
use charts::scale::{grouped, readable};
use charts::{STYLE, escaped};

pub use findings::{Findings, Timeline};

/// A finished cell and what is special about it.
#[derive(Clone, Copy, Debug)]
pub struct ReportedCell<'a> {
    /// Which cell.
    pub variant: &'a Variant,
    /// What came of it.
    pub findings: &'a Findings,
}

/// The report: of one cell all figures, of a sweep what changes from cell to cell.
pub fn html(title: &str, cells: &[ReportedCell<'_>]) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\"><title>{title}</title>\n<style>{STYLE}</style></head>\n\
         <body><main><h1>{title}</h1>\n"
    );
    out += &lead(cells);
    if let [cell] = cells {
        out += &totals::of_cell(cell);
        out += &managed::of_cell(cell);
        out += &figures::of_cell(cell);
        out += "<h2>A reservation on average</h2>\n<p>Of those that each policy placed, which are not \
                the same ones.</p>\n";
        out += &comparison(cell);
        out += &details(cell);
    } else {
        out += &figures::of_sweep(cells);
        for cell in cells {
            let _ = writeln!(out, "<h2>{}</h2>", escaped(&cell.variant.name()));
            out += &totals::of_cell(cell);
            out += &managed::table(cell);
        }
    }
    out += &cells.first().map(parameters).unwrap_or_default();
    out + "</main></body></html>\n"
}

/// What was played, in a sentence.
fn lead(cells: &[ReportedCell<'_>]) -> String {
    let Some(first) = cells.first() else { return String::new() };
    let of = &first.findings.summary.parameters.parameters;
    let number = |value: u32| grouped(&value.to_string());
    let sweep = match cells.len() {
        1 => String::new(),
        several => format!(", in {several} settings"),
    };
    format!(
        "<p class=lead>{} of {} days with {} requests on {} nodes{sweep}. Every policy sees the same \
         nodes, requests and agendas.{}</p>\n",
        if of.runs == 1 { "One run".to_owned() } else { format!("{} runs", number(of.runs)) },
        number(of.days),
        number(of.requests),
        number(of.nodes),
        if of.runs == 1 { "" } else { " \u{b1} is half of a 95 % confidence interval over runs." },
    )
}

/// The paper's measures.
const COMPARED: [Measure; 7] = [
    Measure::EnergyJ,
    Measure::Cost,
    Measure::Co2G,
    Measure::StartLagS,
    Measure::UnsuccessfulNodes,
    Measure::UnsuccessfulPowerCap,
    Measure::Occupancy,
];

fn comparison(cell: &ReportedCell<'_>) -> String {
    let summary = &cell.findings.summary;
    let columns = COMPARED.map(|measure| Column::of(cell, measure));
    let mut out = String::from("<div class=wide><table><thead><tr><th>policy</th>");
    for column in &columns {
        let _ = write!(out, "<th>{}</th>", escaped(&column.heading()));
    }
    out +=
        "<th>energy saved, %</th><th>cost saved, %</th><th>CO2 saved, %</th></tr></thead><tbody>";
    for (policy, measured) in &summary.policies {
        let _ = write!(out, "<tr><th>{policy}</th>");
        for column in &columns {
            out += &column.cell(measured);
        }
        out += &saved(*policy, measured);
        out += "</tr>";
    }
    out + "</tbody></table></div>\n"
}

/// One measure of all policies in one unit.
struct Column {
    measure: Measure,
    by: f64,
    unit: String,
}

impl Column {
    fn of(cell: &ReportedCell<'_>, measure: Measure) -> Self {
        let summary = &cell.findings.summary;
        let values = summary.policies.iter().filter_map(|(_, of)| of.means.get(measure));
        let most = values.map(f64::abs).fold(0.0, f64::max);
        let currency = summary.parameters.currency.code();
        let (by, unit) = readable(measure.unit(), most, currency);
        Self { measure, by, unit }
    }

    fn heading(&self) -> String {
        let label = self.measure.label();
        if self.unit.is_empty() { label.to_owned() } else { format!("{label}, {}", self.unit) }
    }

    fn cell(&self, measured: &PolicySummary) -> String {
        let half = measured.ci95.and_then(|ci95| ci95.means.get(self.measure));
        entry(measured.means.get(self.measure), half, self.by)
    }
}

fn saved(policy: Policy, measured: &PolicySummary) -> String {
    let Some(savings) = measured.savings.filter(|_| policy != Policy::AsapFirst) else {
        return "<td>\u{2013}</td>".repeat(3);
    };
    let saved = savings.savings_vs_asap_first;
    let half = measured.ci95.and_then(|ci95| ci95.savings).map(|all| all.savings_vs_asap_first);
    let entries = [
        entry(saved.energy_j, half.and_then(|half| half.energy_j), 0.01),
        entry(saved.cost, half.and_then(|half| half.cost), 0.01),
        entry(saved.co2_g, half.and_then(|half| half.co2_g), 0.01),
    ];
    entries.concat()
}

/// A value and half of its confidence interval.
fn entry(value: Option<f64>, half: Option<f64>, by: f64) -> String {
    let Some(value) = value else { return "<td>\u{2013}</td>".to_owned() };
    let value = value / by;
    let decimals: usize = match value.abs() {
        large if large >= 1000.0 => 0,
        middle if middle >= 100.0 => 1,
        _ => 2,
    };
    let mut out = format!("<td>{}", grouped(&format!("{value:.decimals$}")));
    if let Some(half) = half {
        let _ =
            write!(out, "<small>\u{b1}{}</small>", grouped(&format!("{:.decimals$}", half / by)));
    }
    out + "</td>"
}

/// All measures, a row for each.
fn details(cell: &ReportedCell<'_>) -> String {
    let policies = &cell.findings.summary.policies;
    let mut out = String::from("<h2>Everything that was measured</h2>\n<div class=wide><table>");
    out += "<thead><tr><th>mean over runs</th>";
    for (policy, _) in policies {
        let _ = write!(out, "<th>{policy}</th>");
    }
    out += "</tr></thead><tbody>";
    for measure in Measure::ALL {
        let column = Column::of(cell, measure);
        let _ = write!(out, "<tr><th>{}</th>", escaped(&column.heading()));
        for (_, measured) in policies {
            out += &column.cell(measured);
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>\n"
}

/// What it was played with; of a sweep the first cell's.
fn parameters(cell: &ReportedCell<'_>) -> String {
    let recorded = serde_json::to_value(&cell.findings.summary.parameters).unwrap_or_default();
    let mut out = String::from("<h2>Parameters</h2>\n<dl>");
    let varied = |name: &str| cell.variant.varied.iter().any(|(other, _)| other == name);
    for (name, value) in recorded.as_object().into_iter().flatten() {
        let value = if varied(name) { "varied".to_owned() } else { figures::text(value) };
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(&value));
    }
    out + "</dl>\n"
}
