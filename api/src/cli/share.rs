//! `wattbook share`: how users and projects stand by what they used, by the API of a service.

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::booking::server::Connection;
use super::{Failure, block_on, print};
use crate::http::v1::shares::SharesDocument;

/// The columns, in their order.
const COLUMNS: [&str; 7] = [
    "account",
    "parent",
    "share",
    "usage_node_seconds",
    "usage_energy_j",
    "normalised_usage",
    "factor",
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The accounts, with a header
    Csv,
    /// The API's answer
    Json,
}

/// Arguments of `wattbook share`.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

/// Prints how accounts stand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let answer: Value = block_on(async { server.get("shares").await })?;
    if arguments.format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let shares: SharesDocument = serde_json::from_value(answer)?;
    if arguments.format == Format::Csv {
        return Ok(print(csv(&shares)?.trim_end())?);
    }
    print(table(&shares))?;
    let days = shares.half_life_s as f64 / 86_400.0;
    print(format_args!(
        "{} counts, half as much after {days} days. The higher the factor, the better one stands; nothing is \
         decided by it yet.",
        match shares.counts.as_str() {
            "energy" => "Energy",
            _ => "The time of nodes",
        }
    ))?;
    match &shares.stated_to {
        Some(to) => {
            print(format_args!("Usage is known to {to}; after it what is planned counts."))?;
        }
        None => print("No hour is stated yet; what is planned counts.")?,
    }
    Ok(())
}

fn csv(shares: &SharesDocument) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for it in &shares.accounts {
        writer.write_record([
            it.account.clone(),
            it.parent.clone(),
            it.share.to_string(),
            it.usage_node_seconds.to_string(),
            it.usage_energy_j.to_string(),
            it.normalised_usage.to_string(),
            it.factor.to_string(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// For people: node-hours, kWh and per cent.
fn table(shares: &SharesDocument) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "ACCOUNT",
        "PARENT",
        "SHARE",
        "NODE_HOURS",
        "ENERGY_KWH",
        "USAGE",
        "FACTOR",
    ]);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for it in &shares.accounts {
        table.add_row([
            it.account.clone(),
            it.parent.clone(),
            format!("{:.1} %", 100.0 * it.share),
            format!("{:.1}", it.usage_node_seconds / 3600.0),
            format!("{:.3}", it.usage_energy_j / 3.6e6),
            format!("{:.3} %", 100.0 * it.normalised_usage),
            format!("{:.4}", it.factor),
        ]);
    }
    table
}
