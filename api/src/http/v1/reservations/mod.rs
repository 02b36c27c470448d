//! `/api/v1/reservations`

pub mod cancel;
pub mod choose;
pub mod create;
pub mod document;
pub mod get;
pub mod list;
pub mod managed;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use planner::identity::ReservationId;
use uuid::Uuid;

use crate::http::problem::Problem;

/// The reservation in the path.
pub struct IdInPath(pub ReservationId);

impl<S: Send + Sync> FromRequestParts<S> for IdInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let text = path.map_or_else(|_| String::new(), |Path(text)| text);
        match text.parse::<Uuid>() {
            Ok(id) => Ok(Self(ReservationId::new(id))),
            Err(_) => Err(Problem::not_found(format!("reservation {text:?}"))),
        }
    }
}
