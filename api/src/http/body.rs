//! Bodies: JSON or, where an endpoint takes tables, CSV. Every error is a problem document.

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use grid_feeds::table::TableError;
use planner::json::{JsonError, Reader, read};
use serde_json::value::RawValue;

use super::problem::{PlacedError, Problem};

/// A body's text and what it is.
pub enum Body {
    /// `application/json`.
    Json(String),
    /// `text/csv`.
    Csv(String),
}

/// A body that must be JSON.
pub struct JsonBody(String);

impl JsonBody {
    /// Reads the whole body.
    ///
    /// # Errors
    /// A problem with every error in it.
    pub fn read<T>(
        &self,
        part: impl FnOnce(&mut Reader, &RawValue) -> Option<T>,
    ) -> Result<T, Problem> {
        read(&self.0, part).map_err(Problem::invalid_json)
    }

    /// The text as received.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Body {
    /// Reads the whole body by the reader of its kind.
    ///
    /// # Errors
    /// A problem with every error in it.
    pub fn read<T>(
        &self,
        json: impl FnOnce(&str) -> Result<T, Vec<JsonError>>,
        csv: impl FnOnce(&str) -> Result<T, Vec<TableError>>,
    ) -> Result<T, Problem> {
        match self {
            Self::Json(text) => json(text).map_err(Problem::invalid_json),
            Self::Csv(text) => csv(text).map_err(invalid_table),
        }
    }
}

fn invalid_table(errors: Vec<TableError>) -> Problem {
    let placed = |error: TableError| {
        let place = match &error.column {
            Some(column) => format!("line {}, {column}", error.line),
            None => format!("line {}", error.line),
        };
        PlacedError { pointer: None, place: Some(place), detail: error.message }
    };
    Problem::invalid_body(errors.into_iter().map(placed).collect())
}

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = (request.headers().get(header::CONTENT_TYPE))
            .and_then(|value| value.to_str().ok())
            .map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let variant = match kind.as_deref() {
            Some("application/json") => Self::Json,
            Some("text/csv") => Self::Csv,
            _ => return Err(unsupported("application/json or text/csv")),
        };
        let text =
            String::from_request(request, state).await.map_err(|rejection| {
                match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
                        StatusCode::PAYLOAD_TOO_LARGE,
                        "body_too_large",
                        "The body is too large",
                        "The body is larger than this endpoint accepts.",
                    ),
                    _ => Problem::invalid_body(vec![PlacedError {
                        pointer: Some(String::new()),
                        place: None,
                        detail: "is not text in UTF-8".to_owned(),
                    }]),
                }
            })?;
        Ok(variant(text))
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Body::from_request(request, state).await? {
            Body::Json(text) => Ok(Self(text)),
            Body::Csv(_) => Err(unsupported("application/json")),
        }
    }
}

fn unsupported(accepted: &str) -> Problem {
    Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "Unsupported media type",
        format!("The Content-Type must be {accepted}."),
    )
}
