//! A report's columns, and its lines as text.

use planner::json::co2_accounting::Co2AccountingDocument;
use serde_json::{Map, Value, json};

use crate::cli::ledger::co2_sources;
use crate::http::v1::ledger::co2_sources::{Co2SourceDocument, common_accounting};
use crate::http::v1::reports::{ReportDocument, ReportRowDocument};

/// A report as it is printed.
pub struct PrintedReport {
    /// RFC 3339.
    pub from: String,
    /// RFC 3339.
    pub to: String,
    /// By what.
    pub by: Vec<String>,
    /// The end of the newest hour that is stated, RFC 3339.
    pub stated_to: Option<String>,
    /// What CO2 rests on.
    pub co2_sources: Vec<Co2SourceDocument>,
    /// How CO2 is counted by the accounting that the site does not plan by.
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// In the order in which they are printed.
    pub rows: Vec<PrintedRow>,
    /// The names of the columns that accounting has beside ours.
    pub beside: Vec<String>,
}

/// A line as it is printed.
pub struct PrintedRow {
    /// What the ledger says.
    pub row: ReportRowDocument,
    /// Whether it says anything: else there are but the columns of `--by`, and amounts are not known.
    pub in_ledger: bool,
    /// The cells of the columns of accounting.
    pub beside: Vec<String>,
}

impl From<ReportDocument> for PrintedReport {
    fn from(report: ReportDocument) -> Self {
        let ReportDocument {
            from, to, by, stated_to, co2_sources, other_co2_accounting, rows, ..
        } = report;
        let shown = |row| PrintedRow { row, in_ledger: true, beside: Vec::new() };
        let rows = rows.into_iter().map(shown).collect();
        let beside = Vec::new();
        Self { from, to, by, stated_to, co2_sources, other_co2_accounting, rows, beside }
    }
}

/// The columns after those of `--by`.
const AMOUNTS: [&str; 17] = [
    "node_hours_reserved",
    "node_hours_used",
    "energy_kwh",
    "measured_share",
    "cost",
    "currency",
    "co2_location_kg",
    "co2_market_kg",
    "promised_saving_cost",
    "promised_saving_co2_kg",
    "measured_saving_cost",
    "measured_saving_co2_kg",
    "mean_error",
    "water_l",
    "embodied_co2_kg",
    "sci_g_per_node_hour",
    "other_co2_kg",
];

/// The columns of `--by`, in their order.
pub fn key_columns(by: &[String]) -> Vec<&str> {
    by.iter()
        .flat_map(|key| match key.as_str() {
            "job" => vec!["cluster", "job_id", "job_raw_id", "submitted"],
            key => vec![key],
        })
        .collect()
}

/// All columns of a report, in their order.
pub fn columns(report: &PrintedReport) -> Vec<&str> {
    let beside = report.beside.iter().map(String::as_str);
    key_columns(&report.by).into_iter().chain(AMOUNTS).chain(beside).collect()
}

/// The columns of a table for programs: the last two say how CO2 by location is counted, and CO2 by the accounting that the site
/// does not plan by, which tables for people say in sentences.
pub fn table_columns(report: &PrintedReport) -> Vec<&str> {
    let mut columns = columns(report);
    columns.extend(["co2_accounting", "other_co2_accounting"]);
    columns
}

/// A line's columns in a table for programs.
pub fn table_texts(report: &PrintedReport, shown: &PrintedRow) -> Vec<String> {
    let mut texts = texts(&report.by, shown, |number| number.to_string());
    let counted = [common_accounting(&report.co2_sources), report.other_co2_accounting.clone()];
    let known = counted.map(|it| it.filter(|_| shown.in_ledger));
    texts.extend(known.map(|it| it.map(|it| it.to_string()).unwrap_or_default()));
    texts
}

/// Whether a column has numbers.
pub fn is_number(column: &str) -> bool {
    column != "currency" && AMOUNTS.contains(&column)
}

/// The cells of `--by`.
pub fn key_texts(by: &[String], row: &ReportRowDocument) -> Vec<String> {
    let cell = |column: &str| match column {
        "user" => row.user.clone(),
        "project" => row.project.clone(),
        "partition" => row.partition.clone(),
        "application" => row.application.clone(),
        "cluster" => row.cluster.clone(),
        "job_id" => row.job_id.clone(),
        "job_raw_id" => row.job_raw_id.map(|id| id.to_string()),
        "submitted" => row.submitted.clone(),
        "reservation" => row.reservation.clone(),
        _ => row.month.clone(),
    };
    key_columns(by).into_iter().map(|column| cell(column).unwrap_or_default()).collect()
}

/// A line's columns; what is not known is empty.
pub fn texts(by: &[String], shown: &PrintedRow, number: impl Fn(f64) -> String) -> Vec<String> {
    let row = &shown.row;
    let known = |amount: Option<f64>| amount.map(&number).unwrap_or_default();
    let amounts = [
        number(row.node_hours_reserved),
        known(row.node_hours_used),
        number(row.energy_kwh),
        known(row.measured_share),
        known(row.cost),
        row.currency.clone(),
        known(row.co2_location_kg),
        known(row.co2_market_kg),
        known(row.promised_saving_cost),
        known(row.promised_saving_co2_kg),
        known(row.measured_saving_cost),
        known(row.measured_saving_co2_kg),
        known(row.mean_error),
        known(row.water_l),
        known(row.embodied_co2_kg),
        known(row.sci_g_per_node_hour),
        known(row.other_co2_kg),
    ];
    let amounts = if shown.in_ledger { amounts } else { Default::default() };
    key_texts(by, row).into_iter().chain(amounts).chain(shown.beside.iter().cloned()).collect()
}

/// A report as the API tells one, with the columns of accounting in `sacct` of each line.
pub fn json(report: &PrintedReport) -> anyhow::Result<Value> {
    let line = |shown: &PrintedRow| {
        let mut line = serde_json::to_value(&shown.row)?;
        if !shown.in_ledger {
            for column in AMOUNTS.into_iter().chain([
                "energy_j",
                "measured_j",
                "unrated_j",
                "other_unrated_j",
            ]) {
                line[column] = Value::Null;
            }
        }
        if !report.beside.is_empty() {
            let cells = shown.beside.iter().map(|cell| Value::from(cell.as_str()));
            line["sacct"] = report.beside.iter().cloned().zip(cells).collect::<Map<_, _>>().into();
        }
        Ok(line)
    };
    let rows = report.rows.iter().map(line).collect::<anyhow::Result<Vec<_>>>()?;
    let PrintedReport { from, to, by, stated_to, co2_sources, other_co2_accounting, .. } = report;
    Ok(json!({
        "from": from, "to": to, "by": by, "stated_to": stated_to,
        "co2_accounting": common_accounting(co2_sources), "co2_sources": co2_sources,
        "other_co2_accounting": other_co2_accounting, "rows": rows,
    }))
}

/// How far the ledger is and what CO2 rests on, in sentences.
pub fn stated(report: &PrintedReport) -> String {
    let stated = match &report.stated_to {
        Some(to) => format!("Hours are stated to {to}."),
        None => "No hour is stated yet.".to_owned(),
    };
    let co2 = co2_sources::sentence(&report.co2_sources);
    let other = co2_sources::other(report.other_co2_accounting.as_ref());
    std::iter::once(stated).chain(co2).chain(other).collect::<Vec<_>>().join(" ")
}
