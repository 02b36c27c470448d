//! `PUT /api/v1/nodes`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::super::schema::NodesDocument;
use crate::http::audit::AuditNote;
use crate::http::body::Body;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::cluster::ClusterService;
use crate::service::shared::blocking;

/// What a put of nodes did.
#[derive(Serialize, ToSchema)]
pub struct NodesPut {
    /// The new calibration epoch.
    pub epoch: i64,
    /// How many nodes there are now.
    pub count: u32,
}

/// Replaces the cluster's nodes
///
/// For operators. JSON (a list of nodes, or `{"classes": [...]}`) or CSV with the columns `name`,
/// `idle_power_w`, `max_power_w`, `alpha`, `partitions` and `features`, the last two with `;` between
/// names. Reservations to come are carried over by node name;
/// a node that one of them holds cannot vanish.
#[utoipa::path(
    put,
    path = "/api/v1/nodes",
    tag = "cluster",
    request_body(content((NodesDocument = "application/json"), (String = "text/csv"))),
    responses(
        (status = OK, body = NodesPut),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "A node to be removed is booked"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn put_nodes(
    State(cluster): State<Arc<ClusterService>>,
    by: By,
    body: Body,
) -> Result<(Extension<AuditNote>, Json<NodesPut>), Problem> {
    // A million nodes take a second to read: not on an async thread.
    let nodes = blocking(move || {
        body.read(|text| json::read(text, json::nodes::inline), grid_feeds::table::nodes)
    })
    .await??;
    let count = nodes.count();
    let epoch = cluster.put_nodes(nodes).await?;
    let before = by
        .state
        .epoch()
        .map(|epoch| json!({ "epoch": epoch.get(), "count": by.state.cluster.nodes.count() }));
    let put = NodesPut { epoch: epoch.get(), count };
    let note = AuditNote::of_change(before, Some(json!(put)));
    Ok((Extension(note), Json(put)))
}
