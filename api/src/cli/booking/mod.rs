//! `wattbook quote`, `reserve`, `choose`, `list`, `show`, `cancel`, `modify`, `extend`, `release`, `transfer`, `swap`, `share-with`, `unshare` and `outage`: booking nodes from a terminal, and
//! taking them out of service, by the API of a service, in Slurm's spelling. `wattbook agenda`: what suppliers announce. `wattbook squeue`: what is booked, and the jobs in it.
mod agenda;
pub mod answers;
mod changes;
pub mod co2_words;
pub mod id_prefix;
mod modify;
mod outage;
pub mod quote_answer;
pub mod request;
mod series;
pub mod server;
mod squeue;
pub mod time;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use planner::preference::{COMPROMISE, Preference};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Failure, tell};
use answers::{
    AdviceAnswer, LearntAnswer, Page, ReasonAnswer, ReservationAnswer, StandingAnswer, letter,
    local, local_text, offers, offers_csv, reservations, reservations_csv,
};
use id_prefix::{IdPrefix, RESERVATIONS};
use quote_answer::QuoteAnswer;
use request::RequestArguments;
use series::RecurrenceArguments;
use server::{ActingConnection, Connection, Server};

pub use agenda::{AgendaArguments, agenda};
pub use changes::{
    Extend, ReleaseArguments, ShareWith, Swap, Transfer, Unshare, extend, release, share_with,
    swap, transfer, unshare,
};
pub use modify::{Modify, modify};
pub use outage::{OutageArguments, outage};
pub use series::{SeriesArguments, series};
pub use squeue::{Squeue, squeue};

/// How many reservations a page of the API has at the most.
const PAGE: usize = 1000;

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people: local times, kWh and kg
    Table,
    /// The API's answer
    Json,
    /// For programs: UTC, joules and grams
    Csv,
}

#[derive(Args)]
struct Output {
    #[arg(long, default_value = "table")]
    format: Format,
}

