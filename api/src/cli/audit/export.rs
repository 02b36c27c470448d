//! `wattbook audit export`: records page by page, written as they come.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;

use super::{RecordSpan, syslog};
use crate::cli::booking::server::Connection;
use crate::cli::harmless::standard_output;
use crate::cli::{Failure, block_on};
use crate::http::v1::audit::{AuditPageDocument, AuditRecordDocument};

/// Records of a page of the API, at the most.
const PAGE: &str = "1000";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, a line for each record
    Json,
    /// Messages of syslog (RFC 5424), a line for each record
    Syslog,
}

/// Arguments of `wattbook audit export`.
#[derive(clap::Args)]
pub struct Export {
    #[command(flatten)]
    span: RecordSpan,
    #[arg(long, default_value = "json")]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

/// Writes the records.
pub fn run(arguments: &Export) -> Result<(), Failure> {
    let (from, to) = arguments.span.read()?;
    let mut span = vec![("limit", PAGE.to_owned())];
    span.extend(from.map(|it| ("from", it.to_string())));
    span.extend(to.map(|it| ("to", it.to_string())));
    let server = arguments.connection.open()?;
    block_on(async {
        let page = async |after: Option<i64>| {
            let mut query = span.clone();
            query.extend(after.map(|it| ("cursor", it.to_string())));
            server.get_with::<AuditPageDocument>("audit", &query).await
        };
        // Before anything is written it is known whether there is an answer.
        let mut read = page(None).await?;
        let mut out = writer(arguments)?;
        loop {
            for item in &read.items {
                if let Err(error) = writeln!(out, "{}", line(arguments.format, &item.record)?) {
                    return gone(error);
                }
            }
            let Some(after) = read.next_cursor else { break };
            read = page(Some(after)).await?;
        }
        out.flush().or_else(gone)
    })
}

fn writer(arguments: &Export) -> anyhow::Result<BufWriter<Box<dyn Write + Send>>> {
    Ok(BufWriter::new(match &arguments.out {
        Some(path) => {
            let file = File::create(path);
            Box::new(file.with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => standard_output(),
    }))
}

fn line(format: Format, record: &AuditRecordDocument) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string(record)?,
        Format::Syslog => syslog::message(record),
    })
}

/// A reader that has gone, such as `head`, is no failure.
fn gone(error: io::Error) -> Result<(), Failure> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error.into()),
    }
}
