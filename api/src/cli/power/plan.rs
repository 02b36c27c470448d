//! `wattbook power plan`: power actions from a problem file.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use planner::json::power_plan::PowerPlanDocument;
use planner::json::power_problem::power_problem;
use planner::power_plan::plan_power;

use crate::cli::plan::{load_nodes, read_text};
use crate::cli::{Failure, print};

/// Arguments of `wattbook power plan`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The problem file, or - for standard input
    problem: PathBuf,
}

/// Prints the plan.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.problem;
    let text = read_text(path).map_err(|error| Failure::BadInput(vec![error]))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let zone = |name: &str| TimeZone::get(name).ok();
    let problem = power_problem(&text, |nodes| load_nodes(&folder.join(nodes)), &zone)
        .map_err(|errors| Failure::BadInput(errors.iter().map(ToString::to_string).collect()))?;
    let plan = plan_power(&problem, &|| false)?;
    let document = PowerPlanDocument::new(&plan, &problem.nodes);
    print(serde_json::to_string_pretty(&document)?)?;
    Ok(())
}
