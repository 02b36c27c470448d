//! `/api/v1/negotiations`

pub mod answer;
pub mod document;
pub mod get;
pub mod list;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use planner::identity::NegotiationId;
use uuid::Uuid;

use crate::http::problem::Problem;

/// The negotiation in the path.
pub struct NegotiationInPath(pub NegotiationId);

impl<S: Send + Sync> FromRequestParts<S> for NegotiationInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let text = path.map_or_else(|_| String::new(), |Path(text)| text);
        match text.parse::<Uuid>() {
            Ok(id) => Ok(Self(NegotiationId::new(id))),
            Err(_) => Err(Problem::not_found(format!("negotiation {text:?}"))),
        }
    }
}
