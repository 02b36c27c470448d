//! The OpenAPI document and a page to browse it, both served from the binary.

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::App;

/// `/api/openapi.json` and `/api/docs`.
pub fn router(document: Value) -> Router<App> {
    let document = Arc::new(document);
    let document = get(async move || Json(document.as_ref().clone()));
    let page = SwaggerUi::new("/api/docs")
        .config(Config::from("/api/openapi.json").validator_url("none").try_it_out_enabled(true));
    Router::new().route("/api/openapi.json", document).merge(page)
}
