//! `POST /api/v1/reservations/{id}/release`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use serde_json::value::RawValue;

use super::document::{ReservationDocument, tagged_change};
use super::schema::ReleaseDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, GivenBack};

/// Ends an active reservation early, or gives back some of its nodes; they are free from now on
///
/// For its owner, operators and who may change the reservations of its project. Without a body, or with `{}`, all is given
/// back: the reservation is completed. `nodes` gives back so many, those without running jobs first and of these the
/// most-drawing, and `node_names` these; the others stay reserved, and the amounts of the offer are less by what the nodes
/// would have taken.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/release",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = Option<ReleaseDocument>,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It does not run, jobs run or wait in it and the site does not want that, or the book kept changing"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn release_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: Option<JsonBody>,
) -> Result<Response, Problem> {
    let given_back = body.map_or(Ok(GivenBack::All), |body| body.read(given_back))?;
    let version = if_match(&headers)?;
    let released = booking.release(by.caller.access(), id, &given_back, version).await?;
    tagged_change(&booking, &released).await
}

fn given_back(reader: &mut Reader, raw: &RawValue) -> Option<GivenBack> {
    let object = reader.object(raw, &["nodes", "node_names"])?;
    let nodes = reader.optional(&object, "nodes", count);
    let names = reader.optional(&object, "node_names", names);
    match (nodes?, names?) {
        (None, None) => Some(GivenBack::All),
        (Some(count), None) => Some(GivenBack::Count(count)),
        (None, Some(names)) => Some(GivenBack::Named(names)),
        (Some(_), Some(_)) => {
            reader.error("must not have both nodes and node_names");
            None
        }
    }
}

fn count(reader: &mut Reader, raw: &RawValue) -> Option<u32> {
    let count = u32::try_from(reader.whole_number(raw)?).ok().filter(|count| *count > 0);
    reader.accept(count.ok_or("must be a whole number of at least 1"))
}

pub(super) fn names(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Box<str>>> {
    let names = reader.array(raw, Reader::name)?;
    if names.is_empty() {
        reader.error("must name a node");
        return None;
    }
    Some(names)
}
