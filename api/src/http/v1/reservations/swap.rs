//! `POST /api/v1/reservations/{id}/swap`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use serde_json::value::RawValue;

use super::document::{ReservationDocument, tagged_change};
use super::release::names;
use super::schema::SwapDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, SwappedNodes};

/// Swaps nodes of a reservation for others
///
/// For its owner, operators and who may change the reservations of its project. Other nodes take the place of `nodes`, or
/// without a body of all of its nodes that are out of service, for what is left of it: the least-drawing that are free and
/// that its request admits. The others stay, and so do start, end and number; energy, cost and CO2 are those of the new nodes.
/// None is swapped on which a job runs. Where none is free, or the power cap leaves no room, the answer is 409 `no_other_nodes`
/// with `free_from`, when some will be; null where that is not before its end. The nodes that were given up are free for others
/// unless they are out of service.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/swap",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = Option<SwapDocument>,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "No other nodes are free, jobs run on the nodes, none is out of service, it is neither confirmed nor active, or the book kept changing"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = TOO_MANY_REQUESTS, body = Problem),
        (status = SERVICE_UNAVAILABLE, body = Problem),
    ),
)]
pub async fn swap_nodes(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: Option<JsonBody>,
) -> Result<Response, Problem> {
    let nodes = body.map_or(Ok(SwappedNodes::OutOfService), |body| body.read(nodes))?;
    let version = if_match(&headers)?;
    let swapped = booking.swap(by.caller.access(), id, &nodes, version).await?;
    tagged_change(&booking, &swapped).await
}

fn nodes(reader: &mut Reader, raw: &RawValue) -> Option<SwappedNodes> {
    let object = reader.object(raw, &["nodes"])?;
    let named = reader.optional(&object, "nodes", names)?;
    Some(named.map_or(SwappedNodes::OutOfService, SwappedNodes::Named))
}
