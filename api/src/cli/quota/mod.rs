//! `wattbook quota`: what users and projects may hold, by the API of a service, and whether a file of quotas is right.

mod check;

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::booking::server::Connection;
use super::{Failure, block_on, print};
use crate::http::v1::quotas::{QuotaDocument, QuotasDocument};

/// The columns, in their order.
const COLUMNS: [&str; 15] = [
    "rules",
    "rule",
    "partition",
    "project",
    "job_type",
    "user",
    "measure",
    "limit",
    "used",
    "left",
    "per",
    "from",
    "to",
    "reserved",
    "measured",
];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The quotas, with a header
    Csv,
    /// The API's answer
    Json,
}

/// Arguments of `wattbook quota`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Subcommand)]
enum Command {
    /// Say what a file of quotas means, or everything that is wrong with it; ask no service
    Check {
        /// OAR's file (JSON), or one of our own whose name ends in .toml
        file: PathBuf,
    },
}

/// Prints how those stand who may ask, or what a file means.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(Command::Check { file }) = &arguments.command {
        return check::run(file);
    }
    let server = arguments.connection.open()?;
    let answer: Value = block_on(async { server.get("quotas").await })?;
    if arguments.format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let QuotasDocument { quotas } = serde_json::from_value(answer)?;
    if arguments.format == Format::Csv {
        return Ok(print(csv(&quotas)?.trim_end())?);
    }
    if quotas.is_empty() {
        return Ok(print("No quotas are in force.")?);
    }
    Ok(print(table(&quotas))?)
}

fn csv(quotas: &[QuotaDocument]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let amount = |amount: Option<f64>| amount.map_or_else(String::new, |it| it.to_string());
    for it in quotas {
        writer.write_record([
            &it.rules,
            &it.rule,
            &it.partition,
            &it.project,
            &it.job_type,
            &it.user,
            &it.measure,
            &it.limit.to_string(),
            &it.used.to_string(),
            &it.left.to_string(),
            it.per.as_deref().unwrap_or_default(),
            &it.from,
            &it.to,
            &amount(it.reserved),
            &amount(it.measured),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn table(quotas: &[QuotaDocument]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "RULES",
        "RULE",
        "PARTITION",
        "PROJECT",
        "TYPE",
        "USER",
        "OF",
        "LIMIT",
        "USED",
        "MEASURED",
        "LEFT",
    ]);
    for column in table.column_iter_mut().skip(7) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for it in quotas {
        let measure = match &it.per {
            Some(per) if per == "fixed" => format!("{} until {}", it.measure, it.to),
            Some(per) => format!("{} a {per}", it.measure),
            None => it.measure.clone(),
        };
        let amount = |amount: f64| format!("{amount:.1}").trim_end_matches(".0").to_owned();
        table.add_row([
            it.rules.clone(),
            it.rule.clone(),
            it.partition.clone(),
            it.project.clone(),
            it.job_type.clone(),
            it.user.clone(),
            measure,
            amount(it.limit),
            amount(it.used),
            it.measured.map_or_else(String::new, amount),
            amount(it.left),
        ]);
    }
    table
}
