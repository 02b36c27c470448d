//! The page at `/`.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use super::App;

const PAGE: &str = include_str!("../../../frontend/index.html");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; \
                      script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// `/`.
pub fn router() -> Router<App> {
    Router::new().route(
        "/",
        get(async || {
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, POLICY),
            ];
            (headers, PAGE).into_response()
        }),
    )
}
