//! `wattbook batch`: workloads under batch schedulers.

mod arguments;
mod cluster_inputs;
mod coverage;
mod estimates;
mod external;
pub(super) mod files;
mod formats;
pub(super) mod inputs;
mod nodes;
mod on_threads;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_jobs;
mod parts;
mod run;
mod shares;
mod sites;
mod sites_arguments;
mod supplier;
mod sweep;
mod system;
mod system_arguments;
mod system_command;
mod system_source;
mod system_supply;
mod unit_workload;
mod watch;
pub mod workload_model;

use batch::dispatch::parts_help;
use batch::policy::options_help;
use clap::Subcommand;

use super::{Failure, tell};

/// Arguments of `wattbook batch`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play one workload under one policy
    #[command(after_long_help = options_help() + &parts_help(), after_help = "Options of policies: wattbook batch run --help")]
    Run(Box<arguments::Arguments>),
    /// Play one workload on a system once with each way to estimate how long jobs last, and compare errors and waits
    #[command(after_long_help = parts_help(), after_help = "Options of parts: wattbook batch estimates --help")]
    Estimates(Box<estimates::Arguments>),
    /// Play one workload once for each of the most active users and energy factors, and compare the stretches of the user's jobs with
    /// those without: what users gain under fair shares by drawing less
    #[command(after_long_help = parts_help(), after_help = "Options of parts: wattbook batch shares --help")]
    Shares(Box<shares::Arguments>),
    /// Play every combination of workloads, platforms or systems, policies, options and seeds, of a file or of arguments
    Sweep(Box<sweep::Arguments>),
    /// Write what --system reads as a document
    System(system_command::Arguments),
}

/// Tells people what they might not expect. Nobody has to listen.
fn note(text: &str) {
    tell(format_args!("note: {text}"));
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Estimates(arguments) => estimates::run(arguments),
        Command::Shares(arguments) => shares::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::System(arguments) => system_command::run(arguments),
    }
}
