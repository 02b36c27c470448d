//! `wattbook batch`: workloads under batch schedulers.

mod arguments;
mod cluster_inputs;
mod coverage;
mod external;
pub(super) mod files;
mod formats;
pub(super) mod inputs;
mod nodes;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod run;
mod supplier;
mod sweep;
mod system;
mod system_arguments;
pub mod workload_model;

use std::io::Write;

use batch::dispatch::parts_help;
use batch::policy::options_help;
use clap::Subcommand;

use super::Failure;

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
    /// Play every combination of workloads, platforms, policies, options and seeds of a file
    Sweep(sweep::Arguments),
}

/// Tells people what they might not expect. Nobody has to listen.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "note: {text}");
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
    }
}
