//! `GET /api/v1/schedule`

use axum::Json;
use axum::extract::State;
use planner::time::Timestamp;
use serde::Serialize;
use storage::Allocation;
use utoipa::ToSchema;
use uuid::Uuid;

use super::power_profile::SpanQuery;
use crate::http::App;
use crate::http::caller::{Bookers, By};
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::{Cluster, ShownNodes, blocking};

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
    params(SpanQuery),
    responses(
        (status = OK, body = ScheduleDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_schedule(
    State(app): State<App>,
    _: By<Bookers>,
    Parameters(parameters): Parameters<SpanQuery>,
) -> Result<Json<ScheduleDocument>, Problem> {
    let span =
        query::span(parameters.from.as_deref(), parameters.to.as_deref(), app.service.now())?;
    let (cluster, mut allocations) = app.service.schedule(span).await?;
    let items = blocking(move || {
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
