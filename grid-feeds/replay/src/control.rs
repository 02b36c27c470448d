//! Switches for a running supplier.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, put};
use planner::time::Timestamp;

use crate::Supplier;
use crate::fault::Fault;

pub(crate) fn routes(supplier: Supplier) -> Router {
    Router::new()
        .route("/control/clock/{now}", put(clock))
        .route("/control/rate/{rate}", put(rate))
        .route("/control/fault/{name}", put(fault))
        .route("/control/fault", delete(no_fault))
        .with_state(supplier)
}

async fn clock(State(supplier): State<Supplier>, Path(now): Path<String>) -> StatusCode {
    let Ok(now) = Timestamp::parse(&now) else { return StatusCode::BAD_REQUEST };
    supplier.set_now(now);
    StatusCode::NO_CONTENT
}

async fn rate(State(supplier): State<Supplier>, Path(rate): Path<f64>) -> StatusCode {
    if !rate.is_finite() || rate < 0.0 {
        return StatusCode::BAD_REQUEST;
    }
    supplier.set_rate(rate);
    StatusCode::NO_CONTENT
}

async fn fault(State(supplier): State<Supplier>, Path(name): Path<String>) -> StatusCode {
    let Some(fault) = Fault::parse(&name) else { return StatusCode::NOT_FOUND };
    supplier.set_fault(Some(fault));
    StatusCode::NO_CONTENT
}

async fn no_fault(State(supplier): State<Supplier>) -> StatusCode {
    supplier.set_fault(None);
    StatusCode::NO_CONTENT
}
