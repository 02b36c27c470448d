//! `wattbook calendar`: a secret address for calendar programs, by the API of a service.

use serde_json::Map;

use super::booking::server::Connection;
use super::{Failure, block_on, print, tell};
use crate::http::v1::calendar::{CalendarAddress, CalendarDocument};

/// Arguments of `wattbook calendar`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Make a new address; the one before stops working
    #[arg(long, conflicts_with = "end")]
    renew: bool,
    /// End the calendar: its address stops working
    #[arg(long)]
    end: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Makes, renews or ends the secret address.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    block_on(async {
        if arguments.end {
            server.delete::<()>("calendar").await?;
            tell("the calendar has no address any more");
            return Ok(());
        }
        if !arguments.renew {
            let there_is: CalendarDocument = server.get("calendar").await?;
            if let Some(created_at) = there_is.created_at {
                return Err(Failure::Conflict(format!(
                    "your calendar has an address since {created_at}, which is not shown again; \
                     --renew makes a new one in its place"
                )));
            }
        }
        let made: CalendarAddress = server.post("calendar", Map::new()).await?;
        tell("subscribe to it in your calendar program; whoever knows it sees what you book:");
        Ok(print(server.absolute(&made.url)?)?)
    })
}
