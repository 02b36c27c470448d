//! `wattbook plan`: one decision from a problem file.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use planner::json;
use planner::json::decision::DecisionDocument;
use planner::node::Nodes;
use planner::problem::PlanningProblem;
use planner::search::{PlanningView, explain, plan};

use super::Failure;

/// Arguments of `wattbook plan`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The problem file, or - for standard input
    problem: PathBuf,
    /// Plan this many times and print quantiles of the planning time on standard error
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Say for each ranking what the next-best start would have cost, and what an hour more of
    /// flexibility would save
    #[arg(long)]
    explain: bool,
}

/// Prints the decision; fails with `Impossible` where there is no start.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let problem = read_problem(&arguments.problem)?;
    let prepared = Instant::now();
    let selection = problem.selection();
    let slower = problem.slower_selections(&selection);
    let book = problem.book(&selection);
    let preparation = prepared.elapsed();
    let view = PlanningView::of(&problem, &selection, &book).with_slower(&slower);
    let mut times = Vec::new();
    let mut decide = || {
        let started = Instant::now();
        let decision = plan(&view, &problem.request, &|| false);
        times.push(started.elapsed());
        decision
    };
    let decision = decide()?;
    for _ in 1..arguments.repeat.unwrap_or(1) {
        decide()?;
    }
    if arguments.repeat.is_some() {
        print_times(preparation, &mut times);
    }
    let mut document = DecisionDocument::new(&decision, selection.order(), &problem.nodes);
    if arguments.explain {
        document = document.explained(&explain(&view, &problem.request, &|| false)?);
    }
    super::print(serde_json::to_string_pretty(&document)?)?;
    if decision.offers().is_empty() { Err(Failure::Impossible) } else { Ok(()) }
}

fn read_problem(path: &Path) -> Result<PlanningProblem, Failure> {
    let text = read_text(path).map_err(|error| Failure::BadInput(vec![error]))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let zone = |name: &str| TimeZone::get(name).ok();
    json::problem::problem(&text, |nodes| load_nodes(&folder.join(nodes)), &zone)
        .map_err(|errors| Failure::BadInput(errors.iter().map(ToString::to_string).collect()))
}

/// Reads a file, or standard input for `-`; in words why not.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let read = if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Reads a table of nodes.
pub(super) fn load_nodes(path: &Path) -> Result<Nodes, Vec<String>> {
    let text = read_text(path).map_err(|error| vec![error])?;
    grid_feeds::table::nodes(&text)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

fn print_times(preparation: Duration, times: &mut [Duration]) {
    times.sort_unstable();
    let quantile = |per_mille: usize| {
        let index = (times.len() * per_mille).div_ceil(1000).clamp(1, times.len()) - 1;
        times[index].as_secs_f64() * 1e6
    };
    super::tell(format_args!("preparation_us {:.1}", preparation.as_secs_f64() * 1e6));
    let quantiles = [("min", 0), ("p50", 500), ("p90", 900), ("p99", 990), ("max", 1000)];
    for (name, per_mille) in quantiles {
        super::tell(format_args!("planning_{name}_us {:.1}", quantile(per_mille)));
    }
    super::tell(format_args!("plans {}", times.len()));
}
