//! `DELETE /api/v1/series/{id}`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use storage::SeriesId;
use utoipa::IntoParams;

use super::document::{SeriesDocument, tagged_change};
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{Parameters, if_match};
use crate::http::v1::path::IdInPath;
use crate::service::series::SeriesService;

/// What becomes of an occurrence that runs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EndSeriesQuery {
    /// `keep`, as unless given, or `release`: it is given back.
    pub running: Option<String>,
}

/// Ends a series: what has not begun is cancelled
///
/// For its owner, operators and who may change the reservations of its project. What runs goes on, unless `running` is
/// `release`.
#[utoipa::path(
    delete,
    path = "/api/v1/series/{id}",
    tag = "planning",
    params(
        ("id" = uuid::Uuid, Path),
        ("If-Match" = Option<String>, Header, description = "The ETag"),
        EndSeriesQuery,
    ),
    responses(
        (status = OK, body = SeriesDocument, headers(("ETag" = String))),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
        (status = CONFLICT, body = Problem, description = "It is over already"),
        (status = PRECONDITION_FAILED, body = Problem, description = "Changed since it was read"),
    ),
)]
pub async fn end_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    IdInPath(id): IdInPath<SeriesId>,
    Parameters(parameters): Parameters<EndSeriesQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let releases = match parameters.running.as_deref() {
        None | Some("keep") => false,
        Some("release") => true,
        Some(_) => {
            return Err(Problem::invalid_parameter("running", "must be keep or release"));
        }
    };
    let version = if_match(&headers)?;
    let access = by.caller.access();
    let before = series.stored(access, id).await?;
    tagged_change(&series.end(access, id, releases, version).await?, &before)
}
