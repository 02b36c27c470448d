//! `GET /api/v1/series`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use storage::{SeriesFilter, SeriesId, SeriesState};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::document::SeriesDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::series::SeriesService;

/// Which series.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SeriesQuery {
    /// Only in these states, separated by commas.
    pub state: Option<String>,
    /// Only this owner's; for operators and who sees the reservations of projects, others see their own.
    pub owner: Option<String>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Uuid>,
    /// Series in a page, 1 to 1000; 20 unless given.
    pub limit: Option<u16>,
}

/// A page of series.
#[derive(Serialize, ToSchema)]
pub struct SeriesList {
    /// Oldest first, without their occurrences.
    pub items: Vec<SeriesDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<Uuid>,
}

/// Series, oldest first, without their occurrences
///
/// For users, who see their own and what their projects let them see, and operators, who see all.
#[utoipa::path(
    get,
    path = "/api/v1/series",
    tag = "planning",
    params(SeriesQuery),
    responses(
        (status = OK, body = SeriesList),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn list_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    Parameters(parameters): Parameters<SeriesQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<SeriesList>), Problem> {
    let limit = query::limit(parameters.limit, 20, 1000)?;
    let filter = SeriesFilter {
        states: query::words("state", parameters.state.as_deref(), SeriesState::from_word)?,
        owner: query::name("owner", parameters.owner)?,
        seen_by: None,
    };
    let note = by.caller.reads_reservations(filter.owner.as_deref(), &[]);
    let after = parameters.cursor.map(SeriesId::new);
    let page = series.list(by.caller.access(), filter, after, limit).await?;
    let items = page.series.iter().map(SeriesDocument::listed);
    let list = SeriesList {
        items: items.collect::<Result<_, _>>()?,
        next_cursor: page.next.map(SeriesId::as_uuid),
    };
    Ok((note, Json(list)))
}
