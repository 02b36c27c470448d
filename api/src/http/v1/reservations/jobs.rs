//! `GET /api/v1/reservations/{id}/jobs`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::identity::ReservationId;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::managed::ManagedJobDocument;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::http::v1::path::IdInPath;
use crate::service::booking::BookingService;

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobsQuery {
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Jobs in a page, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
}

/// A page of jobs.
#[derive(Serialize, ToSchema)]
#[schema(as = SlurmJobsPage)]
pub struct JobsDocument {
    /// By submission.
    pub items: Vec<ManagedJobDocument>,
    /// Where the next page starts; null on the last.
    pub next_cursor: Option<String>,
}

/// The jobs that ran, run or wait in a reservation
///
/// For its owner, operators and who sees the reservations of its project; for others there is none. Those that Slurm told of,
/// and where there is accounting those that it knows of.
#[utoipa::path(
    get,
    path = "/api/v1/reservations/{id}/jobs",
    tag = "planning",
    params(("id" = uuid::Uuid, Path), JobsQuery),
    responses(
        (status = OK, body = JobsDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn list_jobs(
    State(booking): State<Arc<BookingService>>,
    by: By,
    IdInPath(id): IdInPath<ReservationId>,
    Parameters(parameters): Parameters<JobsQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<JobsDocument>), Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let after = parameters.cursor.map(|cursor| {
        job_behind(&cursor)
            .ok_or_else(|| Problem::invalid_parameter("cursor", "is not of a page of jobs"))
    });
    let page = booking.jobs_of(by.caller.access(), id, after.transpose()?, limit).await?;
    let cursor =
        |(submitted, id): (Timestamp, String)| format!("{}-{id}", submitted.as_unix_seconds());
    let document = JobsDocument {
        items: page.jobs.iter().map(ManagedJobDocument::from).collect(),
        next_cursor: page.next.map(cursor),
    };
    Ok((by.caller.reads(None), Json(document)))
}

/// The last job of a page by its cursor: seconds since the epoch of its submission, and its id.
fn job_behind(cursor: &str) -> Option<(Timestamp, String)> {
    let (submitted, id) = cursor.split_once('-')?;
    Some((Timestamp::from_unix_seconds(submitted.parse().ok()?), id.to_owned()))
}
