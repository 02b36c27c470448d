//! Liveness and readiness, open to everyone.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::App;
use super::problem::Problem;
use crate::clock::{Clock, ClockJump};
use crate::service::readiness::ReadinessService;

/// `/health/live` and `/health/ready`; `/health` is the latter.
pub fn router() -> Router<App> {
    Router::new()
        .route("/health", get(ready))
        .route("/health/live", get(async || Json(json!({ "status": "live" }))))
        .route("/health/ready", get(ready))
}

async fn ready(
    State(readiness): State<Arc<ReadinessService>>,
    State(clock): State<Clock>,
) -> Response {
    match readiness.ready().await {
        Ok(()) => Json(told(clock.jump())).into_response(),
        Err(error) => {
            let detail = error.to_string();
            tracing::warn!(error = format!("{:#}", anyhow::Error::new(error)), "not ready");
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", "Not ready", detail)
                .into_response()
        }
    }
}

/// That it is ready, and a jump of the clock that is doubted.
fn told(jump: Option<ClockJump>) -> Value {
    let Some(ClockJump { by_s, for_s }) = jump else { return json!({ "status": "ready" }) };
    json!({ "status": "ready", "clock": { "jumped_by_s": by_s, "for_s": for_s } })
}
