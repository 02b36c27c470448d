//! The web page: the files of `frontend/dist`, compressed when they were built, served from the
//! binary.
//!
//! `/` is asked for anew each time; everything under `/assets/` has its contents' hash in its name
//! and never changes. The page may load nothing from elsewhere.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use super::App;
use super::problem::Problem;

/// A file as it is sent.
struct File {
    /// The path, without the slash that it begins with.
    route: &'static str,
    plain: &'static [u8],
    brotli: &'static [u8],
    gzip: &'static [u8],
}

static FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/web_page_files.rs"));

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// `/` and `/assets/`.
pub fn router() -> Router<App> {
    Router::new()
        .route("/", get(async |headers: HeaderMap| index(&headers)))
        .route("/assets/{name}", get(asset))
}

fn index(headers: &HeaderMap) -> Response {
    let Some(file) = find("index.html") else {
        return Problem::not_found("such page").into_response();
    };
    let tag = format!("\"{}\"", hex::encode(&Sha256::digest(file.plain)[..8]));
    let known =
        headers.get(header::IF_NONE_MATCH).is_some_and(|it| it.as_bytes() == tag.as_bytes());
    let mut response =
        if known { StatusCode::NOT_MODIFIED.into_response() } else { file.response(headers) };
    let answer = response.headers_mut();
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    answer.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    response
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(file) = find(&format!("assets/{name}")) else {
        return Problem::not_found("such file; the page may have been updated: load it again")
            .into_response();
    };
    let mut response = file.response(&headers);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, forever);
    response
}

fn find(route: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.route == route)
}

impl File {
    /// The file in the smallest form that the client reads.
    fn response(&self, request: &HeaderMap) -> Response {
        let (encoding, bytes) = if accepts(request, "br") {
            (Some("br"), self.brotli)
        } else if accepts(request, "gzip") {
            (Some("gzip"), self.gzip)
        } else {
            (None, self.plain)
        };
        let mut response = bytes.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }

    fn kind(&self) -> &'static str {
        match self.route.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

/// Whether `Accept-Encoding` names an encoding without refusing it by `q=0`.
fn accepts(request: &HeaderMap, encoding: &str) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter();
    accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(
        |choice| {
            let mut parts = choice.split(';').map(str::trim);
            parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding))
                && !parts.any(|part| {
                    let quality = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
                    quality.and_then(|quality| quality.parse::<f32>().ok()) == Some(0.0)
                })
        },
    )
}
