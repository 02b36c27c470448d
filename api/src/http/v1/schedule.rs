//! `GET /api/v1/schedule`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::node_set::NodeSet;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use storage::Allocation;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::clock::Clock;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::book_views::BookViewService;
use crate::service::shared::{Cluster, ShownNodes, blocking};

/// Which span, and which nodes.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ScheduleQuery {
    /// RFC 3339; now unless given.
    pub from: Option<String>,
    /// RFC 3339; a day after `from` unless given.
    pub to: Option<String>,
    /// The first node's ordinal; 0 unless given. Other nodes are left out of the items.
    pub first_node: Option<u32>,
    /// The last node's ordinal; the cluster's last unless given.
    pub last_node: Option<u32>,
}

/// Who holds which nodes when.
#[derive(Serialize, ToSchema)]
pub struct ScheduleDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// By start.
    pub items: Vec<ScheduleItem>,
}

/// Nodes taken during a span.
#[derive(Serialize, ToSchema)]
pub struct ScheduleItem {
    /// The reservation.
    pub reservation_id: Uuid,
    /// The offer: a proposed reservation holds the nodes of each of its offers.
    pub offer_id: Uuid,
    /// Whose.
    pub owner: String,
    /// `proposed`, `confirmed`, `active` or `completed`.
    #[schema(example = "confirmed")]
    pub state: &'static str,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub start: Timestamp,
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub end: Timestamp,
    /// Which nodes.
    #[serde(flatten)]
    pub nodes: ShownNodes,
}

/// Who holds which nodes when
///
/// For users and operators.
#[utoipa::path(
    get,
    path = "/api/v1/schedule",
    tag = "book",
    params(ScheduleQuery),
    responses(
        (status = OK, body = ScheduleDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_schedule(
    State(book_views): State<Arc<BookViewService>>,
    State(clock): State<Clock>,
    _: By,
    Parameters(parameters): Parameters<ScheduleQuery>,
) -> Result<Json<ScheduleDocument>, Problem> {
    let span = query::span(parameters.from.as_deref(), parameters.to.as_deref(), clock.now())?;
    let named = parameters.first_node.is_some() || parameters.last_node.is_some();
    let nodes = query::nodes(parameters.first_node, parameters.last_node)?;
    let (cluster, mut allocations) = book_views.schedule(span).await?;
    let items = blocking(move || {
        if named {
            allocations.retain_mut(|allocation| {
                let order = &cluster.reference;
                let ranks = allocation.ranks.positions();
                let ranks = ranks.filter(|rank| nodes.contains(&order.ordinal(*rank)));
                allocation.ranks = NodeSet::from_positions(ranks);
                !allocation.ranks.is_empty()
            });
        }
        allocations.sort_by_key(|allocation| (allocation.span, allocation.offer_id));
        allocations.iter().map(|allocation| item(allocation, &cluster)).collect()
    })
    .await?;
    Ok(Json(ScheduleDocument { from: span.start(), to: span.end(), items }))
}

fn item(allocation: &Allocation, cluster: &Cluster) -> ScheduleItem {
    ScheduleItem {
        reservation_id: allocation.reservation_id.as_uuid(),
        offer_id: allocation.offer_id.as_uuid(),
        owner: allocation.owner.clone(),
        state: allocation.state.word(),
        start: allocation.span.start(),
        end: allocation.span.end(),
        nodes: cluster.show(&allocation.ranks),
    }
}
