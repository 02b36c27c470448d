//! `GET /api/v1/reservations`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::ReservationId;
use planner::reservation::{Reservation, ReservationState};
use serde::{Deserialize, Serialize};
use storage::{Filter, SeriesId, StorageError};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::ReservationDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters, instant};
use crate::service::booking::{BookingService, JOBS_OF_EACH};
use crate::service::shared::Fault;

/// Which reservations.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReservationsQuery {
    /// Only in these states, separated by commas.
    pub state: Option<String>,
    /// Only this owner's, of those that the caller sees.
    pub owner: Option<String>,
    /// Only those of this project.
    pub project: Option<String>,
    /// Only occurrences of this series.
    pub series: Option<Uuid>,
    /// Only those that touch the time from here, RFC 3339 ...
    pub from: Option<String>,
    /// ... to here.
    pub to: Option<String>,
    /// Whether the newest come first, and `next_cursor` leads to older ones; the oldest unless given.
    pub newest: Option<bool>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Reservations in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of reservations.
#[derive(Serialize, ToSchema)]
pub struct ReservationsPage {
    /// Oldest first, or newest first where that is asked for.
    pub items: Vec<ReservationDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Reservations, oldest or newest first
///
/// For users, who see their own, what their projects let them see and what is shared with them, and operators, who see all.
#[utoipa::path(
    get,
    path = "/api/v1/reservations",
    tag = "planning",
    params(ReservationsQuery),
    responses(
        (status = OK, body = ReservationsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_reservations(
    State(booking): State<Arc<BookingService>>,
    by: By,
    Parameters(parameters): Parameters<ReservationsQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<ReservationsPage>), Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let filter = Filter {
        states: query::words("state", parameters.state.as_deref(), ReservationState::from_word)?,
        from: instant("from", parameters.from.as_deref())?,
        to: instant("to", parameters.to.as_deref())?,
        owner: query::name("owner", parameters.owner)?,
        project: query::name("project", parameters.project)?,
        series: parameters.series.map(SeriesId::new),
        seen_by: None,
        newest: parameters.newest.unwrap_or_default(),
    };
    let whose = filter.owner.clone();
    let after = parameters.cursor.map(ReservationId::new);
    let page = booking.reservations(by.caller.access(), filter, after, limit).await?;
    let note = by.caller.reads_reservations(whose.as_deref(), &page.reservations);
    let expected = booking.expected_of(&page.reservations).await?;
    let managed = booking.managed_of(&page.reservations, JOBS_OF_EACH).await?;
    let occurrences = booking.occurrences_of(&page.reservations).await?;
    let document = |it: &Reservation| {
        let (expected, managed) = (expected.get(&it.id), managed.get(&it.id));
        ReservationDocument::new(it, expected, managed, occurrences.get(&it.id))
    };
    let items: Result<_, StorageError> = page.reservations.iter().map(document).collect();
    let page = ReservationsPage {
        items: items.map_err(Fault::from)?,
        next_cursor: page.next.map(ReservationId::as_uuid),
    };
    Ok((note, Json(page)))
}