/// Arguments of `wattbook quote`.
#[derive(Args)]
pub struct Quote {
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook reserve`.
#[derive(Args)]
pub struct Reserve {
    #[command(flatten)]
    request: RequestArguments,
    /// Choose the best start by this ranking, or the compromise, at once
    #[arg(long, value_parser = PossibleValuesParser::new(Preference::names()))]
    ranking: Option<String>,
    /// Ask the supplier for extra power if only the power cap is in the way
    #[arg(long)]
    negotiate: bool,
    /// What extra power may cost, in the site's currency [default: nothing]
    #[arg(long, value_name = "AMOUNT", requires = "negotiate")]
    fee_limit: Option<f64>,
    /// The reservation whose place it takes, by its id or the beginning of it
    #[arg(long, value_name = "ID", value_parser = IdPrefix::parse)]
    replaces: Option<IdPrefix>,
    /// Give the nodes back some time after the last of its jobs in Slurm has ended
    #[arg(long)]
    give_back: bool,
    /// Hold the compromise between the rankings as one more offer
    #[arg(long)]
    hold_compromise: bool,
    /// Priority when the cap is lowered, 0 to 1000: the highest keep their power longest; operators only
    #[arg(long)]
    priority: Option<u32>,
    /// What you note about it, for people
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    recurrence: RecurrenceArguments,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook choose`.
#[derive(Args)]
pub struct Choose {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[arg(help = offer_help())]
    offer: String,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Arguments of `wattbook list`.
#[derive(Args)]
pub struct List {
    /// Only in these states, such as proposed,confirmed
    #[arg(long)]
    state: Option<String>,
    /// Only this owner's; for operators, and for people who may see others' reservations, of their projects or shared with them
    #[arg(long)]
    owner: Option<String>,
    /// Only this project's; others' of it for operators, and for people who may see others' reservations of their projects
    #[arg(short = 'A', long, visible_alias = "account")]
    project: Option<String>,
    /// Only those that last beyond this: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Only those that begin before this
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,
    /// The most reservations to list; the newest are listed
    #[arg(long, default_value_t = 100, value_name = "COUNT")]
    limit: usize,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Arguments of `wattbook show`.
#[derive(Args)]
pub struct Show {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Arguments of `wattbook cancel`.
#[derive(Args)]
pub struct Cancel {
    /// The reservations, by their ids or the beginnings of them
    #[arg(required = true, value_parser = IdPrefix::parse)]
    ids: Vec<IdPrefix>,
    #[command(flatten)]
    connection: ActingConnection,
}

/// Shows what is possible; holds nothing.
pub fn quote(arguments: &Quote) -> Result<(), Failure> {
    let body = body(&arguments.request)?;
    super::block_on(async {
        let answer: Value = arguments.connection.open()?.post("quotes", body).await?;
        let decision: QuoteAnswer = read(&answer)?;
        match arguments.output.format {
            Format::Json => super::print(serde_json::to_string_pretty(&answer)?)?,
            Format::Csv => super::print(offers_csv(&decision.offers, &decision.co2)?)?,
            Format::Table if decision.offers.is_empty() => {
                tell("impossible:");
                for ReasonAnswer { detail } in &decision.reasons {
                    tell(format_args!("  {}", local_text(detail)));
                }
            }
            Format::Table => {
                super::print(offers(&decision.offers, &decision.co2))?;
                if let Some(compromise) = &decision.compromise {
                    let what = compromise.in_words();
                    tell(format_args!("Compromise, by reserve --ranking compromise: {what}"));
                }
                tell_learnt(decision.learnt_utilisation.as_ref());
                tell_standing(decision.standing.as_ref());
            }
        }
        tell_request(&arguments.request, arguments.output.format);
        if decision.offers.is_empty() { Err(Failure::Impossible) } else { Ok(()) }
    })
}

/// How lengths were understood, since `2` is two minutes and `1:30` a minute and a half.
fn tell_request(request: &RequestArguments, format: Format) {
    if matches!(format, Format::Table) {
        tell(format_args!("Asked for: {}.", request.in_words()));
    }
}

/// Where the utilisation comes from, unless the request says it.
fn tell_learnt(learnt: Option<&LearntAnswer>) {
    if let Some(LearntAnswer { application, utilisation, runs }) = learnt {
        tell(format_args!(
            "Expected with a utilisation of {utilisation}, as {runs} earlier runs of {application} had it; \
             --utilisation says another."
        ));
    }
}

/// How one stands before one books, and how one can stand better, where the site has shares.
fn tell_standing(standing: Option<&StandingAnswer>) {
    let Some(StandingAnswer { factor, advice }) = standing else { return };
    tell(format_args!(
        "Your factor is {factor:.4}; FACTOR is what it is once the offer is booked. The higher, the better you stand."
    ));
    for AdviceAnswer { detail } in advice {
        tell(format_args!("  {}", local_text(detail)));
    }
}

/// What `wattbook choose` says of its second argument.
fn offer_help() -> String {
    let names: Vec<&str> = Preference::names().collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, rest)| (*last, rest));
    format!(
        "Its letter as listed by reserve and show, its id, or by what it is chosen: {} or {last}",
        others.join(", ")
    )
}

/// Has offers held, and one of them chosen where a ranking is given.
pub fn reserve(arguments: &Reserve) -> Result<(), Failure> {
    let mut body = body(&arguments.request)?;
    let Reserve { negotiate, fee_limit, replaces, give_back, priority, note, .. } = arguments;
    let holds_compromise =
        arguments.hold_compromise || arguments.ranking.as_deref() == Some(COMPROMISE);
    for (name, value) in [
        ("on_cap", negotiate.then(|| json!("negotiate"))),
        ("extra_power_fee_limit", fee_limit.map(|it| json!(it))),
        ("give_back", give_back.then(|| json!("jobs_ended"))),
        ("hold_compromise", holds_compromise.then(|| json!(true))),
        ("priority", priority.map(|it| json!(it))),
        ("note", note.as_ref().map(|it| json!(it))),
    ] {
        body.extend(value.map(|value| (name.to_owned(), value)));
    }
    let recurrence = &arguments.recurrence;
    if recurrence.says_something() && !recurrence.recurs() {
        let told =
            "--until, --except, --also, --time-zone, --choose and --all-or-none need --recur";
        return Err(Failure::BadInput(vec![told.to_owned()]));
    }
    if recurrence.recurs() && (arguments.ranking.is_some() || replaces.is_some()) {
        let told = "--recur goes with --choose, and not with --ranking or --replaces";
        return Err(Failure::BadInput(vec![told.to_owned()]));
    }
    super::block_on(async {
        let server = arguments.connection.open()?;
        if recurrence.recurs() {
            return series::recur(&server, body, recurrence, &arguments.output).await;
        }
        if let Some(replaced) = replaces {
            body.insert("replaces".to_owned(), json!(replaced.find(&server, &RESERVATIONS).await?));
        }
        let mut answer: Value = server.post("reservations", body).await?;
        let made: ReservationAnswer = read(&answer)?;
        if let Some(ranking) = arguments.ranking.as_deref().filter(|_| made.state == "proposed") {
            answer = choose_by(&server, &made.id, "ranking", ranking).await?;
        }
        let shown = show_one(&answer, arguments.output.format);
        tell_request(&arguments.request, arguments.output.format);
        shown
    })
}

/// Books one of a reservation's offers.
pub fn choose(arguments: &Choose) -> Result<(), Failure> {
    super::block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &RESERVATIONS).await?.to_string();
        let offer = arguments.offer.as_str();
        let answer = if offer.parse::<Uuid>().is_ok() {
            choose_by(&server, &id, "offer_id", offer).await?
        } else if Preference::names().any(|it| it == offer) || offer.contains('_') {
            choose_by(&server, &id, "ranking", offer).await?
        } else {
            let held: ReservationAnswer = server.get(&format!("reservations/{id}")).await?;
            let lettered =
                (0..held.offers.len()).find(|it| letter(*it).eq_ignore_ascii_case(offer));
            let Some(offer_id) = lettered.and_then(|it| held.offers[it].id.clone()) else {
                let told =
                    format!("{offer:?} is no letter of an offer that it has, no ranking and no id");
                return Err(Failure::BadInput(vec![told]));
            };
            choose_by(&server, &id, "offer_id", &offer_id).await?
        };
        show_one(&answer, arguments.output.format)
    })
}

