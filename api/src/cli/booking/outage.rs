//! `wattbook outage create`, `list`, `change` and `end`: nodes that are out of service, for operators.

use std::collections::BTreeSet;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use planner::node_list;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::answers::{self, local, some_names, text};
use super::id_prefix::{IdPrefix, Listed};
use super::modify::leave_out;
use super::request::told;
use super::server::{Connection, Server};
use super::time::{instant, seconds};
use super::{Format, Output, PAGE, Page, read};
use crate::cli::{Failure, block_on, print, tell};

/// Arguments of `wattbook outage`.
#[derive(Args)]
pub struct OutageArguments {
    #[command(subcommand)]
    command: OutageCommand,
}

#[derive(Subcommand)]
enum OutageCommand {
    /// Take nodes out of service; their reservations get others where that is possible
    Create(Create),
    /// List the nodes that are or will be out of service
    List(ListOutages),
    /// Change the nodes, times or reason of one; nodes that stay out of service are out all along
    Change(Change),
    /// Put nodes back into service, or take outages back that have yet to begin
    End(End),
}

#[derive(Args)]
struct Create {
    /// Which nodes, as Slurm writes them: n1,n[08-11,20]
    nodes: String,
    /// Since when: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT", default_value = "now")]
    begin: String,
    /// Until when [default: until wattbook outage end]
    #[arg(long, value_name = "INSTANT", conflicts_with = "time")]
    end: Option<String>,
    /// For how long: 90 (minutes), 1:30:00, 1-12:30 (days-hours:minutes), 90min, 1h30m or PT1H30M
    #[arg(short = 't', long, value_name = "LENGTH", value_parser = seconds)]
    time: Option<i64>,
    /// Why, in words; those whose reservations lose nodes read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct ListOutages {
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// What is not said stays as it is.
#[derive(Args)]
struct Change {
    /// The outage, by id as listed or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    /// All nodes that are out of service from now on, as Slurm writes them: n1,n[08-11,20]
    #[arg(long)]
    nodes: Option<String>,
    /// Since when, of one that has yet to begin: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    begin: Option<String>,
    /// Until when; --without end: until wattbook outage end
    #[arg(long, value_name = "INSTANT")]
    end: Option<String>,
    /// Why, in words; those whose reservations lose nodes read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Leave this out from now on; may be given several times
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = PossibleValuesParser::new(["end", "reason"]))]
    without: Vec<String>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct End {
    /// The outages, by id as listed or the beginning of one
    #[arg(required = true, value_parser = IdPrefix::parse)]
    ids: Vec<IdPrefix>,
    #[command(flatten)]
    connection: Connection,
}

/// An outage, as far as it is shown.
#[derive(Deserialize)]
struct OutageAnswer {
    id: String,
    owner: String,
    reason: String,
    start: String,
    end: Option<String>,
    node_count: u32,
    nodes: Option<Vec<String>>,
    reservations: Vec<String>,
}

/// The outages that have yet to end.
const OUTAGES: Listed = Listed {
    noun: "outage",
    path: "outages",
    command: "wattbook outage list",
    looks_up_whole: true,
    line: |answer| {
        let it: OutageAnswer = read(answer)?;
        let nodes = some_names(it.nodes.as_deref(), it.node_count);
        Ok(format!("{nodes} from {}", local(&it.start)))
    },
};

/// Takes nodes out of service, lists them, puts them back.
pub fn outage(arguments: &OutageArguments) -> Result<(), Failure> {
    match &arguments.command {
        OutageCommand::Create(arguments) => create(arguments),
        OutageCommand::List(arguments) => list(arguments),
        OutageCommand::Change(arguments) => change(arguments),
        OutageCommand::End(arguments) => end(arguments),
    }
}

fn create(arguments: &Create) -> Result<(), Failure> {
    let body = arguments.body().map_err(Failure::BadInput)?;
    block_on(async {
        let answer: Value = arguments.connection.open()?.post("outages", body).await?;
        show_made(&answer, arguments.output.format)
    })
}

fn change(arguments: &Change) -> Result<(), Failure> {
    let body = arguments.body().map_err(Failure::BadInput)?;
    block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &OUTAGES).await?;
        let answer: Value = server.patch(&format!("outages/{id}"), body).await?;
        show_made(&answer, arguments.output.format)
    })
}

/// An outage that is new or was changed, and whom it hits.
fn show_made(answer: &Value, format: Format) -> Result<(), Failure> {
    let outage: OutageAnswer = read(answer)?;
    show(std::slice::from_ref(answer), format)?;
    if matches!(format, Format::Table) && !outage.reservations.is_empty() {
        tell(format_args!(
            "{} of the reservations hold some of the nodes meanwhile: they get others where that is \
             possible, else their owners are told (wattbook list)",
            outage.reservations.len()
        ));
    }
    Ok(())
}

fn list(arguments: &ListOutages) -> Result<(), Failure> {
    block_on(async {
        let server = arguments.connection.open()?;
        let items = all(&server).await?;
        if items.is_empty() && matches!(arguments.output.format, Format::Table) {
            tell("no nodes are out of service");
            return Ok(());
        }
        Ok(show(&items, arguments.output.format)?)
    })
}

