//! `/api/v1/simulations`

pub mod cancel;
pub mod create;
pub mod document;
pub mod events;
pub mod get;
pub mod list;
pub mod remove;
pub mod result;
pub mod schema;
mod stored;

use std::collections::HashMap;

use axum::Extension;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use storage::SimulationId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::http::App;
use crate::http::body::MaxBody;
use crate::http::problem::Problem;

/// The largest experiment with its tables.
const MAX_EXPERIMENT_BYTES: usize = 32 << 20;

/// The routes.
pub fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create::create_simulation, list::list_simulations))
        .layer(Extension(MaxBody::Bytes(MAX_EXPERIMENT_BYTES)))
        .routes(routes!(get::get_simulation, remove::remove_simulation))
        .routes(routes!(cancel::cancel_simulation))
        .routes(routes!(events::watch_simulation))
        .routes(routes!(result::get_result))
}

/// The simulation in the path.
pub struct IdInPath(pub SimulationId);

/// The result in the path, as it was written.
pub struct ResultInPath(pub String);

async fn part<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> String {
    let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
    let found = path.ok().and_then(|Path(mut path)| path.remove(name));
    found.unwrap_or_default()
}

impl<S: Send + Sync> FromRequestParts<S> for IdInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = part(parts, state, "id").await;
        match text.parse::<Uuid>() {
            Ok(id) => Ok(Self(SimulationId::new(id))),
            Err(_) => Err(Problem::not_found(format!("simulation {text:?}"))),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ResultInPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(Self(part(parts, state, "result").await))
    }
}
