//! `GET /api/v1/slurm`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::config::slurm::ManagerMode;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::resource_manager::{ManagerStatus, ManagerSummary, ResourceManagerService};

/// How the service and Slurm stand to each other.
#[derive(Serialize, ToSchema)]
#[schema(as = Slurm)]
pub struct ManagerDocument {
    /// `observe`, `drive`, or `none` where the settings have no `[slurm]`.
    #[schema(example = "drive")]
    pub mode: &'static str,
    /// Slurm's release, once it was asked.
    #[schema(example = "25.05.3")]
    pub version: Option<String>,
    /// `connected`, `unreachable`, `denied`, `refused`, `unsupported`, `unreadable`; `unknown` before it
    /// was asked, `absent` without `[slurm]`.
    #[schema(example = "connected")]
    pub state: &'static str,
    /// The rest, for operators.
    #[serde(flatten)]
    #[schema(value_type = ManagerDetails)]
    pub details: Option<ManagerDetails>,
}

/// What operators are told beside that; others are told nothing of it.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmDetails)]
pub struct ManagerDetails {
    /// The cluster's name, where it is known.
    pub cluster: Option<String>,
    /// By which way Slurm is read.
    #[schema(example = "slurmrestd v0.0.43")]
    pub reads_by: Option<String>,
    /// By which way it is changed; null where it cannot be.
    #[schema(example = "scontrol")]
    pub writes_by: Option<String>,
    /// What is wrong, and what helps; null where nothing is.
    pub because: Option<String>,
    /// When it answered last, RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_poll_at: Option<Timestamp>,
    /// How far its clock is ahead of this machine's, seconds.
    pub clock_difference_s: Option<i64>,
    /// Managed reservations that are not settled for good.
    #[schema(required = false)]
    pub counts: ManagedCounts,
    /// The nodes of both sides.
    #[schema(required = false)]
    pub nodes: ManagedNodes,
    /// Managed reservations that are not as they ought to be.
    #[schema(required = false)]
    pub differences: Vec<ManagedDifference>,
    /// Reservations there with names like ours that are not ours. They are never removed.
    #[schema(required = false)]
    pub unknown_reservations: Vec<String>,
    /// What others have of our nodes.
    #[schema(required = false)]
    pub occupied: OccupiedCounts,
}

/// How many managed reservations are in which state.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmCounts)]
pub struct ManagedCounts {
    /// That have yet to be made, or to be changed.
    pub waiting: usize,
    /// That are as they ought to be.
    pub in_force: usize,
    /// That were refused.
    pub failed: usize,
    /// That somebody removed.
    pub lost: usize,
}

/// The nodes of both sides compared.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmNodes)]
pub struct ManagedNodes {
    /// How many both sides have.
    pub known: usize,
    /// Names that only Slurm has.
    pub unknown: Vec<String>,
    /// Names that only the service has.
    pub missing: Vec<String>,
    /// Those that changed their name.
    pub renamed: Vec<RenamedNode>,
}

/// A node that changed its name.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmRenamedNode)]
pub struct RenamedNode {
    /// Its name here.
    pub from: String,
    /// Its name in Slurm.
    pub to: String,
}

/// A managed reservation that is not as it ought to be.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmDifference)]
pub struct ManagedDifference {
    /// Its name.
    pub reservation: String,
    /// How it differs, in words.
    pub because: String,
}

/// What others have of our nodes.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmOccupied)]
pub struct OccupiedCounts {
    /// Jobs of others that run on them.
    pub jobs: usize,
    /// Reservations of others that have some of them, now or later.
    pub reservations: usize,
    /// The nodes.
    pub nodes: u32,
}

/// How the service and Slurm stand to each other
///
/// For users, operators and suppliers; all but operators are told `mode`, `version` and `state` alone.
#[utoipa::path(
    get,
    path = "/api/v1/slurm",
    tag = "cluster",
    responses(
        (status = OK, body = ManagerDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_slurm(
    State(manager): State<Arc<ResourceManagerService>>,
    by: By,
) -> Result<Json<ManagerDocument>, Problem> {
    let (summary, details) = if by.caller.access().is_operator() {
        let status = manager.status().await?;
        let summary = ManagerSummary {
            mode: status.mode,
            version: status.version.clone(),
            state: status.state,
        };
        (summary, Some(ManagerDetails::from(status)))
    } else {
        (manager.summary().await, None)
    };
    let ManagerSummary { mode, version, state } = summary;
    let mode = match mode {
        None => "none",
        Some(ManagerMode::Observe) => "observe",
        Some(ManagerMode::Drive) => "drive",
    };
    Ok(Json(ManagerDocument { mode, version, state, details }))
}

impl From<ManagerStatus> for ManagerDetails {
    fn from(status: ManagerStatus) -> Self {
        let (jobs, reservations, nodes) = status.occupied;
        let renamed = status.nodes.renamed.into_iter();
        let differences = status.differences.into_iter();
        Self {
            cluster: status.cluster,
            reads_by: status.reads_by,
            writes_by: status.writes_by,
            because: status.because,
            last_poll_at: status.last_poll,
            clock_difference_s: status.clock_difference,
            counts: ManagedCounts {
                waiting: status.counts.waiting,
                in_force: status.counts.in_force,
                failed: status.counts.failed,
                lost: status.counts.lost,
            },
            nodes: ManagedNodes {
                known: status.nodes.known,
                unknown: status.nodes.unknown,
                missing: status.nodes.missing,
                renamed: renamed.map(|(from, to)| RenamedNode { from, to }).collect(),
            },
            differences: differences
                .map(|it| ManagedDifference { reservation: it.reservation, because: it.because })
                .collect(),
            unknown_reservations: status.unknown_reservations,
            occupied: OccupiedCounts { jobs, reservations, nodes },
        }
    }
}
