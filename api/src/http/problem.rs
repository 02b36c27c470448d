//! Problem documents (RFC 9457) with a stable `code` and every error of the request.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use planner::json::JsonError;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::service::ServiceError;

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
}

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

    /// Something that does not exist, or that the caller may not know of.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        let detail = format!("There is no {what}.");
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// Whether a body was refused for its size and not for what it says.
    pub fn is_of_size(&self) -> bool {
        matches!(self.code, "body_too_large" | "too_many_bytes" | "overloaded")
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
        response
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        if let Some(problem) = Self::too_many(&error) {
            return problem;
        }
        let detail = error.to_string();
        let conflict = |code, title| Self::new(StatusCode::CONFLICT, code, title, detail.clone());
        match error {
            ServiceError::Invalid(errors) => {
                let placed =
                    |detail| PlacedError { pointer: Some(String::new()), place: None, detail };
                Self::invalid_body(errors.into_iter().map(placed).collect())
            }
            ServiceError::InvalidAt(errors) => Self::invalid_json(errors),
            ServiceError::NoSimulation(id) => Self::not_found(format!("simulation {id}")),
            ServiceError::NotFinished { .. } => conflict("not_finished", "Not finished"),
            ServiceError::SimulationQueueFull => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "simulation_queue_full",
                "Too many simulations are waiting",
                detail,
            )
            .retry_after(30),
            ServiceError::NoNegotiation(id) => Self::not_found(format!("negotiation {id}")),
            ServiceError::NoGrant(id) => Self::not_found(format!("grant {id}")),
            ServiceError::NotAsked(_) => conflict("not_asked", "Nothing is asked"),
            ServiceError::NoGain { .. } => conflict("no_gain", "Not worth moving"),
            ServiceError::NoOutage(id) => Self::not_found(format!("outage {id}")),
            ServiceError::NoReservation(id) => Self::not_found(format!("reservation {id}")),
            ServiceError::Impossible(decision) | ServiceError::NotNegotiated(decision) => {
                Self::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "impossible",
                    "The reservation is not possible",
                    detail,
                )
                .with(decision.as_ref())
            }
            ServiceError::OffersExpired(decision) => {
                conflict("offers_expired", "The offers have expired").with(decision.as_ref())
            }
            ServiceError::OfferChanged { decision, .. } => {
                let problem = conflict("offer_changed", "The offer is not what was expected");
                match decision {
                    Some(decision) => problem.with(decision.as_ref()),
                    None => problem,
                }
            }
            ServiceError::Busy => conflict("book_changed", "The book kept changing").retry_after(1),
            ServiceError::WrongState { .. } | ServiceError::SimulationEnded { .. } => {
                conflict("wrong_state", "Not in this state")
            }
            ServiceError::NodesInUse { .. } => conflict("nodes_in_use", "Nodes are in use"),
            ServiceError::IdempotencyKeyReused => {
                conflict("idempotency_key_reused", "The idempotency key was used before")
            }
            ServiceError::UnknownOffer => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "unknown_offer",
                "No such offer",
                detail,
            ),
            ServiceError::VersionMismatch => Self::new(
                StatusCode::PRECONDITION_FAILED,
                "version_mismatch",
                "Changed since it was read",
                detail,
            ),
            ServiceError::Overloaded => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "Too many plans are waiting",
                detail,
            )
            .retry_after(1),
            ServiceError::TooManyWatchers => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "Too many are watching",
                detail,
            )
            .retry_after(30),
            ServiceError::TimeLimit => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "time_limit",
                "Planning took too long",
                detail,
            )
            .retry_after(5),
            ServiceError::Unavailable(source) => {
                tracing::warn!(error = format!("{:#}", anyhow::Error::from(source)), "no database");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "unavailable",
                    "The database is unavailable",
                    detail,
                )
                .retry_after(1)
            }
            ServiceError::Internal(source) => Self::internal(&source),
            // Told above.
            error => Self::internal(&error.into()),
        }
    }
}

impl Problem {
    /// What a caller is told who has as much as one may have; `None` for other errors.
    fn too_many(error: &ServiceError) -> Option<Self> {
        let (code, title, retry_after_s) = match error {
            ServiceError::TooManyStreams(_) => ("too_many_streams", "Too many streams", 30),
            ServiceError::TooManyPlans => ("too_many_plans", "Too many plans", 1),
            ServiceError::TooManySimulations(_) => {
                ("too_many_simulations", "Too many simulations", 30)
            }
            ServiceError::TooManyHolds { retry_after_s, .. }
            | ServiceError::TooMuchHeld { retry_after_s, .. } => {
                ("too_many_holds", "Too much is held", *retry_after_s)
            }
            _ => return None,
        };
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, code, title, error.to_string());
        Some(problem.retry_after(retry_after_s))
    }

    /// Says when trying again may help.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
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
