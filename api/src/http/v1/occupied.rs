//! `GET /api/v1/slurm/occupied`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::OutageId;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::Outage;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::cluster::ClusterService;
use crate::service::shared::{ShownNodes, SiteState, blocking};

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OccupiedQuery {
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Entries in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of what occupies nodes.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmOccupiedPage)]
pub struct OccupiedPage {
    /// As they were seen first.
    pub items: Vec<OccupiedDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// What occupies nodes for a time.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmOccupant)]
pub struct OccupiedDocument {
    /// `job` and its id, or `reservation` and its name; `refused` and a reservation of ours that Slurm did not
    /// give the nodes to.
    #[schema(example = "job 1234")]
    pub by: String,
    /// In words, for people.
    #[schema(example = "job 1234 of alice runs there until 2026-11-23T12:00:00Z")]
    pub because: String,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339; null where the end is not known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub end: Option<Timestamp>,
    /// How many nodes.
    pub node_count: u32,
    /// Which nodes.
    #[serde(flatten)]
    pub nodes: ShownNodes,
}

impl OccupiedDocument {
    fn new(outage: &Outage, state: &SiteState) -> Self {
        let key = outage.managed_key.as_deref().unwrap_or_default();
        // Behind a reservation's name may stand the start of one of its repetitions.
        let by: Vec<&str> = key.splitn(3, ' ').take(2).collect();
        Self {
            by: by.join(" "),
            because: outage.reason.clone(),
            start: outage.start,
            end: outage.end,
            node_count: outage.ranks.count(),
            nodes: state.cluster.show(&outage.ranks),
        }
    }
}

/// Which jobs and reservations of others in Slurm occupy which nodes
///
/// For operators.
#[utoipa::path(
    get,
    path = "/api/v1/slurm/occupied",
    tag = "cluster",
    params(OccupiedQuery),
    responses(
        (status = OK, body = OccupiedPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_occupied(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    Parameters(parameters): Parameters<OccupiedQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<OccupiedPage>), Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let after = parameters.cursor.map(OutageId::new);
    let (occupied, next) = cluster.occupied(after, limit, by.state);
    let items = blocking(move || {
        let current = occupied.list.iter().filter(|it| Some(it.epoch) == occupied.state.epoch());
        current.map(|it| OccupiedDocument::new(it, &occupied.state)).collect()
    });
    let page = OccupiedPage { items: items.await?, next_cursor: next.map(OutageId::as_uuid) };
    Ok((by.caller.reads(None), Json(page)))
}