fn end(arguments: &End) -> Result<(), Failure> {
    block_on(async {
        let server = arguments.connection.open()?;
        // All are found before one is ended: a wrong one changes nothing.
        let mut ids: BTreeSet<Uuid> = BTreeSet::new();
        for named in &arguments.ids {
            ids.insert(named.find(&server, &OUTAGES).await?);
        }
        for id in ids {
            let ended: OutageAnswer = server.delete(&format!("outages/{id}")).await?;
            let nodes = some_names(ended.nodes.as_deref(), ended.node_count);
            print(format_args!("{} is over: {nodes} may be taken", ended.id))?;
        }
        Ok(())
    })
}

/// All outages that have yet to end.
async fn all(server: &Server) -> Result<Vec<Value>, Failure> {
    let (mut items, mut after): (Vec<Value>, _) = (Vec::new(), String::new());
    loop {
        let page: Page = server.get(&format!("outages?limit={PAGE}{after}")).await?;
        items.extend(page.items);
        let Some(cursor) = page.next_cursor else { return Ok(items) };
        after = format!("&cursor={cursor}");
    }
}

impl Create {
    /// The body of the request.
    ///
    /// # Errors
    /// Each argument that cannot be read, by its name.
    fn body(&self) -> Result<Map<String, Value>, Vec<String>> {
        let now = answers::now().map_err(|error| vec![error.to_string()])?;
        let mut errors = Vec::new();
        let nodes = node_list::parse(&self.nodes).map_err(|error| error.to_string());
        let begin = instant(&self.begin, &now).map_err(|error| format!("--begin: {error}"));
        let end = self.end.as_deref().map(|text| instant(text, &now)).transpose();
        let end = end.map_err(|error| format!("--end: {error}"));
        errors.extend([nodes.as_ref().err(), begin.as_ref().err(), end.as_ref().err()]);
        let errors: Vec<String> = errors.into_iter().flatten().cloned().collect();
        let (Ok(nodes), Ok(begin), Ok(end)) = (nodes, begin, end) else { return Err(errors) };
        let lasting = self.time.map(|length| {
            let end = begin.checked_add(jiff::SignedDuration::from_secs(length));
            end.map_err(|_| vec!["--time: the end is out of range".to_owned()])
        });
        let lasting = lasting.transpose()?;
        let mut body = Map::from_iter([("nodes".to_owned(), json!(nodes))]);
        // The service's clock says what now is.
        if self.begin != "now" {
            body.insert("start".to_owned(), told(begin));
        }
        body.extend(end.or(lasting).map(|end| ("end".to_owned(), told(end))));
        body.extend(self.reason.as_ref().map(|it| ("reason".to_owned(), json!(it))));
        Ok(body)
    }
}

impl Change {
    /// The merge patch of the outage.
    ///
    /// # Errors
    /// Each argument that cannot be read, by its name, and what is both said and left out.
    fn body(&self) -> Result<Map<String, Value>, Vec<String>> {
        let now = answers::now().map_err(|error| vec![error.to_string()])?;
        let (mut errors, mut body) = (Vec::new(), Map::new());
        let nodes = self.nodes.as_deref().map(node_list::parse).transpose();
        let nodes = nodes.map_err(|error| errors.push(format!("--nodes: {error}")));
        body.extend(nodes.ok().flatten().map(|nodes| ("nodes".to_owned(), json!(nodes))));
        for (argument, field, text) in [("begin", "start", &self.begin), ("end", "end", &self.end)]
        {
            let read = text.as_deref().map(|text| instant(text, &now)).transpose();
            let read = read.map_err(|error| errors.push(format!("--{argument}: {error}")));
            body.extend(read.ok().flatten().map(|at| (field.to_owned(), told(at))));
        }
        // The service's clock says what now is.
        if self.begin.as_deref() == Some("now") {
            body.insert("start".to_owned(), Value::Null);
        }
        body.extend(self.reason.as_ref().map(|it| ("reason".to_owned(), json!(it))));
        leave_out(&self.without, &mut body).unwrap_or_else(|twice| errors.extend(twice));
        if errors.is_empty() && body.is_empty() {
            let told =
                "there is nothing to change; wattbook outage change --help lists what can be";
            errors.push(told.to_owned());
        }
        if errors.is_empty() { Ok(body) } else { Err(errors) }
    }
}

fn show(items: &[Value], format: Format) -> anyhow::Result<()> {
    let all: Vec<OutageAnswer> = items.iter().map(read).collect::<Result<_, _>>()?;
    match format {
        Format::Json => print(serde_json::to_string_pretty(items)?),
        Format::Csv => print(csv(&all)?),
        Format::Table => print(table(&all)),
    }
}

fn table(all: &[OutageAnswer]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "BEGIN", "END", "NODES", "RESERVATIONS", "REASON"]);
    for it in all {
        table.add_row([
            it.id.clone(),
            local(&it.start),
            it.end.as_deref().map_or_else(|| "not known".to_owned(), local),
            some_names(it.nodes.as_deref(), it.node_count),
            it.reservations.len().to_string(),
            it.reason.clone(),
        ]);
    }
    table
}

fn csv(all: &[OutageAnswer]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "id",
        "owner",
        "start",
        "end",
        "node_count",
        "nodes",
        "reservations",
        "reason",
    ])?;
    for it in all {
        writer.write_record([
            it.id.clone(),
            it.owner.clone(),
            it.start.clone(),
            it.end.clone().unwrap_or_default(),
            it.node_count.to_string(),
            it.nodes.clone().unwrap_or_default().join(";"),
            it.reservations.join(";"),
            it.reason.clone(),
        ])?;
    }
    text(writer)
}
