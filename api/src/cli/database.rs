//! `wattbook database`: copies of the database, what is pruned of it, and whether it is sound.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::path::PathBuf;

use anyhow::anyhow;
use storage::{BookError, SpaceBack};

use super::audit::CommandRecord;
use super::{Failure, audit, block_on, open, print, tell};
use crate::config::{Overrides, Settings};
use crate::service::Services;

/// Arguments of `wattbook database`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write a copy to a new file, as everything is at one moment; the service may go on writing
    Backup {
        /// The new file: a database of SQLite, or an archive of pg_dump
        file: PathBuf,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Put a copy back where there is no database
    Restore {
        /// What a backup wrote, of the same engine
        file: PathBuf,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Prune what is old by the rules of the settings, [retention], in small pieces; the service may go on writing
    Prune {
        /// Tell what would go, and change nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Check that the file is whole, no node is booked twice, what is booked has its nodes, and the audit trail fits
    Check {
        #[command(flatten)]
        overrides: Overrides,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.action {
        Action::Backup { file, overrides } => {
            let url = Settings::database(overrides)?;
            block_on(async { Ok(storage::back_up(&url, file).await?) })?;
            let bytes = std::fs::metadata(file)?.len();
            Ok(print(format_args!("The copy is {} ({bytes} bytes).", file.display()))?)
        }
        Action::Restore { file, overrides } => {
            let url = Settings::database(overrides)?;
            block_on(async { Ok(storage::restore(&url, file).await?) })?;
            Ok(print(format_args!("{} is put back.", file.display()))?)
        }
        Action::Prune { dry_run, overrides } => block_on(prune(overrides, *dry_run)),
        Action::Check { overrides } => block_on(check(overrides)),
    }
}

async fn check(overrides: &Overrides) -> Result<(), Failure> {
    let damages = storage::damages(&Settings::database(overrides)?).await?;
    let database = open(overrides).await?;
    let book = database.check_book().await?;
    let trail = audit::verify(&database, (None, None)).await;
    database.close().await;
    if let (true, true, Ok(records)) = (damages.is_empty(), book.errors.is_empty(), &trail) {
        let count = book.reservations;
        let nodes = "no node is booked twice, and what is booked has its nodes";
        print("The database is sound.")?;
        print(format_args!("reservations: {count}; {nodes}"))?;
        print(format_args!("audit trail: {records}"))?;
        return Ok(());
    }
    for damage in &damages {
        tell(format_args!("error: the file is damaged: {damage}"));
    }
    for error in &book.errors {
        tell(format_args!("error: {}", in_words(*error)));
    }
    if let Err(error) = &trail {
        tell(format_args!("error: the audit trail: {error:#}"));
    }
    Err(Failure::Other(anyhow!(
        "the database is not sound; docs/guide/operating.md says what to do"
    )))
}

/// Prunes by all rules, or tells what they would take.
async fn prune(overrides: &Overrides, dry_run: bool) -> Result<(), Failure> {
    let settings = Settings::load_for_retention(overrides).map_err(Failure::of_settings)?;
    let url = settings.database.clone();
    let database = open(overrides).await?;
    let services = Services::new(settings, database.clone());
    let went = if dry_run { "would go" } else { "went" };
    print(format_args!("{:<32} {:<20} {went:>12} {:>14}", "what", "from before", "left"))?;
    let mut all = 0;
    for rule in services.retention.rules().await.map_err(anyhow::Error::from)? {
        let rows = match rule.before {
            Some(before) if dry_run => database.old_rows(rule.kind, before).await?.unsigned_abs(),
            Some(_) => {
                let pruned = services.retention.prune(rule, &services.shared.stop).await;
                pruned.map_err(anyhow::Error::from)?
            }
            None => 0,
        };
        let mut left = database.rows_left(rule.kind).await?;
        if dry_run {
            left -= rows.cast_signed();
        }
        let before = rule.before.map_or_else(|| "kept for ever".to_owned(), |it| it.to_string());
        print(format_args!("{:<32} {before:<20} {rows:>12} {left:>14}", rule.kind.words()))?;
        all += rows;
    }
    if !dry_run && all > 0 {
        let record = CommandRecord {
            action: "database.prune",
            object: "database".to_owned(),
            owner: "",
            outcome: "done",
        };
        record.write(&database).await?;
    }
    database.close().await;
    if dry_run {
        return Ok(print("Nothing was changed.")?);
    }
    let space = storage::give_space_back(&url).await?;
    Ok(print(in_bytes(space))?)
}

fn in_bytes(space: SpaceBack) -> String {
    let megabytes = |bytes: i64| bytes / 1_000_000;
    let (before, after) = (megabytes(space.bytes.0), megabytes(space.bytes.1));
    match space.free {
        None => format!(
            "The database takes {after} MB, before {before} MB. What was freed is used for new rows; VACUUM FULL or \
             pg_repack would give it back."
        ),
        Some(free) if space.needs_copy => format!(
            "The file takes {after} MB, of which {} MB are free and used for new rows. An earlier release made it, so \
             that it does not shrink while others write: stop the service, and put a backup back in its place, to \
             give them back.",
            megabytes(free)
        ),
        Some(_) => format!("The file takes {after} MB, before {before} MB."),
    }
}

fn in_words(error: BookError) -> String {
    match error {
        BookError::DoubleBooking(one, other) => {
            format!("the reservations {one} and {other} have a node at the same time")
        }
        BookError::WithoutNodes(id) => format!("the reservation {id} is booked and has no nodes"),
    }
}
