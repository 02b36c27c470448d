//! `wattbook slurm`: how the service would get on with Slurm, and how both sides differ. Nothing is changed,
//! neither in Slurm nor in the database.

mod check;
mod diff;

use anyhow::Context;
use clap::Subcommand;

use super::{Failure, ListFormat, block_on};
use crate::config::slurm::ManagerSettings;
use crate::config::{Overrides, Settings};

/// Arguments of `wattbook slurm`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ask the Slurm of the settings what it is and what may be done with it, and say what does not fit.
    /// Exit status 0: all fits; 4: something does not; 1: it cannot be known
    Check {
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Compare reservations and nodes of the database with those of Slurm.
    /// Exit status 0: both sides agree; 4: they differ; 1: it cannot be known
    Diff {
        /// List the reservations too that would be made in Slurm if the settings said mode = "drive"
        #[arg(long)]
        dry_run: bool,
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        overrides: Overrides,
    },
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Agree,
    Differ,
    Unknown,
}

impl Outcome {
    /// The exit status, as a failure where it is none of success.
    fn ended(self) -> Result<(), Failure> {
        match self {
            Self::Agree => Ok(()),
            Self::Differ => Err(Failure::Status(4)),
            Self::Unknown => Err(Failure::Status(1)),
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    block_on(async {
        match &arguments.command {
            Command::Check { format, overrides } => {
                let settings = Settings::load_for_slurm(overrides)?;
                check::run(&section(settings)?, *format).await
            }
            Command::Diff { dry_run, format, overrides } => {
                let settings = Settings::load_for_slurm(overrides)?;
                let database = super::open(overrides).await?;
                diff::run(settings, database, *dry_run, *format).await
            }
        }
    })
}

fn section(settings: Settings) -> anyhow::Result<ManagerSettings> {
    settings.manager.context("the settings have no section [slurm] (docs/SLURM.md)")
}
