//! `wattbook reserve --recur` and `wattbook series`: requests that recur, from a terminal.

use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use jiff::Zoned;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answers::{self, Page, kg, kwh, local, local_text};
use super::id_prefix::{IdPrefix, Listed};
use super::modify::RequestChanges;
use super::request::told;
use super::server::{ActingConnection, Server};
use super::time::instant;
use super::{Format, Output, read};
use crate::cli::{Failure, ListFormat, block_on, print, tell};

/// The series that who asks may see.
const SERIES: Listed = Listed {
    noun: "series",
    path: "series",
    command: "wattbook series list",
    looks_up_whole: false,
    line: |answer| {
        let it: SeriesAnswer = read(answer)?;
        Ok(format!("{} of {}, {}", it.state, it.owner, it.recur))
    },
};

/// When a request recurs.
#[derive(clap::Args)]
pub(super) struct RecurrenceArguments {
    /// Book it again and again by this rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO,TH; the window is that of the first time
    #[arg(long, value_name = "RRULE")]
    recur: Option<String>,
    /// No occurrence begins later; needed unless the rule has COUNT or UNTIL
    #[arg(long, value_name = "INSTANT")]
    until: Option<String>,
    /// Not on these local days or at these local times: 2026-12-24,2026-12-28T08:00:00
    #[arg(long, value_name = "DAYS", value_delimiter = ',')]
    except: Vec<String>,
    /// At these local times, too
    #[arg(long, value_name = "TIMES", value_delimiter = ',')]
    also: Vec<String>,
    /// By whose clocks it recurs [default: the site's]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// By what each occurrence is chosen: energy, cost, co2, or a ranking [default: cost]
    #[arg(long, value_name = "CRITERION")]
    choose: Option<String>,
    /// Book nothing if an occurrence whose window is known is impossible
    #[arg(long)]
    all_or_none: bool,
}

/// Arguments of `wattbook series`.
#[derive(clap::Args)]
pub struct SeriesArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List series: your own, or everybody's, for operators
    List {
        /// Only in these states, such as running,ended
        #[arg(long)]
        state: Option<String>,
        /// Only this owner's
        #[arg(long)]
        owner: Option<String>,
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        connection: ActingConnection,
    },
    /// Show a series and its occurrences
    Show(One),
    /// Change a series: its occurrences to come are planned anew
    Modify(Box<ModifySeries>),
    /// End a series: what has not begun is cancelled
    End {
        #[command(flatten)]
        one: One,
        /// Give back what runs, too
        #[arg(long)]
        release: bool,
    },
    /// Leave one occurrence out
    Skip {
        #[command(flatten)]
        one: One,
        /// The occurrence, as show names it: 2026-12-07T08:00:00
        occurrence: String,
    },
    /// Give a series to another owner, with its reservations
    Transfer {
        #[command(flatten)]
        one: One,
        /// Its new owner, whom the site knows
        #[arg(long, value_name = "NAME")]
        to: String,
    },
}

#[derive(clap::Args)]
struct One {
    /// The series, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: ActingConnection,
}

#[derive(clap::Args)]
struct ModifySeries {
    #[command(flatten)]
    one: One,
    #[command(flatten)]
    changes: RequestChanges,
    #[command(flatten)]
    recurrence: RecurrenceArguments,
}

/// A series, as far as it is shown.
#[derive(Deserialize)]
struct SeriesAnswer {
    id: String,
    owner: String,
    state: String,
    recur: String,
    time_zone: String,
    #[serde(default)]
    occurrences: Vec<OccurrenceAnswer>,
    totals: TotalsAnswer,
}

#[derive(Deserialize)]
struct OccurrenceAnswer {
    occurrence: String,
    state: String,
    reservation_id: Option<String>,
    reservation_state: Option<String>,
    start: Option<String>,
    energy_j: Option<f64>,
    cost: Option<f64>,
    co2_g: Option<f64>,
    reason: Option<OccurrenceReasonAnswer>,
}

#[derive(Deserialize)]
struct OccurrenceReasonAnswer {
    detail: String,
}

#[derive(Deserialize)]
struct TotalsAnswer {
    occurrences: u32,
    booked: u32,
    waiting: u32,
    impossible: u32,
    energy_j: f64,
    cost: f64,
    co2_g: f64,
    currency: Option<String>,
}

impl RecurrenceArguments {
    /// Whether the request recurs.
    pub(super) const fn recurs(&self) -> bool {
        self.recur.is_some()
    }

    /// Whether something is said that has a meaning only for what recurs.
    pub(super) const fn says_something(&self) -> bool {
        self.until.is_some()
            || !self.except.is_empty()
            || !self.also.is_empty()
            || self.time_zone.is_some()
            || self.choose.is_some()
            || self.all_or_none
    }

    /// The members of a series beside its request, read at `now`.
    fn body(&self, now: &Zoned) -> Result<Map<String, Value>, Failure> {
        let until = self.until.as_deref().map(|text| instant(text, now)).transpose();
        let until = until.map_err(|error| Failure::BadInput(vec![format!("--until: {error}")]))?;
        let list = |it: &Vec<String>| (!it.is_empty()).then(|| json!(it));
        let fields = [
            ("recur", self.recur.as_ref().map(|it| json!(it))),
            ("until", until.map(told)),
            ("except", list(&self.except)),
            ("also", list(&self.also)),
            ("time_zone", self.time_zone.as_ref().map(|it| json!(it))),
            ("choose", self.choose.as_ref().map(|it| json!(it))),
            ("where_impossible", self.all_or_none.then(|| json!("refuse"))),
        ];
        let said = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(said.collect())
    }
}

