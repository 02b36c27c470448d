//! `wattbook slurm diff`: reservations and nodes of the database beside those of Slurm.

use anyhow::Context;
use planner::resource_manager::reservation_name;
use serde::Serialize;
use storage::Database;

use super::Outcome;
use crate::cli::{Failure, ListFormat, print, tell};
use crate::clock::Clock;
use crate::config::Settings;
use crate::http::v1::slurm::ManagerDetails;
use crate::service::Services;
use crate::service::resource_manager::ManagerStatus;

/// Both sides compared.
#[derive(Serialize)]
struct Comparison {
    state: &'static str,
    #[serde(flatten)]
    details: ManagerDetails,
    /// Reservations that would be made there if it were driven.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_be_made: Option<Vec<String>>,
}

/// Compares both sides, and prints how they differ.
pub async fn run(
    settings: Settings,
    database: Database,
    dry_run: bool,
    format: ListFormat,
) -> Result<(), Failure> {
    settings.manager.as_ref().context("the settings have no section [slurm] (docs/SLURM.md)")?;
    let would_be_made = if dry_run {
        let unmanaged = database.unmanaged_reservations(Clock::default().now()).await?;
        Some(unmanaged.into_iter().map(|(id, _)| reservation_name(id)).collect::<Vec<_>>())
    } else {
        None
    };
    let status = Services::new(settings, database).resource_manager.status().await?;
    let outcome = outcome(&status, would_be_made.as_deref());
    let state = status.state;
    let comparison = Comparison { state, details: status.into(), would_be_made };
    match format {
        ListFormat::Json => print(serde_json::to_string_pretty(&comparison)?)?,
        ListFormat::Table if outcome == Outcome::Unknown => {
            let because = comparison.details.because.as_deref().unwrap_or("it was not asked");
            tell(format_args!("error: {because}"));
        }
        ListFormat::Table => {
            for line in lines(&comparison) {
                print(line)?;
            }
        }
    }
    outcome.ended()
}

fn outcome(status: &ManagerStatus, would_be_made: Option<&[String]>) -> Outcome {
    let nodes = &status.nodes;
    if status.state != "connected" {
        Outcome::Unknown
    } else if status.differences.is_empty()
        && status.unknown_reservations.is_empty()
        && nodes.unknown.is_empty()
        && nodes.missing.is_empty()
        && nodes.renamed.is_empty()
        && would_be_made.is_none_or(<[String]>::is_empty)
    {
        Outcome::Agree
    } else {
        Outcome::Differ
    }
}

/// What is told to people, a line for each difference.
fn lines(comparison: &Comparison) -> Vec<String> {
    let Comparison { details, would_be_made, .. } = comparison;
    let mut lines = Vec::new();
    for it in &details.differences {
        lines.push(format!("reservation {}: {}", it.reservation, it.because));
    }
    for name in &details.unknown_reservations {
        lines.push(format!(
            "reservation {name}: Slurm has it, and it is none of ours; it is not removed (scontrol delete \
             ReservationName={name})"
        ));
    }
    for name in would_be_made.iter().flatten() {
        lines.push(format!("reservation {name}: would be made"));
    }
    lines
        .extend(details.nodes.unknown.iter().map(|name| format!("node {name}: only Slurm has it")));
    let missing = details.nodes.missing.iter();
    lines.extend(missing.map(|name| format!("node {name}: Slurm does not have it")));
    let renamed = details.nodes.renamed.iter();
    lines.extend(renamed.map(|it| format!("node {}: Slurm calls it {}", it.from, it.to)));
    let counts = &details.counts;
    lines.push(format!(
        "{} nodes that both have; reservations: {} in force, {} waiting, {} failed, {} lost",
        details.nodes.known, counts.in_force, counts.waiting, counts.failed, counts.lost
    ));
    lines
}
