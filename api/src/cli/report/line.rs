//! A report's columns, and its lines as text.

use crate::http::v1::reports::{ReportDocument, ReportRowDocument};

/// The columns after those of `--by`.
const AMOUNTS: [&str; 16] = [
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
];

/// All columns of a report, in their order.
pub fn columns(by: &[String]) -> Vec<&str> {
    by.iter().map(String::as_str).chain(AMOUNTS).collect()
}

/// A line's columns; what is not known is empty.
pub fn texts(
    by: &[String],
    row: &ReportRowDocument,
    number: impl Fn(f64) -> String,
) -> Vec<String> {
    let known = |amount: Option<f64>| amount.map(&number).unwrap_or_default();
    let key = |key: &String| {
        let said = match key.as_str() {
            "user" => &row.user,
            "project" => &row.project,
            "partition" => &row.partition,
            "application" => &row.application,
            _ => &row.month,
        };
        said.clone().unwrap_or_default()
    };
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
    ];
    by.iter().map(key).chain(amounts).collect()
}

/// How far the ledger is, in a sentence.
pub fn stated(report: &ReportDocument) -> String {
    match &report.stated_to {
        Some(to) => format!("Hours are stated to {to}."),
        None => "No hour is stated yet.".to_owned(),
    }
}
