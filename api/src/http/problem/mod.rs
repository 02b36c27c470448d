//! Problem documents (RFC 9457) with a stable `code` and every error of the request; each service's
//! errors as problems in a file of its own.

mod agendas;
mod book_views;
mod booking;
mod calendar;
mod cluster;
mod dialogue;
mod events;
mod ledger;
mod notifications;
mod other_sites;
mod power_management;
mod projects;
mod quotas;
mod recalibration;
mod series;
mod shared;
mod sign_in;
mod simulations;
mod start_predictions;
mod tokens;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use planner::json::JsonError;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A problem as sent: `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// `urn:wattbook:problem:` and the code.
    #[schema(example = "urn:wattbook:problem:invalid_body")]
    r#type: String,
    /// The code in words.
    title: &'static str,
    /// The HTTP status.
    #[schema(value_type = u16)]
    #[serde(serialize_with = "status_number")]
    status: StatusCode,
    /// A stable word for programs.
    #[schema(example = "invalid_body")]
    code: &'static str,
    /// What happened and the way out.
    detail: String,
    /// Every error found, each with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<PlacedError>,
    /// More members, by problem: `reasons` for an impossible request, fresh `offers` for a late
    /// choice.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    extensions: Box<Map<String, Value>>,
    #[serde(skip)]
    retry_after_s: Option<u32>,
    /// The limit that was reached, for monitors.
    #[serde(skip)]
    limit: Option<&'static str>,
}

/// The code of a problem; it goes with the response.
#[derive(Clone, Copy, Debug)]
pub struct ProblemCode(pub &'static str);

/// One error and its place.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlacedError {
    /// JSON pointer (RFC 6901) into the body; empty for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Query parameter, header or line of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// In words.
    pub detail: String,
}

impl Problem {
    /// A problem of this status and code.
    pub fn new(
        status: StatusCode,
        code: &'static str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            r#type: format!("urn:wattbook:problem:{code}"),
            title,
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            extensions: Box::default(),
            retry_after_s: None,
            limit: None,
        }
    }

    /// A body with errors.
    pub fn invalid_body(errors: Vec<PlacedError>) -> Self {
        let detail = match errors.len() {
            1 => "The body has an error; nothing was changed.".to_owned(),
            count => format!("The body has {count} errors; nothing was changed."),
        };
        let title = "The body is not valid";
        Self { errors, ..Self::new(StatusCode::BAD_REQUEST, "invalid_body", title, detail) }
    }

    /// A body with one error in what it says as a whole.
    fn contradicting(detail: impl Into<String>) -> Self {
        Self::contradicting_all(vec![detail.into()])
    }

    /// A body with errors in what it says as a whole.
    fn contradicting_all(details: Vec<String>) -> Self {
        let placed = |detail| PlacedError { pointer: Some(String::new()), place: None, detail };
        Self::invalid_body(details.into_iter().map(placed).collect())
    }

    /// Something that does not go with what there is.
    fn conflict(code: &'static str, title: &'static str, error: &impl std::error::Error) -> Self {
        Self::new(StatusCode::CONFLICT, code, title, error.to_string())
    }

    /// Others changed the book at each try.
    fn book_changed(error: &impl std::error::Error) -> Self {
        Self::conflict("book_changed", "The book kept changing", error).retry_after(1)
    }

    /// Something that the service has no room for now.
    fn busy(
        code: &'static str,
        title: &'static str,
        error: &impl std::error::Error,
        retry_after_s: u32,
    ) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, code, title, error.to_string()).retry_after(retry_after_s)
    }

    /// Something of which the caller has as much as one may have.
    fn too_many(
        code: &'static str,
        title: &'static str,
        error: &impl std::error::Error,
        retry_after_s: u32,
    ) -> Self {
        let status = StatusCode::TOO_MANY_REQUESTS;
        Self::new(status, code, title, error.to_string()).retry_after(retry_after_s)
    }

    /// A JSON body with errors.
    pub fn invalid_json(errors: Vec<JsonError>) -> Self {
        let placed = |error: JsonError| PlacedError {
            pointer: Some(error.pointer),
            place: None,
            detail: error.message,
        };
        Self::invalid_body(errors.into_iter().map(placed).collect())
    }

    /// A query parameter or header with an error.
    pub fn invalid_parameter(place: impl Into<String>, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        let error = PlacedError { pointer: None, place: Some(place.into()), detail };
        let title = "A parameter is not valid";
        let text = "A query parameter or header has an error; nothing was changed.";
        Self {
            errors: vec![error],
            ..Self::new(StatusCode::BAD_REQUEST, "invalid_parameter", title, text)
        }
    }

    /// Nobody knows who calls.
    pub fn unauthorised(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorised", "Who are you?", detail)
    }

    /// Something that does not exist, or that the caller may not know of.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        let detail = format!("There is no {what}.");
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// Whether a body was refused for its size and not for what it says.
    pub fn is_of_size(&self) -> bool {
        matches!(self.code, "body_too_large" | "too_many_bytes" | "overloaded")
    }

    /// Says where in the body it is.
    #[must_use]
    fn at(mut self, pointer: &'static str) -> Self {
        let (pointer, detail) = (Some(pointer.to_owned()), self.detail.clone());
        self.errors.push(PlacedError { pointer, place: None, detail });
        self
    }

    /// Adds the members of an object to the document.
    #[must_use]
    pub fn with(mut self, members: &impl Serialize) -> Self {
        if let Ok(Value::Object(members)) = serde_json::to_value(members) {
            self.extensions.extend(members);
        }
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn status_number<S: serde::Serializer>(status: &StatusCode, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u16(status.as_u16())
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(ProblemCode(self.code));
        if let Some(limit) = self.limit {
            metrics::counter!("wattbook_refused_total", "limit" => limit).increment(1);
        }
        response
    }
}

impl Problem {
    /// Says when trying again may help.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Says which limit was reached, as the settings name it; it is counted when this is answered.
    #[must_use]
    pub fn of_limit(self, limit: &'static str) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Our own failure: the chain goes to the log once, the caller gets a reference to it.
    fn internal(error: &anyhow::Error) -> Self {
        let reference = uuid::Uuid::now_v7();
        tracing::error!(%reference, error = format!("{error:#}"), "request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The service failed",
            format!("This is a fault of the service; its log has it under {reference}."),
        )
    }
}
