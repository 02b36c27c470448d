//! `wattbook sites`: offers of several sites in one choice, and what is booked at others.

mod answers;
mod bytes;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use planner::preference::{COMPROMISE, Preference};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::booking::answers::now;
use super::booking::request::RequestArguments;
use super::booking::server::{Connection, Server};
use super::{Failure, ListFormat, block_on, print, tell};
use answers::{BookedAnswer, BookedPage, OfferAnswer, SitesAnswer};
use bytes::bytes;

/// Arguments of `wattbook sites`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what this site and others offer for nodes, beside one another; hold nothing
    Quote(Quote),
    /// Book at the site that is best by a ranking
    Reserve(Reserve),
    /// List reservations at other sites, as they were last heard of
    List(List),
    /// Show a reservation at another site, which is asked for it
    Show(One),
    /// Cancel a reservation at its site
    Cancel(One),
}

/// What is asked of all sites.
#[derive(Args)]
struct Question {
    #[command(flatten)]
    request: RequestArguments,
    /// Data that must be at the site before the start: 25GB, 300MiB, 1.5TB or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    input: Option<u64>,
    /// Data that is brought back after the end
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    output: Option<u64>,
}

#[derive(Args)]
struct Quote {
    #[command(flatten)]
    question: Question,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct Reserve {
    #[command(flatten)]
    question: Question,
    /// By what the best start of all sites is chosen
    #[arg(long, value_parser = PossibleValuesParser::new(Preference::names()))]
    ranking: String,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct List {
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct One {
    /// Its id, as `wattbook sites list` has it
    id: Uuid,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// Asks the service.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    block_on(async {
        match &arguments.command {
            Command::Quote(arguments) => quote(arguments).await,
            Command::Reserve(arguments) => reserve(arguments).await,
            Command::List(arguments) => list(arguments).await,
            Command::Show(One { id, format, connection }) => {
                let path = format!("site-reservations/{id}");
                told(&connection.open()?.get(&path).await?, *format)
            }
            Command::Cancel(One { id, format, connection }) => {
                let path = format!("site-reservations/{id}");
                told(&connection.open()?.delete(&path).await?, *format)
            }
        }
    })
}

async fn quote(arguments: &Quote) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let answer: Value = server.post("site-offers", arguments.question.body()?).await?;
    let sites: SitesAnswer = read(&answer)?;
    match arguments.format {
        ListFormat::Json => print(serde_json::to_string_pretty(&answer)?)?,
        ListFormat::Table => {
            if !sites.offers.is_empty() {
                print(answers::offers(&sites))?;
            }
            print(answers::sites(&sites))?;
            tell(format_args!("Asked for: {}.", arguments.question.request.in_words()));
        }
    }
    if sites.offers.is_empty() { Err(Failure::Impossible) } else { Ok(()) }
}

async fn reserve(arguments: &Reserve) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let question = arguments.question.body()?;
    let sites: SitesAnswer = read(&server.post("site-offers", question.clone()).await?)?;
    for silent in sites.sites.iter().filter(|it| it.has_nothing()) {
        tell(format_args!("{}", silent.in_words()));
    }
    let Some(best) = sites.best(&arguments.ranking) else { return Err(Failure::Impossible) };
    tell(format_args!("Best by {}: {}", arguments.ranking, best.in_words()));
    if sites.is_here(&best.site) {
        return reserve_here(&server, &question, best, arguments).await;
    }
    let mut order = question;
    order.insert("site".to_owned(), json!(best.site));
    order.insert("expected".to_owned(), best.at_site.clone());
    told(&server.post("site-reservations", order).await?, arguments.format)
}

/// Books the start at this site, as `wattbook reserve` does: that one, as it was shown.
async fn reserve_here(
    server: &Server,
    question: &Map<String, Value>,
    best: &OfferAnswer,
    arguments: &Reserve,
) -> Result<(), Failure> {
    let mut body = question["request"].as_object().cloned().unwrap_or_default();
    for name in ["latest_end", "tolerance"] {
        body.remove(name);
    }
    for name in ["earliest_start", "latest_start"] {
        body.insert(name.to_owned(), best.at_site["start"].clone());
    }
    body.insert("expected".to_owned(), best.at_site.clone());
    body.insert("hold_compromise".to_owned(), json!(true));
    let held: Value = server.post("reservations", body).await?;
    let choice = json!({ "ranking": arguments.ranking, "expected": best.at_site });
    let choice = choice.as_object().cloned().unwrap_or_default();
    let path = format!("reservations/{}/choose", held["id"].as_str().unwrap_or_default());
    let booked: Value = server.post(&path, choice).await?;
    match arguments.format {
        ListFormat::Json => print(serde_json::to_string_pretty(&booked)?)?,
        ListFormat::Table => {
            let (id, state) = (&booked["id"], &booked["state"]);
            let [id, state] = [id, state].map(|it| it.as_str().unwrap_or_default());
            print(format_args!("{id} is {state} at {}", best.site))?;
        }
    }
    Ok(())
}

async fn list(arguments: &List) -> Result<(), Failure> {
    let server = arguments.connection.open()?;
    let answer: Value = server.get("site-reservations").await?;
    match arguments.format {
        ListFormat::Json => print(serde_json::to_string_pretty(&answer["items"])?)?,
        ListFormat::Table => {
            let page: BookedPage = read(&answer)?;
            print(answers::booked(&page.items))?;
            if page.next_cursor.is_some() {
                tell("These are the newest; there are more.");
            }
        }
    }
    Ok(())
}

/// A reservation at another site, as it stands.
fn told(answer: &Value, format: ListFormat) -> Result<(), Failure> {
    let it: BookedAnswer = read(answer)?;
    match format {
        ListFormat::Json => print(serde_json::to_string_pretty(answer)?)?,
        ListFormat::Table => print(it.in_words())?,
    }
    Ok(())
}

fn read<T: DeserializeOwned>(answer: &Value) -> anyhow::Result<T> {
    let read = T::deserialize(answer);
    read.map_err(|error| anyhow::anyhow!("the answer is not one of this version: {error}"))
}

impl Question {
    fn body(&self) -> Result<Map<String, Value>, Failure> {
        let request = self.request.body(&now()?).map_err(Failure::BadInput)?;
        let mut body = Map::from_iter([("request".to_owned(), Value::Object(request))]);
        for (name, size) in [("input_bytes", self.input), ("output_bytes", self.output)] {
            body.extend(size.map(|size| (name.to_owned(), json!(size))));
        }
        Ok(body)
    }
}

impl SitesAnswer {
    /// The best of all by a ranking, or the compromise.
    fn best(&self, preference: &str) -> Option<&OfferAnswer> {
        if preference == COMPROMISE {
            return self.compromise.as_ref();
        }
        self.offers.iter().find(|it| it.rankings.iter().any(|won| won == preference))
    }

    fn is_here(&self, name: &str) -> bool {
        self.sites.iter().any(|site| site.here && site.site == name)
    }
}
