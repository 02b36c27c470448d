//! `wattbook ledger`: whose energy each hour's was, by the API of a service.

pub mod co2_sources;
mod export;
#[cfg(feature = "parquet")]
pub mod parquet;
mod totals;

use clap::Subcommand;
use jiff::Zoned;
use planner::time::Timestamp;

use super::Failure;
use super::booking::time::instant;

/// The columns, in their order.
const COLUMNS: [&str; 20] = [
    "hour_start",
    "holder",
    "reservation_id",
    "job_id",
    "user",
    "project",
    "partition",
    "nodes",
    "energy_j",
    "measured_j",
    "estimated_j",
    "missing_s",
    "cost_millionths",
    "currency",
    "co2_location_mg",
    "co2_market_mg",
    "correction_of",
    "co2_accounting",
    "other_co2_mg",
    "other_co2_accounting",
];

/// Arguments of `wattbook ledger`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the rows of hours: your own, and as an operator everybody's
    Export(export::Export),
    /// Show what the rows amount to, by holder and all together
    Totals(totals::ShowTotals),
}

/// Which hours, and whose.
#[derive(clap::Args)]
pub struct LedgerHours {
    /// The first hour: a time such as 2026-03-01T06:00 (local) or 2026-03-01T06:00:00Z
    #[arg(long, value_name = "TIME")]
    from: String,
    /// The first hour after the last
    #[arg(long, value_name = "TIME")]
    to: String,
    /// Only this user's
    #[arg(long)]
    user: Option<String>,
    /// Only this project's
    #[arg(long)]
    project: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Export(arguments) => export::run(arguments),
        Command::Totals(arguments) => totals::run(arguments),
    }
}

impl LedgerHours {
    /// The parameters of the API.
    ///
    /// # Errors
    /// Times that are none.
    pub fn query(&self) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut query = self.window()?;
        for (name, value) in [("user", &self.user), ("project", &self.project)] {
            query.extend(value.iter().map(|value| (name, value.clone())));
        }
        Ok(query)
    }

    /// Those of these parameters that say which hours.
    ///
    /// # Errors
    /// Times that are none.
    pub fn window(&self) -> Result<Vec<(&'static str, String)>, Failure> {
        let now = Zoned::now();
        let mut errors = Vec::new();
        let mut read = |name: &str, text: &str| {
            let read = instant(text, &now).map(|it| Timestamp::from_unix_seconds(it.as_second()));
            read.map_err(|error| errors.push(format!("--{name} {text}: {error}"))).ok()
        };
        let (from, to) = (read("from", &self.from), read("to", &self.to));
        let (Some(from), Some(to)) = (from, to) else { return Err(Failure::BadInput(errors)) };
        Ok(vec![("from", from.to_string()), ("to", to.to_string())])
    }

    /// Only this user's.
    pub const fn user(&self) -> Option<&String> {
        self.user.as_ref()
    }

    /// Only this project's.
    pub const fn project(&self) -> Option<&String> {
        self.project.as_ref()
    }
}
