//! `wattbook bill`: what a month costs as the supplier bills it, by the API of a service.

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::booking::server::Connection;
use super::{Failure, block_on, print};
use crate::http::v1::bills::{BillDocument, BillRowDocument};

/// The columns of the lines, in their order.
const COLUMNS: [&str; 8] = [
    "holder",
    "reservation_id",
    "user",
    "project",
    "energy_j",
    "energy_cost_millionths",
    "demand_cost_millionths",
    "currency",
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The lines, with a header; what is not known is empty
    Csv,
    /// The API's answer
    Json,
}

/// Arguments of `wattbook bill`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The month, such as 2026-03, as the site's calendar has it [default: the one that is now]
    #[arg(long)]
    month: Option<String>,
    /// Only this user's lines
    #[arg(long)]
    user: Option<String>,
    /// Only this project's lines
    #[arg(long)]
    project: Option<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

/// Prints the bill.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let asked =
        [("month", &arguments.month), ("user", &arguments.user), ("project", &arguments.project)];
    let query = asked.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let query: Vec<_> = query.collect();
    let answer: Value = block_on(async { server.get_with("bills", &query).await })?;
    if arguments.format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let bill: BillDocument = serde_json::from_value(answer)?;
    if arguments.format == Format::Csv {
        return Ok(print(csv(&bill)?.trim_end())?);
    }
    print(parts(&bill))?;
    print(table(&bill))?;
    match &bill.stated_to {
        Some(to) => print(format_args!("Hours are stated to {to}."))?,
        None => print("No hour is stated yet.")?,
    }
    Ok(())
}

fn csv(bill: &BillDocument) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    for row in &bill.rows {
        writer.write_record([
            row.holder.clone(),
            text(&row.reservation_id),
            text(&row.user),
            text(&row.project),
            row.energy_j.to_string(),
            row.energy_cost_millionths.map(|it| it.to_string()).unwrap_or_default(),
            row.demand_cost_millionths.to_string(),
            bill.currency.clone(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// What the bill consists of.
fn parts(bill: &BillDocument) -> Table {
    let mut table = table_of(["CHARGE", "FOR", "COST"]);
    let energy = format!("{:.3} kWh", kilowatt_hours(bill.energy_j));
    table.add_row(["energy".to_owned(), energy, money(bill.energy_cost_millionths, bill)]);
    for charge in &bill.demand {
        let power = charge.energy_j.map(|it| format!("{:.3} kW, ", it as f64 / 9e5));
        let at = charge.quarter_start.as_ref().map(|at| format!("quarter-hour of {at}"));
        let drawn = power.unwrap_or_default() + &at.unwrap_or_default();
        table.add_row([charge.name.clone(), drawn, money(Some(charge.cost_millionths), bill)]);
    }
    for charge in &bill.fixed {
        let cost = money(Some(charge.cost_millionths), bill);
        table.add_row([charge.name.clone(), bill.month.clone(), cost]);
    }
    let total = money(Some(bill.total_millionths), bill);
    table.add_row(["total".to_owned(), bill.month.clone(), total]);
    table
}

fn table(bill: &BillDocument) -> Table {
    let mut table =
        table_of(["HOLDER", "RESERVATION", "USER", "PROJECT", "ENERGY_KWH", "ENERGY", "DEMAND"]);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    for row in &bill.rows {
        let BillRowDocument { energy_cost_millionths, demand_cost_millionths, .. } = row;
        table.add_row([
            row.holder.clone(),
            text(&row.reservation_id),
            text(&row.user),
            text(&row.project),
            format!("{:.3}", kilowatt_hours(row.energy_j)),
            money(*energy_cost_millionths, bill),
            money(Some(*demand_cost_millionths), bill),
        ]);
    }
    table
}

fn table_of<const COUNT: usize>(head: [&str; COUNT]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(head);
    if let Some(column) = table.column_mut(COUNT - 1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn kilowatt_hours(energy_j: i64) -> f64 {
    energy_j as f64 / 3.6e6
}

/// Nothing where nothing is known.
fn money(millionths: Option<i64>, bill: &BillDocument) -> String {
    let shown = |it: i64| format!("{:.2} {}", it as f64 / 1e6, bill.currency);
    millionths.map(shown).unwrap_or_default()
}