async fn choose_by(server: &Server, id: &str, by: &str, value: &str) -> Result<Value, Failure> {
    let body = Map::from_iter([(by.to_owned(), json!(value))]);
    server.post(&format!("reservations/{id}/choose"), body).await
}

/// Lists one's reservations, operators everybody's, the newest first.
pub fn list(arguments: &List) -> Result<(), Failure> {
    let query = narrowed(arguments)?;
    super::block_on(async {
        let server = arguments.connection.open()?;
        let (items, more) = newest(&server, &query, arguments.limit).await?;
        let all: Vec<ReservationAnswer> = items.iter().map(read).collect::<Result<_, _>>()?;
        match arguments.output.format {
            Format::Json => super::print(serde_json::to_string_pretty(&items)?)?,
            Format::Csv => super::print(reservations_csv(&all)?)?,
            Format::Table => super::print(reservations(&all))?,
        }
        if more {
            tell(format_args!(
                "These are the newest {}; there are more. --limit shows more of them, --state, --owner, \
                 --from and --to narrow them.",
                all.len()
            ));
        }
        Ok(())
    })
}

/// The newest reservations of a query, at most so many, and whether there are more.
async fn newest(
    server: &Server,
    query: &[(&str, String)],
    limit: usize,
) -> Result<(Vec<Value>, bool), Failure> {
    let mut items: Vec<Value> = Vec::new();
    let mut after = None;
    let mut more = true;
    while more && items.len() < limit {
        let mut query = query.to_vec();
        query.push(("newest", "true".to_owned()));
        query.push(("limit", (limit - items.len()).min(PAGE).to_string()));
        query.extend(after.take().map(|cursor| ("cursor", cursor)));
        let page: Page = server.get_with("reservations", &query).await?;
        items.extend(page.items);
        after = page.next_cursor;
        more = after.is_some();
    }
    Ok((items, more))
}

