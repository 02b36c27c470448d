//! `POST /api/v1/calibrations/accept` and `POST /api/v1/calibrations/reject`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use planner::json::Reader;
use serde::Serialize;
use serde_json::value::RawValue;
use storage::EpochId;
use utoipa::ToSchema;

use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::recalibration::{DecidedProposals, RecalibrationService};

/// Which proposals are decided on. Read piece by piece.
#[derive(ToSchema)]
pub struct DecisionRequest {
    /// The nodes, by name; all for which something is proposed unless given.
    pub nodes: Option<Vec<String>>,
}

/// What was decided.
#[derive(Serialize, ToSchema)]
pub struct ProposalsDecided {
    /// The new calibration epoch; null where nothing was taken.
    pub epoch: Option<i64>,
    /// The nodes that were decided on.
    pub nodes: Vec<String>,
}

/// Takes the calibrations that are proposed for nodes
///
/// For operators. The nodes change together, in a new calibration epoch. What was promised stays: reservations keep their
/// nodes and their amounts. Where what is reserved and held would not fit under the cap any more nothing is taken.
#[utoipa::path(
    post,
    path = "/api/v1/calibrations/accept",
    tag = "cluster",
    request_body = DecisionRequest,
    responses(
        (status = OK, body = ProposalsDecided),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "`not_proposed`, `over_cap`, or the book kept changing"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn accept_calibrations(
    State(recalibration): State<Arc<RecalibrationService>>,
    _: By,
    body: JsonBody,
) -> Result<Json<ProposalsDecided>, Problem> {
    let NamedNodes(nodes) = body.read(named_nodes)?;
    Ok(Json(recalibration.accept(nodes.as_deref()).await?.into()))
}

/// Rejects the calibrations that are proposed for nodes
///
/// For operators. Nothing else is proposed for a node until what is measured has left what was rejected, too.
#[utoipa::path(
    post,
    path = "/api/v1/calibrations/reject",
    tag = "cluster",
    request_body = DecisionRequest,
    responses(
        (status = OK, body = ProposalsDecided),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = CONFLICT, body = Problem, description = "`not_proposed`"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn reject_calibrations(
    State(recalibration): State<Arc<RecalibrationService>>,
    _: By,
    body: JsonBody,
) -> Result<Json<ProposalsDecided>, Problem> {
    let NamedNodes(nodes) = body.read(named_nodes)?;
    Ok(Json(recalibration.reject(nodes.as_deref()).await?.into()))
}

/// The nodes of a body; `None` for all.
struct NamedNodes(Option<Vec<String>>);

fn named_nodes(reader: &mut Reader, raw: &RawValue) -> Option<NamedNodes> {
    let object = reader.object(raw, &["nodes"])?;
    let nodes = reader.optional(&object, "nodes", |reader, raw| reader.array(raw, Reader::name))?;
    Some(NamedNodes(nodes.map(|names| names.into_iter().map(String::from).collect())))
}

impl From<DecidedProposals> for ProposalsDecided {
    fn from(DecidedProposals { epoch, nodes }: DecidedProposals) -> Self {
        Self { epoch: epoch.map(EpochId::get), nodes }
    }
}
