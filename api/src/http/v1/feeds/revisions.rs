//! `GET /api/v1/feeds/{id}/revisions`

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::document::FeedRevisionDocument;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::feeds::FeedService;
use crate::service::shared::cut_page;

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RevisionsQuery {
    /// At most so many, 1 to 1000; 100 unless given.
    pub limit: Option<u16>,
    /// `next_cursor` of the page before.
    pub cursor: Option<i64>,
}

/// A page of what a source said.
#[derive(Serialize, ToSchema)]
pub struct RevisionsPage {
    /// The newest first.
    pub items: Vec<FeedRevisionDocument>,
    /// For the next page; null on the last.
    pub next_cursor: Option<i64>,
}

/// What a source said, revision by revision, the newest first
///
/// For users, operators and suppliers. `api` is the source of what was put through the API.
#[utoipa::path(
    get,
    path = "/api/v1/feeds/{id}/revisions",
    tag = "grid",
    params(("id" = String, Path), RevisionsQuery),
    responses(
        (status = OK, body = RevisionsPage),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = NOT_FOUND, body = Problem),
    ),
)]
pub async fn list_feed_revisions(
    State(feeds): State<Arc<FeedService>>,
    _: By,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<RevisionsQuery>,
) -> Result<Json<RevisionsPage>, Problem> {
    let limit = query::limit(parameters.limit, 100, 1000)?;
    let found = feeds.feed_revisions(&id, parameters.cursor, limit + 1).await?;
    let mut found = found.ok_or_else(|| Problem::not_found("such feed"))?;
    let next_cursor = cut_page(&mut found, limit, |it| it.id.get());
    Ok(Json(RevisionsPage { items: found.into_iter().map(Into::into).collect(), next_cursor }))
}
