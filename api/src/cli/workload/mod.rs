//! `wattbook workload`: what a workload is like, other formats, pieces, and drawn ones.
mod convert;
mod cut;
pub(super) mod generate;
mod info;

use clap::Subcommand;

use super::Failure;

/// Arguments of `wattbook workload`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Describe a workload: header, what is dropped, sizes, times and load, as JSON
    Info(info::Arguments),
    /// Write a workload in another format, normalised as it is played
    Convert(convert::Arguments),
    /// Write the lines of a trace whose jobs were submitted in a span
    Cut(cut::Arguments),
    /// Draw a workload
    Generate(generate::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info(arguments) => info::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Cut(arguments) => cut::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
    }
}

/// A number from 0 on.
fn amount(text: &str) -> Result<f64, String> {
    let amount: Option<f64> = text.parse().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| "must be a number from 0 on".to_owned())
}

/// Operations a second.
fn speed(text: &str) -> Result<f64, String> {
    let speed: Option<f64> = text.parse().ok();
    let speed = speed.filter(|speed| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "must be a number above nothing".to_owned())
}
