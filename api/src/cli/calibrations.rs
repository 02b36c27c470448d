//! `wattbook calibrations list`, `accept` and `reject`: what meters say of nodes against their calibration.

use clap::{Args, Subcommand};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use planner::node_list;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::booking::server::{Connection, Server};
use super::{Failure, ListFormat, block_on, print, tell};

/// Arguments of `wattbook calibrations`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: CalibrationCommand,
}

#[derive(Subcommand)]
enum CalibrationCommand {
    /// List nodes as they were judged by what meters measure
    List(List),
    /// Take the calibrations that are proposed; for operators
    Accept(Decide),
    /// Reject the calibrations that are proposed; for operators
    Reject(Decide),
}

#[derive(Args)]
struct List {
    /// Only nodes of this standing
    #[arg(long, value_parser = ["drifted", "outlying", "failing", "proposed", "rejected"])]
    standing: Option<String>,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
struct Decide {
    /// Which nodes, as Slurm writes them: n1,n[08-11,20]
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    nodes: Option<String>,
    /// All nodes for which something is proposed
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    connection: Connection,
}

/// A page of nodes, as far as it is shown.
#[derive(Deserialize)]
struct FindingsAnswer {
    follow: String,
    judged_at: Option<String>,
    items: Vec<Value>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct FindingAnswer {
    node: String,
    idle_power_w: Option<f64>,
    max_power_w: Option<f64>,
    measured_idle: Option<EstimateAnswer>,
    measured_max: Option<EstimateAnswer>,
    drifted: bool,
    outlying: bool,
    fault: Option<String>,
    error: ErrorAnswer,
    proposal: Option<ProposalAnswer>,
}

#[derive(Deserialize)]
struct EstimateAnswer {
    power_w: f64,
}

#[derive(Deserialize)]
struct ErrorAnswer {
    mean_absolute_percent: Option<f64>,
}

#[derive(Deserialize)]
struct ProposalAnswer {
    state: String,
    idle_power_w: f64,
    max_power_w: f64,
}

#[derive(Deserialize)]
struct DecidedAnswer {
    epoch: Option<i64>,
    nodes: Vec<String>,
}

/// Lists nodes, and decides on proposals.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        CalibrationCommand::List(arguments) => list(arguments),
        CalibrationCommand::Accept(arguments) => decide(arguments, "accept"),
        CalibrationCommand::Reject(arguments) => decide(arguments, "reject"),
    }
}

fn list(arguments: &List) -> Result<(), Failure> {
    block_on(async {
        let server = arguments.connection.open()?;
        let (first, items) = all(&server, arguments.standing.as_deref()).await?;
        if matches!(arguments.format, ListFormat::Json) {
            return Ok(print(serde_json::to_string_pretty(&items)?)?);
        }
        match (&first.judged_at, first.follow.as_str()) {
            (None, "off") => tell(
                "nodes are not judged: the settings say follow = \"off\", or no meter measures nodes",
            ),
            (None, _) => tell("nodes have not been judged yet"),
            (Some(at), _) if items.is_empty() => tell(format_args!("no such nodes, as of {at}")),
            _ => print(table(&items)?)?,
        }
        Ok(())
    })
}

/// All nodes of a standing, page by page, and the first page.
async fn all(
    server: &Server,
    standing: Option<&str>,
) -> Result<(FindingsAnswer, Vec<Value>), Failure> {
    let mut query: Vec<(&str, String)> = vec![("limit", "1000".to_owned())];
    query.extend(standing.map(|it| ("standing", it.to_owned())));
    let first: FindingsAnswer = server.get_with("calibrations/findings", &query).await?;
    let (mut items, mut next) = (first.items.clone(), first.next_cursor.clone());
    while let Some(cursor) = next {
        let query = [query.clone(), vec![("cursor", cursor)]].concat();
        let page: FindingsAnswer = server.get_with("calibrations/findings", &query).await?;
        items.extend(page.items);
        next = page.next_cursor;
    }
    Ok((first, items))
}

fn decide(arguments: &Decide, what: &str) -> Result<(), Failure> {
    let mut body = Map::new();
    if let Some(nodes) = &arguments.nodes {
        let names = node_list::parse(nodes);
        let names = names.map_err(|error| Failure::BadInput(vec![error.to_string()]))?;
        body.insert("nodes".to_owned(), json!(names));
    }
    block_on(async {
        let server = arguments.connection.open()?;
        let decided: DecidedAnswer = server.post(&format!("calibrations/{what}"), body).await?;
        if decided.nodes.is_empty() {
            tell("nothing is proposed");
            return Ok(());
        }
        let names = decided.nodes.join(", ");
        let told = match decided.epoch {
            Some(epoch) => format!("taken for {names}: calibration epoch {epoch}"),
            None => format!("rejected for {names}"),
        };
        Ok(print(told)?)
    })
}

fn table(items: &[Value]) -> anyhow::Result<Table> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "NODE",
        "IDLE W",
        "MEASURED",
        "MAX W",
        "MEASURED",
        "ERROR %",
        "STANDING",
        "PROPOSED W",
    ]);
    for column in table.column_iter_mut().skip(1).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let watts = |watts: Option<f64>| watts.map_or_else(|| "-".to_owned(), |it| format!("{it:.1}"));
    for item in items {
        let it: FindingAnswer = serde_json::from_value(item.clone())?;
        let standing = [(it.drifted, "drifted"), (it.outlying, "outlying")].into_iter();
        let standing = standing.filter(|(is, _)| *is).map(|(_, word)| word);
        let standing: Vec<&str> = it.fault.as_deref().into_iter().chain(standing).collect();
        let proposed = it.proposal.as_ref().map(|it| {
            let rejected = if it.state == "rejected" { " (rejected)" } else { "" };
            format!("{:.1} to {:.1}{rejected}", it.idle_power_w, it.max_power_w)
        });
        table.add_row([
            it.node.clone(),
            watts(it.idle_power_w),
            watts(it.measured_idle.as_ref().map(|it| it.power_w)),
            watts(it.max_power_w),
            watts(it.measured_max.as_ref().map(|it| it.power_w)),
            watts(it.error.mean_absolute_percent),
            standing.join(", "),
            proposed.unwrap_or_default(),
        ]);
    }
    Ok(table)
}
