//! `wattbook extend`, `release` and `transfer`: reservations that live on, changed from a terminal.

use serde_json::{Map, Value, json};

use super::answers::{self, ReservationAnswer};
use super::id_prefix::{IdPrefix, RESERVATIONS};
use super::request::{Names, names, once, told};
use super::server::ActingConnection;
use super::time::{instant, seconds};
use super::{Output, read, show_one};
use crate::cli::{Failure, block_on, print};

/// Arguments of `wattbook extend`.
#[derive(clap::Args)]
pub struct Extend {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    /// By how much: 90 (minutes), 1:30:00, 1-12:30 (days-hours:minutes), 90min, 1h30m or PT1H30M
    #[arg(long, value_name = "LENGTH", value_parser = seconds, required_unless_present = "until")]
    by: Option<i64>,
    /// Until when: now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT", conflicts_with = "by")]
    until: Option<String>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook release`.
#[derive(clap::Args)]
pub struct ReleaseArguments {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    /// Give back only so many of its nodes: those without running jobs first
    #[arg(short = 'N', long, value_name = "COUNT", conflicts_with = "nodelist")]
    nodes: Option<u32>,
    /// Give back only these nodes, such as n7,rack[1-2]n[01-16]
    #[arg(short = 'w', long, value_name = "NODES", value_parser = names)]
    nodelist: Vec<Names>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook transfer`.
#[derive(clap::Args)]
pub struct Transfer {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    /// Its new owner, whom the site knows
    #[arg(long, value_name = "NAME")]
    to: String,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Lets a reservation keep its nodes for longer.
pub fn extend(arguments: &Extend) -> Result<(), Failure> {
    let now = answers::now()?;
    let until = arguments.until.as_deref().map(|text| instant(text, &now)).transpose();
    let until = until.map_err(|error| Failure::BadInput(vec![format!("--until: {error}")]))?;
    block_on(async {
        let server = arguments.connection.open()?;
        let path = format!("reservations/{}", arguments.id.find(&server, &RESERVATIONS).await?);
        let until = match (until, arguments.by) {
            (None, Some(by)) => {
                // The new end is said and not the length, so that it is the same when it is sent again.
                let stored: Value = server.get(&path).await?;
                let end = stored["end"].as_str().and_then(|end| end.parse().ok());
                let later = |end: jiff::Timestamp| end.checked_add(jiff::Span::new().seconds(by));
                end.map(later).transpose()?
            }
            (until, _) => until,
        };
        let body = match until {
            Some(until) => Map::from_iter([("until".to_owned(), told(until))]),
            // It has no end yet, of which the service says what can be done.
            None => Map::from_iter([("by_s".to_owned(), json!(arguments.by))]),
        };
        let answer: Value = server.post(&format!("{path}/extend"), body).await?;
        show_one(&answer, arguments.output.format)
    })
}

/// Gives back an active reservation, or some of its nodes.
pub fn release(arguments: &ReleaseArguments) -> Result<(), Failure> {
    let mut body = Map::new();
    body.extend(arguments.nodes.map(|nodes| ("nodes".to_owned(), json!(nodes))));
    if !arguments.nodelist.is_empty() {
        body.insert("node_names".to_owned(), json!(once(&arguments.nodelist)));
    }
    block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &RESERVATIONS).await?;
        let answer: Value = server.post(&format!("reservations/{id}/release"), body).await?;
        show_one(&answer, arguments.output.format)
    })
}

/// Gives a reservation to another owner.
pub fn transfer(arguments: &Transfer) -> Result<(), Failure> {
    let body = Map::from_iter([("owner".to_owned(), json!(arguments.to))]);
    block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &RESERVATIONS).await?;
        let answer: Value = server.post(&format!("reservations/{id}/transfer"), body).await?;
        let transferred: ReservationAnswer = read(&answer)?;
        Ok(print(format_args!("{} belongs to {}", transferred.id, transferred.owner))?)
    })
}
