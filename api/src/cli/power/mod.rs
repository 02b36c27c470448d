//! `wattbook power`: which nodes sleep when, what is done about it, and who decides.

mod answers;
mod decide;
mod list;
mod log;
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
    /// List power actions, and the nodes that are not switched off for a time
    List(list::Arguments),
    /// Approve proposed power actions
    Approve(decide::Approve),
    /// Refuse proposed power actions
    Refuse(decide::Refuse),
    /// Have nodes switched off as soon as nobody uses them
    Off(decide::Switch),
    /// Have nodes woken
    Wake(decide::Switch),
    /// Keep nodes from being switched off until an instant
    Hold(decide::Hold),
    /// List what was decided and done about the power of nodes
    Log(log::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Plan(arguments) => plan::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Approve(arguments) => decide::approve(arguments),
        Command::Refuse(arguments) => decide::refuse(arguments),
        Command::Off(arguments) => decide::switch(arguments, "off"),
        Command::Wake(arguments) => decide::switch(arguments, "wake"),
        Command::Hold(arguments) => decide::hold(arguments),
        Command::Log(arguments) => log::run(arguments),
    }
}
