//! `wattbook power`: which nodes sleep when.

mod plan;

use super::Failure;

/// Arguments of `wattbook power`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Plan from a problem file which node is switched off and woken when, and print it as JSON
    Plan(plan::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Plan(arguments) => plan::run(arguments),
    }
}
