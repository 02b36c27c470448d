//! `wattbook ledger totals`: what rows amount to.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::{LedgerHours, co2_sources};
use crate::cli::booking::server::Connection;
use crate::cli::{Failure, ListFormat, block_on, print};
use crate::http::v1::ledger::totals::{LedgerSumDocument, LedgerTotalsDocument, PueDocument};

/// Arguments of `wattbook ledger totals`.
#[derive(clap::Args)]
pub struct ShowTotals {
    #[command(flatten)]
    wanted: LedgerHours,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// Shows what the rows amount to.
pub fn run(arguments: &ShowTotals) -> Result<(), Failure> {
    let (query, server) = (arguments.wanted.query()?, arguments.connection.open()?);
    let answer: Value = block_on(async { server.get_with("ledger/totals", &query).await })?;
    if let ListFormat::Json = arguments.format {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let totals: LedgerTotalsDocument = serde_json::from_value(answer)?;
    print(table(&totals))?;
    if let Some(PueDocument { ratio, category, from, to }) = &totals.pue {
        print(format_args!("{category} from {from} to {to}: {ratio:.3}."))?;
    }
    if let Some(sentence) = co2_sources::sentence(&totals.co2_sources) {
        print(sentence)?;
    }
    if let Some(sentence) = co2_sources::other(totals.other_co2_accounting.as_ref()) {
        print(sentence)?;
    }
    match totals.stated_to {
        Some(stated_to) => print(format_args!("Hours are stated to {stated_to}."))?,
        None => print("No hour is stated yet.")?,
    }
    Ok(())
}

fn table(totals: &LedgerTotalsDocument) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "HOLDER",
        "NODE_HOURS",
        "ENERGY_KWH",
        "MEASURED",
        "SHARE",
        "COST",
        "CO2_LOCATION_KG",
        "CO2_MARKET_KG",
        "OTHER_CO2_KG",
    ]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for sum in totals.holders.iter().chain(&totals.totals) {
        table.add_row(row(sum));
    }
    table
}

/// For people: kWh, kg and per cent; nothing where nothing is known.
fn row(sum: &LedgerSumDocument) -> [String; 9] {
    let of = |amount: Option<i64>, unit: f64, decimals: usize| {
        let shown = |it: i64| format!("{:.decimals$}", it as f64 / unit);
        amount.map(shown).unwrap_or_default()
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let measured = (sum.energy_j != 0).then(|| sum.measured_j as f64 / sum.energy_j as f64);
    let cost = of(sum.cost_millionths, 1e6, 2);
    [
        sum.holder.clone().unwrap_or_else(|| "all".to_owned()),
        of(Some(sum.node_s), 3600.0, 1),
        of(Some(sum.energy_j), 3.6e6, 3),
        measured.map(percent).unwrap_or_default(),
        sum.energy_share.map(percent).unwrap_or_default(),
        if cost.is_empty() { cost } else { format!("{cost} {}", sum.currency) },
        of(sum.co2_location_mg, 1e6, 3),
        of(sum.co2_market_mg, 1e6, 3),
        of(sum.other_co2_mg, 1e6, 3),
    ]
}
