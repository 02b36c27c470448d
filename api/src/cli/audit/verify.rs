//! `wattbook audit verify`: whether records follow one another and are what was hashed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use planner::time::Timestamp;
use serde_json::{Map, Value};
use storage::{AuditRecord, ChainCheck, ChainEnds, Database, FIRST_PREVIOUS};

use super::RecordSpan;
use crate::cli::{Failure, block_on, open, print};
use crate::config::Overrides;
use crate::http::v1::audit::AuditRecordDocument;

/// Records that are read together.
const PAGE: u16 = 1000;

/// Arguments of `wattbook audit verify`.
#[derive(clap::Args)]
pub struct Verify {
    /// A file that `wattbook audit export` wrote as JSON [default: the database of the settings]
    #[arg(value_name = "FILE", conflicts_with_all = ["from", "to"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    span: RecordSpan,
    #[command(flatten)]
    overrides: Overrides,
}

/// Checks the records.
pub fn run(arguments: &Verify) -> Result<(), Failure> {
    if let Some(path) = &arguments.file {
        return Ok(of_file(path)?);
    }
    let span = arguments.span.read()?;
    block_on(async {
        let database = open(&arguments.overrides).await?;
        let verified = of_database(&database, span).await;
        database.close().await;
        Ok(print(verified?)?)
    })
}

/// Checks an exported file, whose first record may follow any.
fn of_file(path: &Path) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (mut chain, mut count, mut first) = (ChainCheck::default(), 0_u64, None);
    for line in BufReader::new(file).lines() {
        let line = line.with_context(|| format!("cannot read {}", path.display()))?;
        count += 1;
        let place = || format!("{}, line {count}", path.display());
        let record = whole_record(&line)
            .with_context(|| format!("{}: this is no record of the audit trail", place()))?;
        let entry = record.entry().ok_or_else(|| {
            anyhow!("{}: at is not written as 2026-03-01T06:00:00.000042Z", place())
        })?;
        chain
            .follow(&entry, &record.hash, &record.previous)
            .with_context(|| format!("{}: the record of {} does not fit", place(), record.at))?;
        first.get_or_insert(record.previous);
    }
    match first {
        None => print("there are no records"),
        Some(first) if first == FIRST_PREVIOUS => {
            print(format_args!("{count} records fit, from the first of the trail on"))
        }
        Some(first) => print(format_args!(
            "{count} records fit; the first follows the record with the hash {first}"
        )),
    }
}

/// A record that says nothing but what a record says: more would not be covered by its hash.
fn whole_record(line: &str) -> anyhow::Result<AuditRecordDocument> {
    let record: AuditRecordDocument = serde_json::from_str(line)?;
    let said: Map<String, Value> = serde_json::from_str(line)?;
    let known = serde_json::to_value(&record)?;
    match said.keys().find(|name| known.get(name.as_str()).is_none()) {
        Some(name) => bail!("unknown field `{name}`"),
        None => Ok(record),
    }
}

/// Checks the database's records of a span, all where none is given; says how many fit.
pub async fn of_database(
    database: &Database,
    (from, to): (Option<Timestamp>, Option<Timestamp>),
) -> anyhow::Result<String> {
    let ends = database.audit_ends().await?;
    let microseconds = |at: Timestamp| at.as_unix_seconds().saturating_mul(1_000_000);
    let first = match from {
        None => ends.dropped_id + 1,
        Some(from) => {
            let first = database.first_audit_from(microseconds(from)).await?;
            first.unwrap_or(ends.head_id + 1)
        }
    };
    let last = match to {
        None => ends.head_id,
        Some(to) => database.last_audit_before(microseconds(to)).await?.unwrap_or_default(),
    };
    let mut chain = ChainCheck::after(hash_before(database, &ends, first).await?);
    let mut checked = first - 1;
    while checked < last {
        let records = database.audit_after(checked, last, PAGE).await?;
        for record in &records {
            check(&mut chain, checked + 1, record)?;
            checked = record.id;
        }
        if records.is_empty() {
            bail!("record {} is missing; there are {} after it", checked + 1, last - checked - 1);
        }
    }
    if last == ends.head_id && chain.hash() != Some(ends.head_hash.as_str()) {
        bail!(
            "record {last} is not the one that was written last: records were removed at the end"
        );
    }
    let count = (last + 1 - first).max(0);
    Ok(match ends.dropped_id {
        0 => format!("{count} records fit"),
        dropped => format!("{count} records fit; those up to number {dropped} were dropped by age"),
    })
}

/// The hash that the first record to be checked must follow.
async fn hash_before(database: &Database, ends: &ChainEnds, first: i64) -> anyhow::Result<String> {
    if first == ends.dropped_id + 1 {
        return Ok(ends.dropped_hash.clone());
    }
    let hash = database.audit_hash(first - 1).await?;
    hash.with_context(|| format!("record {} is missing", first - 1))
}

fn check(chain: &mut ChainCheck, expected: i64, record: &AuditRecord) -> anyhow::Result<()> {
    let AuditRecord { id, entry, hash, previous } = record;
    if *id != expected {
        bail!("record {expected} is missing; the next is {id} of {}", entry.at());
    }
    let followed = chain.follow(entry, hash, previous);
    followed.with_context(|| format!("record {id} of {} does not fit", entry.at()))
}