/// The query of the API that lists the reservations of these arguments.
fn narrowed(arguments: &List) -> Result<Vec<(&'static str, String)>, Failure> {
    let now = answers::now()?;
    let mut errors = Vec::new();
    let mut at = |argument: &str, text: &Option<String>| {
        let read = text.as_deref().map(|text| time::instant(text, &now)).transpose();
        let read = read.map_err(|error| errors.push(format!("--{argument}: {error}")));
        let whole =
            |it: jiff::Timestamp| jiff::Timestamp::from_second(it.as_second()).unwrap_or(it);
        read.ok().flatten().map(|it| whole(it).to_string())
    };
    let (from, to) = (at("from", &arguments.from), at("to", &arguments.to));
    if !errors.is_empty() {
        return Err(Failure::BadInput(errors));
    }
    let (state, owner) = (arguments.state.clone(), arguments.owner.clone());
    let project = arguments.project.clone();
    let all =
        [("state", state), ("owner", owner), ("project", project), ("from", from), ("to", to)];
    let all = all.into_iter();
    Ok(all.filter_map(|(name, value)| Some((name, value?))).collect())
}

/// Shows a reservation, and its offers while they are held.
pub fn show(arguments: &Show) -> Result<(), Failure> {
    super::block_on(async {
        let server = arguments.connection.open()?;
        let answer: Value = server
            .get(&format!("reservations/{}", arguments.id.find(&server, &RESERVATIONS).await?))
            .await?;
        show_one(&answer, arguments.output.format)
    })
}

/// Cancels reservations, one after the other.
pub fn cancel(arguments: &Cancel) -> Result<(), Failure> {
    super::block_on(async {
        let server = arguments.connection.open()?;
        // All are found before the first is cancelled.
        let mut ids: Vec<Uuid> = Vec::with_capacity(arguments.ids.len());
        for named in &arguments.ids {
            ids.push(named.find(&server, &RESERVATIONS).await?);
        }
        for id in &ids {
            let ended: ReservationAnswer = server.delete(&format!("reservations/{id}")).await?;
            super::print(format_args!("{} is {}", ended.id, ended.state))?;
        }
        Ok(())
    })
}

fn body(request: &RequestArguments) -> Result<Map<String, Value>, Failure> {
    request.body(&answers::now()?).map_err(Failure::BadInput)
}

fn read<T: DeserializeOwned>(answer: &Value) -> anyhow::Result<T> {
    let read = T::deserialize(answer);
    read.map_err(|error| anyhow::anyhow!("the answer is not one of this version: {error}"))
}

fn show_one(answer: &Value, format: Format) -> Result<(), Failure> {
    let it: ReservationAnswer = read(answer)?;
    match format {
        Format::Json => super::print(serde_json::to_string_pretty(answer)?)?,
        Format::Csv if it.state == "proposed" => super::print(offers_csv(&it.offers, &it.co2)?)?,
        Format::Csv => super::print(reservations_csv(std::slice::from_ref(&it))?)?,
        Format::Table => show_to_people(&it)?,
    }
    Ok(())
}

fn show_to_people(it: &ReservationAnswer) -> anyhow::Result<()> {
    match it.state.as_str() {
        "proposed" => {
            super::print(format_args!("{} is held until {}", it.id, local(&it.expires_at)))?;
            super::print(offers(&it.offers, &it.co2))?;
            tell_learnt(it.learnt_utilisation.as_ref());
            tell_standing(it.standing.as_ref());
            super::print(format_args!("Book one: wattbook choose {} A", it.id))?;
        }
        "awaiting_supplier" => super::print(format_args!(
            "{} waits for the supplier, who is asked for more power: wattbook show {0} says what comes of it",
            it.id
        ))?,
        _ => {
            super::print(reservations(std::slice::from_ref(it)))?;
            if let Some(chosen) = it.chosen() {
                super::print(format_args!("Nodes: {}", chosen.nodes()))?;
            }
        }
    }
    if !it.shared_with.is_empty() {
        let shared: Vec<String> = it.shared_with.iter().map(ToString::to_string).collect();
        super::print(format_args!("Shared with: {}", shared.join(", ")))?;
    }
    match &it.notice {
        Some(notice) if !notice.detail.is_empty() => {
            super::print(format_args!("Note: {}", local_text(&notice.detail)))
        }
        _ => Ok(()),
    }
}
