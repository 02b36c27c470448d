//! The month in total, and what is saved on the same requests: what a report begins with.

use std::fmt::Write;

use super::ReportedCell;
use crate::policy::Policy;
use crate::sesames::{MonthTotals, PolicySummary, Summary};
use charts::scale::{grouped, readable};

/// Both tables of a cell.
pub(super) fn of_cell(cell: &ReportedCell<'_>) -> String {
    let summary = &cell.findings.summary;
    months(summary) + &saved(summary)
}

/// Energy, cost and CO2 of a month with what they are divided by, and in what unit.
type Amount = (fn(&MonthTotals) -> f64, f64, String);

fn months(summary: &Summary) -> String {
    let runs = match summary.parameters.parameters.runs {
        1 => String::new(),
        runs => format!(", mean of {runs} runs"),
    };
    let mut out = format!("<h3>The month in total{runs}</h3>\n<div class=wide><table><thead><tr>");
    let amounts = amounts(summary);
    let headings = ["policy", "requests", "served", "no nodes", "no power", "no agenda"];
    let headings = headings.map(str::to_owned).into_iter();
    let named = ["energy", "cost", "CO2"].into_iter().zip(&amounts);
    let named = named.map(|(name, (_, _, unit))| format!("{name}, {unit}"));
    for heading in headings.chain(named) {
        let _ = write!(out, "<th>{heading}</th>");
    }
    out += "</tr></thead><tbody>";
    for (policy, measured) in &summary.policies {
        let month = &measured.month;
        let _ = write!(out, "<tr><th>{policy}</th>");
        for requests in [
            month.requests,
            month.served,
            month.not_served_nodes,
            month.not_served_power_cap,
            month.not_served_agenda_gap,
        ] {
            let _ = write!(out, "<td>{}</td>", count(requests));
        }
        for (of, by, _) in &amounts {
            let _ = write!(out, "<td>{}</td>", number(of(month) / by));
        }
        out += "</tr>";
    }
    out += "</tbody></table></div>\n";
    out + &coverage(summary)
}

/// In units in which the greatest of each can be read.
fn amounts(summary: &Summary) -> [Amount; 3] {
    let currency = summary.parameters.currency.code();
    let amount = |of: fn(&MonthTotals) -> f64, unit: &str| -> Amount {
        let most = summary.policies.iter().map(|(_, it)| of(&it.month).abs()).fold(0.0, f64::max);
        let (by, unit) = readable(unit, most, currency);
        (of, by, unit)
    };
    [amount(|it| it.energy_j, "J"), amount(|it| it.cost, "money"), amount(|it| it.co2_g, "g")]
}

/// What the agendas do not cover, where they do not.
fn coverage(summary: &Summary) -> String {
    let first = summary.policies.first();
    match first.and_then(|(_, it)| it.month.covered_share).filter(|share| *share < 1.0) {
        Some(share) => format!(
            "<p><strong>Prices, CO2 and caps cover {:.1} % of the requests.</strong> Cost and CO2 are of \
             what was placed where they do.</p>\n",
            100.0 * share
        ),
        None => String::new(),
    }
}

fn saved(summary: &Summary) -> String {
    let rows: String =
        summary.policies.iter().filter_map(|(policy, it)| row(*policy, it)).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h3>Saved against asap_first, in total over the requests that both served</h3>\n<div \
         class=wide><table><thead><tr><th>policy</th><th>requests</th><th>energy, %</th><th>cost, \
         %</th><th>CO2, %</th></tr></thead><tbody>{rows}</tbody></table></div>\n<p>{}.</p>\n",
        summary.intervals.words()
    )
}

fn row(policy: Policy, measured: &PolicySummary) -> Option<String> {
    let same = measured.same_requests?;
    let share = |saved: Option<f64>, interval: Option<[f64; 2]>| {
        let Some(saved) = saved else { return "<td>\u{2013}</td>".to_owned() };
        let ends = interval.map(|[from, to]| {
            let percent = |part: f64| grouped(&format!("{:.1}", 100.0 * part));
            format!("<small>{} to {}</small>", percent(from), percent(to))
        });
        let saved = grouped(&format!("{:.1}", 100.0 * saved));
        format!("<td>{saved}{}</td>", ends.unwrap_or_default())
    };
    let ends = same.saved_ci95;
    Some(format!(
        "<tr><th>{policy}</th><td>{}</td>{}{}{}</tr>",
        count(same.requests),
        share(same.saved.energy_j, ends.energy_j),
        share(same.saved.cost, ends.cost),
        share(same.saved.co2_g, ends.co2_g),
    ))
}

/// A number of requests: whole, or a mean over runs.
pub(super) fn count(requests: f64) -> String {
    let whole = (requests - requests.round()).abs() < 1e-9;
    grouped(&if whole { format!("{requests:.0}") } else { format!("{requests:.1}") })
}

/// An amount with as many decimals as can be read.
pub(super) fn number(value: f64) -> String {
    let decimals: usize = match value.abs() {
        large if large >= 1000.0 => 0,
        middle if middle >= 100.0 => 1,
        _ => 2,
    };
    grouped(&format!("{value:.decimals$}"))
}
