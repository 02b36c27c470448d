//! `wattbook extend`, `release`, `transfer`, `swap`, `share-with` and `unshare`: reservations that live on, changed from a terminal.

use clap::builder::PossibleValuesParser;
use planner::reservation::SharedRight;
use serde_json::{Map, Value, json};

use super::answers::{self, ReservationAnswer};
use super::id_prefix::{IdPrefix, RESERVATIONS};
use super::request::{Names, filled, names, once, told};
use super::server::ActingConnection;
use super::time::{in_words, instant, seconds};
use super::{Format, Output, read, show_one};
use crate::cli::{Failure, block_on, print, tell};

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

/// Arguments of `wattbook swap`.
#[derive(clap::Args)]
pub struct Swap {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    /// The nodes that are swapped for others, such as n7,rack[1-2]n[01-16] [default: all of its nodes that are out of
    /// service]
    #[arg(short = 'w', long = "nodes", visible_alias = "nodelist", value_name = "NODES", value_parser = names)]
    nodes: Vec<Names>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Swaps nodes of a reservation for others.
pub fn swap(arguments: &Swap) -> Result<(), Failure> {
    let nodes = filled(&once(&arguments.nodes)).map(|nodes| ("nodes".to_owned(), nodes));
    let Swap { id, output, connection, .. } = arguments;
    change(id, "swap", nodes.into_iter().collect(), output, connection)
}

/// With whom a reservation is, or is not, shared.
#[derive(clap::Args)]
struct Receivers {
    /// Users, by name
    #[arg(
        long = "user",
        value_name = "NAME",
        value_delimiter = ',',
        required_unless_present = "projects"
    )]
    users: Vec<String>,
    /// Projects, by name: all who are in one
    #[arg(short = 'A', long = "project", value_name = "NAME", value_delimiter = ',')]
    projects: Vec<String>,
}

impl Receivers {
    fn body(&self) -> Map<String, Value> {
        let members = [("with", filled(&self.users)), ("projects", filled(&self.projects))];
        let said = members.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?)));
        said.collect()
    }
}

/// Arguments of `wattbook share-with`.
#[derive(clap::Args)]
pub struct ShareWith {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[command(flatten)]
    receivers: Receivers,
    /// see it; use: run jobs in it, too; act: change it, too
    #[arg(long, default_value = "use", value_parser = PossibleValuesParser::new(SharedRight::ALL.map(SharedRight::word)))]
    may: String,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook unshare`.
#[derive(clap::Args)]
pub struct Unshare {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[command(flatten)]
    receivers: Receivers,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Shares a reservation with others.
pub fn share_with(arguments: &ShareWith) -> Result<(), Failure> {
    let mut body = arguments.receivers.body();
    body.insert("may".to_owned(), json!(arguments.may));
    let ShareWith { id, output, connection, .. } = arguments;
    change(id, "share", body, output, connection)
}

/// Shares a reservation with some no more.
pub fn unshare(arguments: &Unshare) -> Result<(), Failure> {
    let Unshare { id, receivers, output, connection } = arguments;
    change(id, "unshare", receivers.body(), output, connection)
}

/// Asks for a change of a reservation, and shows what it is since.
fn change(
    id: &IdPrefix,
    action: &str,
    body: Map<String, Value>,
    output: &Output,
    connection: &ActingConnection,
) -> Result<(), Failure> {
    block_on(async {
        let server = connection.open()?;
        let id = id.find(&server, &RESERVATIONS).await?;
        let answer: Value = server.post(&format!("reservations/{id}/{action}"), body).await?;
        show_one(&answer, output.format)
    })
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
        if let (Format::Table, Some(by)) = (arguments.output.format, arguments.by) {
            tell(format_args!("Extended by {}.", in_words(by)));
        }
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
    let ReleaseArguments { id, output, connection, .. } = arguments;
    change(id, "release", body, output, connection)
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
