//! `POST /api/v1/series`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::document::{SeriesDocument, tagged};
use super::schema::NewSeriesDocument;
use crate::http::body::JsonBody;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::idempotency_key;
use crate::service::series::{MadeSeries, SeriesService};

/// Makes a series: a request that recurs, each occurrence booked within its own window
///
/// For users and operators. Occurrences whose windows are known by the agendas are booked before the answer, each by the
/// best start by `choose`; the others as soon as their windows are known. Sent again with the same `Idempotency-Key` it
/// answers with the series made the first time.
#[utoipa::path(
    post,
    path = "/api/v1/series",
    tag = "planning",
    params(("Idempotency-Key" = Option<String>, Header, description = "1 to 255 characters")),
    request_body = NewSeriesDocument,
    responses(
        (status = CREATED, body = SeriesDocument, headers(("ETag" = String), ("Location" = String))),
        (status = OK, body = SeriesDocument, description = "Made before with this key"),
        (status = BAD_REQUEST, body = Problem, description = "With every error; a rule that never ends, or has too many occurrences, is one"),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem, description = "Not in the project, or a priority above 0"),
        (status = CONFLICT, body = Problem, description = "The key was used for another request"),
        (status = PAYLOAD_TOO_LARGE, body = Problem),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem),
        (status = UNPROCESSABLE_ENTITY, body = Problem, description = "An occurrence is impossible and `where_impossible` is `refuse`, or the site wants to know the project"),
        (status = TOO_MANY_REQUESTS, body = Problem, description = "The caller has too many series that run"),
        (status = SERVICE_UNAVAILABLE, body = Problem, description = "Overloaded; see Retry-After"),
    ),
)]
pub async fn create_series(
    State(series): State<Arc<SeriesService>>,
    by: By,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let key = idempotency_key(&headers, body.text())?;
    let access = by.caller.access();
    // First of all: what was answered once is answered again, even when its window has passed.
    let made = if let Some(before) = series.made_before(access.owner, key.as_ref()).await? {
        before
    } else {
        let asked = body.read(|reader, raw| series.read_series(reader, raw, &by.state, None))?;
        series.make(access, asked, key.as_ref()).await?
    };
    let (status, id) = match made {
        MadeSeries::New(id) => (StatusCode::CREATED, id),
        MadeSeries::Before(id) => (StatusCode::OK, id),
    };
    let mut response = tagged(&series.series(access, id).await?)?;
    *response.status_mut() = status;
    if let Ok(location) = HeaderValue::from_str(&format!("/api/v1/series/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}
