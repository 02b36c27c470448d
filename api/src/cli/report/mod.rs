//! `wattbook report`: the ledger added up, by the API of a service.

mod html;
mod line;
pub(super) mod sacct;

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::Value;

use super::booking::server::Connection;
use super::ledger::LedgerHours;
use super::{Failure, block_on, print};
use crate::http::v1::reports::ReportDocument;
use line::{PrintedReport, columns, table_columns, table_texts, texts};
use sacct::SacctArguments;

/// By what a report is added up.
const KEYS: [&str; 7] =
    ["user", "project", "partition", "application", "job", "reservation", "month"];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For programs, with a header; what is not known is empty
    Csv,
    /// The API's answer
    Json,
    /// A page that can be printed
    Html,
    /// The table, typed; a build with the feature parquet has it
    Parquet,
}

/// Arguments of `wattbook report`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    hours: LedgerHours,
    /// By what, commas between: user, project, partition, application, job, reservation, month [default: all together]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = KEYS)]
    by: Vec<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    sacct: SacctArguments,
    #[command(flatten)]
    connection: Connection,
}

/// Prints the report.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.format == Format::Parquet && !cfg!(feature = "parquet") {
        let error = "--format parquet: this build is without the feature parquet; \
            take csv, or build with --features parquet";
        return Err(Failure::BadInput(vec![error.to_owned()]));
    }
    let file = arguments.sacct.read()?;
    let query = match &file {
        Some(_) => sacct::query(arguments)?,
        None => query(arguments)?,
    };
    let server = arguments.connection.open()?;
    let answer: Value = block_on(async { server.get_with("reports", &query).await })?;
    if arguments.format == Format::Json && file.is_none() {
        return Ok(print(serde_json::to_string_pretty(&answer)?)?);
    }
    let report: ReportDocument = serde_json::from_value(answer)?;
    let report = match file {
        Some(file) => sacct::joined(arguments, &file, report),
        None => PrintedReport::from(report),
    };
    match arguments.format {
        Format::Json => print(serde_json::to_string_pretty(&line::json(&report)?)?)?,
        Format::Csv => print(csv(&report)?.trim_end())?,
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet(&report)?,
        Format::Html => print(html::page(&report))?,
        _ => {
            print(table(&report))?;
            print(line::stated(&report))?;
        }
    }
    Ok(())
}

/// The parameters of the API for a report.
fn query(arguments: &Arguments) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut query = arguments.hours.query()?;
    if !arguments.by.is_empty() {
        query.push(("by", arguments.by.join(",")));
    }
    Ok(query)
}

#[cfg(feature = "parquet")]
fn parquet(report: &PrintedReport) -> anyhow::Result<()> {
    use arrow_schema::DataType;
    let kind = |column: &str| match column {
        "job_raw_id" => DataType::Int64,
        column if line::is_number(column) => DataType::Float64,
        _ => DataType::Utf8,
    };
    let table = csv(report)?;
    super::ledger::parquet::write(
        table.as_bytes(),
        &table_columns(report),
        kind,
        &mut std::io::stdout().lock(),
    )
}

fn csv(report: &PrintedReport) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table_columns(report))?;
    for row in &report.rows {
        writer.write_record(table_texts(report, row))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn table(report: &PrintedReport) -> Table {
    let mut table = Table::new();
    let head = columns(report);
    table.load_style(NOTHING).set_header(head.iter().map(|name| name.to_uppercase()));
    for (column, name) in table.column_iter_mut().zip(&head) {
        if line::is_number(name) || *name == "currency" {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in &report.rows {
        table.add_row(texts(&report.by, row, |number| format!("{number:.3}")));
    }
    table
}
