//! `POST /api/v1/reservations/{id}/share`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use planner::identity::ReservationId;
use planner::json::Reader;
use planner::json::reader::Object;
use planner::reservation::{Receiver, SharedRight};
use serde_json::value::RawValue;
use storage::SharingChange;

use super::document::{ReservationDocument, tagged_change};
use super::schema::SharingDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::if_match;
use crate::http::v1::path::IdInPath;
use crate::service::booking::{BookingService, PROJECTS, WITH};

/// Shares a reservation with others
///
/// For its owner, operators and who may change the reservations of its project, in every state but the final ones. `with`
/// names users whom the site knows, and `projects` projects, whose members it is shared with. They may `see` it, in lists,
/// calendars and events, and be told by mail; `use` it too: their jobs run in its reservation in Slurm; or `act` too: change,
/// extend, release and cancel it as its owner does. They neither share it further nor give it away. Shared again, they may
/// what is said last.
#[utoipa::path(
    post,
    path = "/api/v1/reservations/{id}/share",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header, description = "The ETag")),
    request_body = SharingDocument,
    responses(
        (status = OK, body = ReservationDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem, description = "Also where the site knows nobody of a name, or no such project"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It has ended"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
    ),
)]
pub async fn share_reservation(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let change = body.read(sharing)?;
    if let SharingChange::Share(receivers, _) = &change
        && let Some(actor) = &by.caller.actor
        && receivers.contains(&Receiver::User(actor.clone()))
    {
        let detail = "who acts for the owner shares nothing with themselves";
        return Err(Problem::invalid_parameter("X-Wattbook-For", detail));
    }
    let version = if_match(&headers)?;
    let changed = booking.change_sharing(by.caller.access(), id, &change, version).await?;
    tagged_change(&booking, &changed).await
}

fn sharing(reader: &mut Reader, raw: &RawValue) -> Option<SharingChange> {
    let object = reader.object(raw, &[WITH, PROJECTS, "may"])?;
    let receivers = receivers(reader, &object);
    let may = reader.required(&object, "may", |reader, raw| {
        let word = reader.string(raw)?;
        reader.accept(SharedRight::from_word(&word).ok_or("must be see, use or act"))
    });
    Some(SharingChange::Share(receivers?, may?))
}

/// The users and the projects that a body names: at least one.
pub(super) fn receivers(reader: &mut Reader, object: &Object<'_>) -> Option<Vec<Receiver>> {
    let names = |reader: &mut Reader, raw: &RawValue| reader.array(raw, Reader::name);
    let users = reader.optional(object, WITH, names);
    let projects = reader.optional(object, PROJECTS, names);
    let users = users?.unwrap_or_default().into_iter().map(|it| Receiver::User(it.into()));
    let projects = projects?.unwrap_or_default().into_iter().map(|it| Receiver::Project(it.into()));
    let receivers: Vec<Receiver> = users.chain(projects).collect();
    if receivers.is_empty() {
        reader.error("must name somebody, in with or in projects");
        return None;
    }
    Some(receivers)
}
