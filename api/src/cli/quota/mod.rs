//! `wattbook quota`: what users and projects may hold, by the API of a service, how operators adjust it, and whether a file
//! of quotas is right.

mod adjust;
mod check;

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::booking::answers::local;
use super::booking::server::Connection;
use super::{Failure, block_on, print};
use crate::http::v1::quotas::{QuotaAdjustedDocument, QuotaDocument, QuotasDocument};

/// The columns, in their order.
const COLUMNS: [&str; 18] = [
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
    "adjustment",
    "adjusted_until",
    "reason",
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
    /// Make a rule for a time, which goes before all rules of the settings; for operators
    Adjust(Box<adjust::AdjustQuota>),
    /// List the rules made so that have yet to end; for operators
    Adjustments(adjust::ListAdjustments),
    /// Change the limits, the end or the reason of such a rule; for operators
    Change(Box<adjust::ChangeAdjustment>),
    /// End such rules now, or take them back before they begin; for operators
    End(adjust::EndAdjustments),
}

/// Prints how those stand who may ask, or what a file means.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Some(Command::Check { file }) => return check::run(file),
        Some(Command::Adjust(arguments)) => return adjust::adjust(arguments),
        Some(Command::Adjustments(arguments)) => return adjust::list(arguments),
        Some(Command::Change(arguments)) => return adjust::change(arguments),
        Some(Command::End(arguments)) => return adjust::end(arguments),
        None => {}
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
            &adjusted(it, |by| by.id.to_string()),
            &adjusted(it, |by| by.until.clone().unwrap_or_default()),
            &adjusted(it, |by| by.reason.clone()),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Something of the adjustment that a limit comes from, where it comes from one.
fn adjusted(it: &QuotaDocument, part: impl Fn(&QuotaAdjustedDocument) -> String) -> String {
    it.adjustment.as_ref().map(part).unwrap_or_default()
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
        "ADJUSTED",
    ]);
    for column in table.column_iter_mut().skip(7).take(4) {
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
            adjusted(it, |by| {
                let until = by.until.as_deref().map(|until| format!("until {}", local(until)));
                [until, Some(by.reason.clone()).filter(|it| !it.is_empty())]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(": ")
            }),
        ]);
    }
    table
}
