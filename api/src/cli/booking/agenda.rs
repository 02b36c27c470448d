//! `wattbook agenda put` and `withdraw`: what is known of prices, CO2 and power caps, for operators and suppliers.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::{Timestamp, Zoned};
use serde::Deserialize;
use serde_json::Value;

use super::answers::{self, local};
use super::request::told;
use super::server::Connection;
use super::time::instant;
use crate::cli::plan::read_text;
use crate::cli::{Failure, block_on, print, tell};

/// The agendas that there are, as paths of the API have them.
const QUANTITIES: [&str; 3] = ["price", "co2", "power-cap"];

/// Arguments of `wattbook agenda`.
#[derive(Args)]
pub struct AgendaArguments {
    #[command(subcommand)]
    command: AgendaCommand,
}

#[derive(Subcommand)]
enum AgendaCommand {
    /// Put an agenda in force over the span of a table: CSV, or JSON as the API takes it
    Put(Put),
    /// Withdraw what is known of a span: it becomes a gap, over which nothing is planned, unless a feed says more
    Withdraw(Withdraw),
}

#[derive(Args)]
struct Put {
    /// Of what
    #[arg(value_parser = PossibleValuesParser::new(QUANTITIES))]
    quantity: String,
    /// The file, - for standard input: JSON, or CSV with a start, an end and a value, named as in the API
    file: PathBuf,
    /// How CO2 is counted [default: average]
    #[arg(long, value_name = "WORD", value_parser = PossibleValuesParser::new(["average", "marginal"]))]
    accounting: Option<String>,
    /// Which emissions CO2 counts [default: as the settings of the agenda say]
    #[arg(long, value_name = "WORD", value_parser = PossibleValuesParser::new(["direct", "life-cycle"]))]
    factors: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct Withdraw {
    /// Of what
    #[arg(value_parser = PossibleValuesParser::new(QUANTITIES))]
    quantity: String,
    /// From when on: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    from: String,
    /// Until when
    #[arg(long, value_name = "INSTANT")]
    to: String,
    #[command(flatten)]
    connection: Connection,
}

/// What the service says of a put, as far as it is shown.
#[derive(Deserialize)]
struct PutAnswer {
    revision_id: i64,
    start: String,
    end: String,
    pieces: usize,
}

/// Puts and withdraws agendas.
pub fn agenda(arguments: &AgendaArguments) -> Result<(), Failure> {
    match &arguments.command {
        AgendaCommand::Put(arguments) => put(arguments),
        AgendaCommand::Withdraw(arguments) => withdraw(arguments),
    }
}

fn put(arguments: &Put) -> Result<(), Failure> {
    let bad = |error: String| Failure::BadInput(vec![error]);
    let text = read_text(&arguments.file).map_err(bad)?;
    let path = arguments.path();
    block_on(async {
        let server = arguments.connection.open()?;
        let put: PutAnswer = if text.trim_start().starts_with(['[', '{']) {
            let json: Value = serde_json::from_str(&text)
                .map_err(|error| bad(format!("{}: {error}", arguments.file.display())))?;
            server.put(&path, json).await?
        } else {
            server.put_csv(&path, text).await?
        };
        let PutAnswer { revision_id, start, end, pieces } = put;
        let (quantity, start, end) = (&arguments.quantity, local(&start), local(&end));
        let noun = if pieces == 1 { "piece" } else { "pieces" };
        print(format_args!(
            "{quantity} from {start} to {end}: {pieces} {noun}, revision {revision_id}"
        ))?;
        Ok(())
    })
}

fn withdraw(arguments: &Withdraw) -> Result<(), Failure> {
    let (from, to) = arguments.ends().map_err(Failure::BadInput)?;
    let text = |at: Timestamp| told(at).as_str().unwrap_or_default().to_owned();
    let quantity = &arguments.quantity;
    block_on(async {
        let server = arguments.connection.open()?;
        let path = format!("agendas/{quantity}?from={}&to={}", text(from), text(to));
        let withdrawn: PutAnswer = server.delete(&path).await?;
        let PutAnswer { revision_id, start, end, .. } = withdrawn;
        let (start, end) = (local(&start), local(&end));
        print(format_args!("{quantity} from {start} to {end}: withdrawn, revision {revision_id}"))?;
        tell(
            "nothing is planned there until something is put or a feed says more; reservations stay",
        );
        Ok(())
    })
}

impl Put {
    fn path(&self) -> String {
        let counted = [("kind", &self.accounting), ("factors", &self.factors)];
        let counted = counted.into_iter().filter_map(|(name, word)| Some((name, word.as_ref()?)));
        let query: Vec<String> = counted.map(|(name, word)| format!("{name}={word}")).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("agendas/{}{mark}{}", self.quantity, query.join("&"))
    }
}

impl Withdraw {
    fn ends(&self) -> Result<(Timestamp, Timestamp), Vec<String>> {
        let now: Zoned = answers::now().map_err(|error| vec![error.to_string()])?;
        let from = instant(&self.from, &now).map_err(|error| format!("--from: {error}"));
        let to = instant(&self.to, &now).map_err(|error| format!("--to: {error}"));
        match (from, to) {
            (Ok(from), Ok(to)) => Ok((from, to)),
            (from, to) => Err([from.err(), to.err()].into_iter().flatten().collect()),
        }
    }
}
