//! Errors as the SDK answers them: its exceptions as problem details, and those of its framework.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http::problem::Problem;
use crate::service::shared::Fault;

/// Where RFC 9110 describes status 400; what the framework calls a body or parameter of wrong form.
const BAD_REQUEST: &str = "https://tools.ietf.org/html/rfc9110#section-15.5.1";

/// Why a request is not answered.
pub enum SdkError {
    /// In the SDK's shape.
    Details(Box<Details>),
    /// One of ours: no token, no database.
    Problem(Box<Problem>),
}

/// Problem details as the SDK writes them.
#[derive(Debug, Serialize)]
pub struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    title: &'static str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Messages by parameter.
    errors: BTreeMap<String, Vec<String>>,
}

impl SdkError {
    /// A parameter that can be read and makes no sense.
    pub fn argument(detail: impl Into<String>) -> Self {
        Self::details(StatusCode::BAD_REQUEST, "ArgumentException", Some(detail.into()), vec![])
    }

    /// Parameters that are missing or contradict each other.
    pub fn parameters(errors: Vec<(&'static str, String)>) -> Self {
        let detail = Some("Invalid parameters".to_owned());
        Self::details(StatusCode::BAD_REQUEST, "ArgumentException", detail, owned(errors))
    }

    /// Bounds that the forecast does not have.
    pub fn forecast(errors: Vec<(&'static str, String)>) -> Self {
        let detail = Some("Invalid EmissionsForecast".to_owned());
        Self::details(StatusCode::BAD_REQUEST, "ArgumentException", detail, owned(errors))
    }

    /// There is no forecast.
    pub fn no_forecast() -> Self {
        let detail = Some("There is no CO2 agenda for the time to come.".to_owned());
        Self::details(StatusCode::NOT_IMPLEMENTED, "NotImplementedException", detail, vec![])
    }

    /// What cannot be read, by the place in the query or body.
    pub fn unreadable(errors: Vec<(String, String)>) -> Self {
        let title = "One or more validation errors occurred.";
        let mut refusal = Self::details(StatusCode::BAD_REQUEST, title, None, errors);
        if let Self::Details(details) = &mut refusal {
            details.r#type = Some(BAD_REQUEST);
        }
        refusal
    }

    fn details(
        status: StatusCode,
        title: &'static str,
        detail: Option<String>,
        messages: Vec<(String, String)>,
    ) -> Self {
        let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (place, message) in messages {
            errors.entry(place).or_default().push(message);
        }
        Self::Details(Box::new(Details {
            r#type: None,
            title,
            status: status.as_u16(),
            detail,
            errors,
        }))
    }
}

fn owned(errors: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    errors.into_iter().map(|(place, message)| (place.to_owned(), message)).collect()
}

impl From<Fault> for SdkError {
    fn from(error: Fault) -> Self {
        Self::Problem(Box::new(error.into()))
    }
}

impl IntoResponse for SdkError {
    fn into_response(self) -> Response {
        let details = match self {
            Self::Problem(problem) => return problem.into_response(),
            Self::Details(details) => details,
        };
        let status = StatusCode::from_u16(details.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = (status, Json(details)).into_response();
        let kind = HeaderValue::from_static("application/problem+json; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }
}
