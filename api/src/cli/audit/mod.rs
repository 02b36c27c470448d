//! `wattbook audit`: who did or read what, exported, and checked.

mod command_record;
mod export;
mod syslog;
mod verify;

use clap::Subcommand;
use jiff::Zoned;
use planner::time::Timestamp;

use super::Failure;
use super::booking::time::instant;

pub use command_record::CommandRecord;
pub use verify::of_database as verify;

/// Arguments of `wattbook audit`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the records of a span, as an operator, by the API of a service
    Export(export::Export),
    /// Check that no record was changed, removed, added or exchanged: in a file that was exported, or in the database
    Verify(verify::Verify),
}

/// From when to when.
#[derive(clap::Args)]
struct RecordSpan {
    /// From here on: a time such as 2026-03-01T06:00 (local) or 2026-03-01T06:00:00Z [default: the first record]
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Before this time [default: to the last record]
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Export(arguments) => export::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
    }
}

impl RecordSpan {
    /// The instants.
    ///
    /// # Errors
    /// Times that are none, both of them.
    fn read(&self) -> Result<(Option<Timestamp>, Option<Timestamp>), Failure> {
        let now = Zoned::now();
        let mut errors = Vec::new();
        let mut read = |name: &str, text: &Option<String>| {
            let read = instant(text.as_ref()?, &now);
            let read = read.map_err(|error| errors.push(format!("--{name}: {error}")));
            Some(Timestamp::from_unix_seconds(read.ok()?.as_second()))
        };
        let span = (read("from", &self.from), read("to", &self.to));
        if errors.is_empty() { Ok(span) } else { Err(Failure::BadInput(errors)) }
    }
}
