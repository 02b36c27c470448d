//! `wattbook ledger export`: rows page by page, written as they come.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use planner::json::co2_accounting::Co2AccountingDocument;
use serde::Deserialize;

use super::{COLUMNS, LedgerHours};
use crate::cli::booking::server::{Connection, Server};
use crate::cli::harmless::standard_output;
use crate::cli::{Failure, block_on};
use crate::http::v1::ledger::rows::LedgerRowDocument;

/// Rows of a page of the API, at the most.
const PAGE: &str = "1000";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table with a header; what is not known is empty
    Csv,
    /// A list of objects; what is not known is null
    Json,
    /// The table, typed; a build with the feature parquet has it
    Parquet,
}

/// Arguments of `wattbook ledger export`.
#[derive(clap::Args)]
pub struct Export {
    #[command(flatten)]
    wanted: LedgerHours,
    #[arg(long, default_value = "csv")]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Deserialize)]
struct Page {
    items: Vec<LedgerRowDocument>,
    next_cursor: Option<String>,
}

/// Writes the rows.
pub fn run(arguments: &Export) -> Result<(), Failure> {
    if arguments.format == Format::Parquet && !cfg!(feature = "parquet") {
        let error = "--format parquet: this build is without the feature parquet; \
            take csv, or build with --features parquet";
        return Err(Failure::BadInput(vec![error.to_owned()]));
    }
    let (query, server) = (arguments.wanted.query()?, arguments.connection.open()?);
    block_on(async {
        let mut rows = Rows { server, query, next: None, begun: false };
        // Before anything is written it is known whether there is an answer.
        let first = rows.page().await?.unwrap_or_default();
        let out: Box<dyn Write + Send> = match &arguments.out {
            Some(path) => {
                let file = File::create(path);
                Box::new(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
            None => standard_output(),
        };
        let written = write(arguments.format, first, rows, BufWriter::new(out)).await;
        match written {
            Err(Failure::Other(error)) if is_broken_pipe(&error) => Ok(()),
            written => written,
        }
    })
}

/// A reader that has gone, such as `head`, is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The pages that are left.
struct Rows {
    server: Server,
    query: Vec<(&'static str, String)>,
    next: Option<String>,
    begun: bool,
}

impl Rows {
    /// The next page; `None` after the last.
    async fn page(&mut self) -> Result<Option<Vec<LedgerRowDocument>>, Failure> {
        if self.begun && self.next.is_none() {
            return Ok(None);
        }
        let mut query = self.query.clone();
        query.push(("limit", PAGE.to_owned()));
        query.extend(self.next.take().map(|cursor| ("cursor", cursor)));
        let page: Page = self.server.get_with("ledger", &query).await?;
        (self.begun, self.next) = (true, page.next_cursor);
        Ok(Some(page.items))
    }
}

async fn write(
    format: Format,
    first: Vec<LedgerRowDocument>,
    mut rows: Rows,
    mut out: BufWriter<Box<dyn Write + Send>>,
) -> Result<(), Failure> {
    let mut page = Some(first);
    if format == Format::Json {
        let mut before = "[\n  ";
        while let Some(items) = page {
            for row in &items {
                write!(out, "{before}{}", serde_json::to_string(row)?)?;
                before = ",\n  ";
            }
            page = rows.page().await?;
        }
        let none = before == "[\n  ";
        writeln!(out, "{}", if none { "[]" } else { "\n]" })?;
        return Ok(out.flush()?);
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS)?;
    let mut whole = Vec::new();
    while let Some(items) = page {
        for row in &items {
            table.write_record(record(row))?;
        }
        let text = table.into_inner().map_err(csv::IntoInnerError::into_error)?;
        match format {
            Format::Parquet => whole.extend(text),
            _ => out.write_all(&text)?,
        }
        table = csv::Writer::from_writer(Vec::new());
        page = rows.page().await?;
    }
    #[cfg(feature = "parquet")]
    if format == Format::Parquet {
        super::parquet::write(&whole, &COLUMNS, super::parquet::kind, &mut out)?;
    }
    Ok(out.flush()?)
}

/// A row's columns as text; what is not known is empty.
fn record(row: &LedgerRowDocument) -> [String; COLUMNS.len()] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let number = |number: Option<i64>| number.map(|it| it.to_string()).unwrap_or_default();
    let counted = |it: &Option<Co2AccountingDocument>| {
        it.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    [
        row.hour_start.clone(),
        row.holder.clone(),
        row.reservation_id.map(|id| id.to_string()).unwrap_or_default(),
        text(&row.job_id),
        text(&row.user),
        text(&row.project),
        text(&row.partition),
        row.nodes.to_string(),
        row.energy_j.to_string(),
        row.measured_j.to_string(),
        row.estimated_j.to_string(),
        row.missing_s.to_string(),
        number(row.cost_millionths),
        row.currency.clone(),
        number(row.co2_location_mg),
        number(row.co2_market_mg),
        text(&row.correction_of),
        counted(&row.co2_accounting),
        number(row.other_co2_mg),
        counted(&row.other_co2_accounting),
    ]
}
