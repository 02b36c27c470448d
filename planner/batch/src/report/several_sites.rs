//! One HTML page of an experiment with several sites: clients and sites beside one another, then each site.

use std::fmt::Write;

use charts::escaped;
use charts::scale::grouped;
use planner::time::Timestamp;

use super::{Collector, begin};
use crate::sites::{ClientResults, SiteResults, SitesResults};

/// The page; `collectors` saw what happened at each site, which began at `zero` by the clock where that is known.
pub fn sites_page(
    title: &str,
    results: &SitesResults,
    collectors: Vec<Collector>,
    zero: Option<Timestamp>,
) -> String {
    let mut out = begin(&escaped(title));
    if !results.clients.is_empty() {
        out += "<h2>Clients</h2>";
        out += &table(CLIENT_COLUMNS, results.clients.iter().map(client_row));
    }
    out += "<h2>Sites</h2>";
    out += &table(SITE_COLUMNS, results.sites.iter().map(site_row));
    for (site, collector) in results.sites.iter().zip(collectors) {
        let body =
            collector.body(&site.summary, zero).replace("<h2>", "<h3>").replace("</h2>", "</h3>");
        let _ = write!(out, "<h2>{}</h2>\n{body}", escaped(&site.site));
    }
    out + "</main></body></html>\n"
}

const CLIENT_COLUMNS: &[&str] = &[
    "client",
    "rule",
    "tasks",
    "refused",
    "mean flow, s",
    "mean wait, s",
    "mean transfer, s",
    "energy, J",
    "cost",
    "CO2, g",
    "tasks by site",
];

const SITE_COLUMNS: &[&str] =
    &["site", "policy", "jobs", "mean wait, s", "utilisation, %", "energy, J", "cost", "CO2, g"];

fn client_row(client: &ClientResults) -> Vec<String> {
    let by_site = client.tasks_by_site.iter();
    let by_site = by_site.map(|(site, tasks)| format!("{site} {tasks}")).collect::<Vec<_>>();
    vec![
        client.client.clone(),
        client.rule.to_owned(),
        client.tasks.to_string(),
        client.refused.to_string(),
        number(Some(client.mean_flow_s)),
        number(Some(client.mean_waiting_time_s)),
        number(Some(client.mean_transfer_time_s)),
        number(client.energy_j),
        number(client.energy_cost),
        number(client.energy_co2_g),
        by_site.join(", "),
    ]
}

fn site_row(site: &SiteResults) -> Vec<String> {
    let summary = &site.summary;
    vec![
        site.site.clone(),
        site.policy.to_owned(),
        summary.nb_jobs.to_string(),
        number(Some(summary.mean_waiting_time)),
        number(Some(summary.utilisation * 100.0)),
        number(summary.consumed_joules),
        number(summary.energy_cost),
        number(summary.energy_co2_g),
    ]
}

/// A number with three decimals; nothing where it is not known.
fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| grouped(&format!("{value:.3}")))
}

fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = "<div class=wide><table><thead><tr>".to_owned();
    for column in columns {
        let _ = write!(out, "<th scope=col>{column}</th>");
    }
    out += "</tr></thead><tbody>\n";
    for row in rows {
        out += "<tr>";
        for (place, cell) in row.iter().enumerate() {
            let kind = if place == 0 { "th scope=row" } else { "td" };
            let _ = write!(out, "<{kind}>{}</{}>", escaped(cell), &kind[..2]);
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}
