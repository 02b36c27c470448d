//! `wattbook clock`: what an operator knows of the clock.

use super::audit::CommandRecord;
use super::{Failure, block_on, open, print};
use crate::config::Overrides;

/// Arguments of `wattbook clock`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Say that the clock is right though it jumped: services on the database believe it within seconds
    Accept {
        #[command(flatten)]
        overrides: Overrides,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Action::Accept { overrides } = &arguments.action;
    block_on(accept(overrides))?;
    Ok(print("The clock is right: services that doubted it believe it within two seconds.")?)
}

async fn accept(overrides: &Overrides) -> Result<(), Failure> {
    let database = open(overrides).await?;
    database.accept_clock().await?;
    let (action, object) = ("clock.accept", "clock".to_owned());
    let done = CommandRecord { action, object, owner: "", outcome: "done" };
    done.write(&database).await?;
    database.close().await;
    Ok(())
}
