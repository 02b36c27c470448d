//! `wattbook predict`: when a job would start and end in the present state of a queue, and how good such predictions are on a trace.

mod document;
mod state;
mod table;
mod trace;

use std::path::PathBuf;

use batch::policy::{Combination, Policy};
use batch::start_prediction::{Shape, StartPredictor};
use batch::time::Time;
use document::PredictionsDocument;
use state::QueueState;

use super::booking::time::seconds;
use super::{Failure, ListFormat, print};

/// How many of the jobs that have started are compared with what would have been predicted for them.
const COMPARED: usize = 500;

/// Arguments of `wattbook predict`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What is known of the queue: its nodes, and jobs that wait, run and have ended (docs/PREDICTIONS.md); - for standard input
    #[arg(long, value_name = "FILE", required_unless_present = "trace", conflicts_with = "trace")]
    state: Option<PathBuf>,
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
    /// Whose job it is: what users used of their walltimes and how long they waited tells more of their own jobs
    #[arg(long, default_value = "", value_name = "NAME", conflicts_with = "trace")]
    user: String,
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
    #[arg(long, value_name = "K", default_value_t = 5, requires = "trace", value_parser = every)]
    every: usize,
    #[arg(long, default_value = "table")]
    format: ListFormat,
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
    let Some(file) = &arguments.state else { return Ok(()) };
    let state = QueueState::read(file)?;
    let shapes = match (arguments.nodes, arguments.time) {
        (Some(nodes), Some(walltime)) => vec![Shape { nodes, walltime }],
        _ => arguments.shapes.clone(),
    };
    if shapes.is_empty() {
        let say = "say --nodes and --time, or --shapes, for when which job would start";
        return Err(Failure::BadInput(vec![say.to_owned()]));
    }
    let policy = arguments.policy.or(state.policy).unwrap_or(Policy::Easy);
    let mut predictor = predictor(state.nodes, policy)?;
    predictor.follow(&state.jobs, state.now, state.jobs.len().div_ceil(COMPARED).max(1));
    let mut predictions = Vec::new();
    for shape in shapes {
        let prediction = predictor.predict(state.now, &arguments.user, shape);
        let prediction = prediction.ok_or_else(|| {
            let Shape { nodes, .. } = shape;
            Failure::BadInput(vec![format!(
                "{nodes} nodes are asked for; there are {}",
                state.nodes
            )])
        })?;
        predictions.push((shape, prediction));
    }
    let document = PredictionsDocument::new(state.now, &predictor, &predictions)?;
    match arguments.format {
        ListFormat::Json => print(serde_json::to_string_pretty(&document)?)?,
        ListFormat::Table => table::print_predictions(&document)?,
    }
    Ok(())
}

/// Who predicts starts in a queue.
fn predictor(nodes: u32, policy: Policy) -> Result<StartPredictor, Failure> {
    StartPredictor::new(nodes, Combination::from(policy)).map_err(|errors| {
        let told = |error: String| format!("{policy} cannot be played on: {error}");
        Failure::BadInput(errors.into_iter().map(told).collect())
    })
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
