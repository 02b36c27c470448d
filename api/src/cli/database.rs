//! `wattbook database`: copies of the database, and whether it is sound.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments on arguments are help texts, shown as they are"
)]

use std::path::PathBuf;

use anyhow::anyhow;
use storage::BookError;

use super::{Failure, audit, block_on, open, print, tell};
use crate::config::{Overrides, Settings};

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

fn in_words(error: BookError) -> String {
    match error {
        BookError::DoubleBooking(one, other) => {
            format!("the reservations {one} and {other} have a node at the same time")
        }
        BookError::WithoutNodes(id) => format!("the reservation {id} is booked and has no nodes"),
    }
}