/// Makes a series of a request.
pub(super) async fn recur(
    server: &Server,
    request: Map<String, Value>,
    recurrence: &RecurrenceArguments,
    output: &Output,
) -> Result<(), Failure> {
    let format = match output.format {
        Format::Table => ListFormat::Table,
        Format::Json => ListFormat::Json,
        Format::Csv => {
            let told = "--format csv has no meaning with --recur; say table or json";
            return Err(Failure::BadInput(vec![told.to_owned()]));
        }
    };
    let mut body = recurrence.body(&answers::now()?)?;
    body.insert("request".to_owned(), Value::Object(request));
    let answer: Value = server.post("series", body).await?;
    shown(&answer, format)
}

/// Runs `wattbook series`.
pub fn series(arguments: &SeriesArguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::List { state, owner, format, connection } => {
            let query = [("state", state.clone()), ("owner", owner.clone())];
            let query: Vec<(&str, String)> =
                query.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
            block_on(list(connection.open()?, query, *format))
        }
        Command::Show(one) => block_on(async {
            let server = one.connection.open()?;
            let answer: Value = server.get(&path(one, &server).await?).await?;
            shown(&answer, one.format)
        }),
        Command::Modify(arguments) => modify(arguments),
        Command::End { one, release } => block_on(async {
            let server = one.connection.open()?;
            let running = if *release { "?running=release" } else { "" };
            let path = format!("{}{running}", path(one, &server).await?);
            let answer: Value = server.delete(&path).await?;
            shown(&answer, one.format)
        }),
        Command::Skip { one, occurrence } => block_on(async {
            let server = one.connection.open()?;
            let path = format!("{}/occurrences/{occurrence}", path(one, &server).await?);
            let answer: Value = server.delete(&path).await?;
            shown(&answer, one.format)
        }),
        Command::Transfer { one, to } => block_on(async {
            let server = one.connection.open()?;
            let body = Map::from_iter([("owner".to_owned(), json!(to))]);
            let path = format!("{}/transfer", path(one, &server).await?);
            let answer: Value = server.post(&path, body).await?;
            shown(&answer, one.format)
        }),
    }
}

async fn path(one: &One, server: &Server) -> Result<String, Failure> {
    Ok(format!("series/{}", one.id.find(server, &SERIES).await?))
}

fn modify(arguments: &ModifySeries) -> Result<(), Failure> {
    let ModifySeries { one, changes, recurrence } = arguments;
    let now = answers::now()?;
    let request = changes.body(&now).map_err(Failure::BadInput)?;
    let mut body = recurrence.body(&now)?;
    if !request.is_empty() {
        body.insert("request".to_owned(), Value::Object(request));
    }
    if body.is_empty() {
        let told = "there is nothing to change; wattbook series modify --help lists what can be";
        return Err(Failure::BadInput(vec![told.to_owned()]));
    }
    block_on(async {
        let server = one.connection.open()?;
        let answer: Value = server.patch(&path(one, &server).await?, body).await?;
        shown(&answer, one.format)
    })
}

async fn list(
    server: Server,
    query: Vec<(&str, String)>,
    format: ListFormat,
) -> Result<(), Failure> {
    let (mut items, mut after): (Vec<Value>, Option<String>) = (Vec::new(), None);
    loop {
        let mut query = query.clone();
        query.extend(after.take().map(|cursor| ("cursor", cursor)));
        let page: Page = server.get_with("series", &query).await?;
        items.extend(page.items);
        match page.next_cursor {
            Some(cursor) => after = Some(cursor),
            None => break,
        }
    }
    if let ListFormat::Json = format {
        return Ok(print(serde_json::to_string_pretty(&items)?)?);
    }
    let mut table = Table::new();
    let header = ["ID", "OWNER", "STATE", "RULE", "BOOKED", "WAITING", "IMPOSSIBLE", "OF"];
    table.load_style(NOTHING).set_header(header);
    for item in &items {
        let it: SeriesAnswer = read(item)?;
        let counts =
            [it.totals.booked, it.totals.waiting, it.totals.impossible, it.totals.occurrences];
        let words = [it.id, it.owner, it.state, it.recur];
        table.add_row(words.into_iter().chain(counts.map(|count| count.to_string())));
    }
    Ok(print(table)?)
}

fn shown(answer: &Value, format: ListFormat) -> Result<(), Failure> {
    if let ListFormat::Json = format {
        return Ok(print(serde_json::to_string_pretty(answer)?)?);
    }
    let it: SeriesAnswer = read(answer)?;
    print(format_args!(
        "{} of {} is {}: {} ({})",
        it.id, it.owner, it.state, it.recur, it.time_zone
    ))?;
    let mut table = Table::new();
    let header = ["OCCURRENCE", "STATE", "START", "COST", "ENERGY", "CO2", "RESERVATION"];
    table.load_style(NOTHING).set_header(header);
    for each in &it.occurrences {
        let amount =
            |value: Option<f64>, shown: fn(f64) -> String| value.map(shown).unwrap_or_default();
        table.add_row([
            each.occurrence.clone(),
            each.reservation_state.clone().unwrap_or_else(|| each.state.clone()),
            each.start.as_deref().map(local).unwrap_or_default(),
            amount(each.cost, |cost| format!("{cost:.2}")),
            amount(each.energy_j, kwh),
            amount(each.co2_g, kg),
            each.reservation_id.clone().unwrap_or_default(),
        ]);
    }
    print(table)?;
    let totals = &it.totals;
    if let Some(currency) = &totals.currency {
        let (energy, co2) = (kwh(totals.energy_j), kg(totals.co2_g));
        print(format_args!("Booked: {:.2} {currency}, {energy}, {co2}", totals.cost))?;
    }
    for each in &it.occurrences {
        if let Some(reason) = &each.reason {
            tell(format_args!("{}: {}", each.occurrence, local_text(&reason.detail)));
        }
    }
    Ok(())
}
