//! `wattbook predict`: when a job would start and end in the present state of a queue, and how good such predictions are on a trace.

mod table;
mod trace;

use std::path::{Path, PathBuf};

use batch::policy::Policy;
use batch::start_prediction::Shape;
use batch::time::Time;
use clap::ArgGroup;
use serde_json::{Map, Value, json};

use super::booking::server::Connection;
use super::booking::time::seconds;
use super::{Failure, ListFormat, block_on, plan, print};
use crate::start_prediction::document::PredictionsDocument;
use crate::start_prediction::question::Question;
use crate::start_prediction::state::QueueState;
use crate::start_prediction::{PredictedStarts, PredictionAsker};

/// Arguments of `wattbook predict`.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("queue").args(["state", "slurm", "trace"]).required(true))]
pub struct Arguments {
    /// What is known of the queue: its nodes, and jobs that wait, run and have ended (docs/PREDICTIONS.md); - for standard input
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Ask the service (--url) for the queues of the Slurm that it is connected to
    #[arg(long)]
    slurm: bool,
    /// Tell how good predictions would have been for the jobs of a trace (SWF), each made when the job was submitted and from what had
    /// happened by then
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Nodes that the job asks for
    #[arg(long, value_name = "N", requires = "time", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "trace")]
    nodes: Option<u32>,
    /// Its walltime
    #[arg(long, value_name = "T", requires = "nodes", value_parser = walltime)]
    time: Option<Time>,
    /// Several shapes that the job may have: nodes x walltime
    #[arg(long, value_name = "8x2h,16x1h", value_delimiter = ',', value_parser = shape, conflicts_with_all = ["nodes", "trace"])]
    shapes: Vec<Shape>,
    /// In this partition; in all, unless said
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    partition: Option<String>,
    /// Tell of the jobs that wait, too
    #[arg(long, conflicts_with = "trace")]
    waiting: bool,
    /// Whose job it is: what users used of their walltimes and how long they waited tells more of their own jobs
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    user: Option<String>,
    /// The policy that serves the queue; the state's, or easy
    #[arg(long)]
    policy: Option<Policy>,
    /// Processors of the trace's machine; its header's
    #[arg(long, value_name = "N", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    machines: Option<u32>,
    /// Jobs start as the policy would have it, and not as the trace has it
    #[arg(long, requires = "trace")]
    played: bool,
    /// Predict for one in so many jobs
    #[arg(long, value_name = "K", default_value_t = 1, requires = "trace", value_parser = every)]
    every: usize,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// Prints predictions, or how good they are.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.trace {
        let score = trace::score_trace(file, arguments)?;
        match arguments.format {
            ListFormat::Json => print(serde_json::to_string_pretty(&score)?)?,
            ListFormat::Table => print(table::scores(&score))?,
        }
        return Ok(());
    }
    let question = arguments.question();
    if question.shapes.is_empty() && !question.waiting {
        let say =
            "say --nodes and --time, or --shapes, for when which job would start; or --waiting";
        return Err(Failure::BadInput(vec![say.to_owned()]));
    }
    let document = match &arguments.state {
        Some(file) => of_state(file, &question)?,
        None => block_on(of_slurm(&arguments.connection, &question))?,
    };
    match arguments.format {
        ListFormat::Json => print(serde_json::to_string_pretty(&document)?)?,
        ListFormat::Table => table::print_predictions(&document)?,
    }
    Ok(())
}

impl Arguments {
    fn question(&self) -> Question {
        let shapes = match (self.nodes, self.time) {
            (Some(nodes), Some(walltime)) => vec![Shape { nodes, walltime }],
            _ => self.shapes.clone(),
        };
        let (user, partition) = (self.user.clone(), self.partition.clone());
        Question { shapes, user, partition, policy: self.policy, waiting: self.waiting }
    }
}

fn of_state(file: &Path, question: &Question) -> Result<PredictionsDocument, Failure> {
    let text = plan::read_text(file).map_err(|error| Failure::BadInput(vec![error]))?;
    let state = QueueState::parse(&text).map_err(|errors| {
        let placed = |error| format!("{}: {error}", file.display());
        Failure::BadInput(errors.into_iter().map(placed).collect())
    })?;
    let asker = PredictionAsker { user: String::new(), sees: None };
    let answer = PredictedStarts::new(&state, question, &asker, &mut Vec::new(), &|| false)
        .map_err(|error| Failure::BadInput(vec![error.to_string()]))?;
    Ok(PredictionsDocument::new(&answer, question.waiting)?)
}

/// What the service says of the Slurm that it is connected to.
async fn of_slurm(
    connection: &Connection,
    question: &Question,
) -> Result<PredictionsDocument, Failure> {
    let shape = |it: &Shape| json!({"nodes": it.nodes, "walltime_s": it.walltime.as_seconds()});
    let mut body = Map::from_iter([(
        "shapes".to_owned(),
        question.shapes.iter().map(shape).collect::<Vec<Value>>().into(),
    )]);
    body.insert("waiting".to_owned(), question.waiting.into());
    let given = [
        ("user", question.user.clone()),
        ("partition", question.partition.clone()),
        ("policy", question.policy.map(|it| it.to_string())),
    ];
    let given = given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
    body.extend(given);
    connection.open()?.post("predictions", body).await
}

fn every(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|every| *every > 0)
        .ok_or_else(|| "is a whole number above 0".to_owned())
}

fn walltime(text: &str) -> Result<Time, String> {
    seconds(text).map(Time::from_seconds)
}

fn shape(text: &str) -> Result<Shape, String> {
    let (nodes, time) = text.split_once('x').ok_or("is no shape such as 8x2h")?;
    let nodes = nodes.parse().ok().filter(|nodes| *nodes > 0);
    let nodes = nodes.ok_or("has no number of nodes before the x, as 8x2h has")?;
    Ok(Shape { nodes, walltime: walltime(time)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_nodes_and_a_walltime() {
        let hours =
            |nodes, hours: i64| Shape { nodes, walltime: Time::from_seconds(hours * 3_600) };
        assert_eq!(shape("8x2h"), Ok(hours(8, 2)));
        assert_eq!(shape("16x1:00:00"), Ok(hours(16, 1)));
        for wrong in ["8", "0x2h", "x2h", "8x", "8x0", "8xsoon"] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
    }
}
