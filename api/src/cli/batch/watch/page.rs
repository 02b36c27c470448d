//! The live view as a page at an address of this computer, which asks again every second.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Json, Response};
use axum::routing::get;
use axum::{Router, serve as serve_routes};
use tokio::runtime::Builder;

use super::Watched;

const PAGE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// The page loads its own script and style, and asks this address alone.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
/// How often it is looked whether all is over.
const LOOKED: Duration = Duration::from_millis(50);

/// Serves until it is over, and says where.
pub fn serve(address: SocketAddr, watched: Arc<Watched>) -> anyhow::Result<JoinHandle<()>> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    // Nobody has to listen.
    let _ = writeln!(io::stderr(), "watch it at http://{address}/");
    Ok(thread::spawn(move || {
        runtime.block_on(async {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
            let routes = router(Arc::clone(&watched), address.ip());
            tokio::select! {
                _ = serve_routes(listener, routes) => {}
                () = ended(&watched) => {}
            }
        });
        // Open connections end with the run.
        runtime.shutdown_background();
    }))
}

async fn ended(watched: &Watched) {
    while !watched.is_over() {
        tokio::time::sleep(LOOKED).await;
    }
}

fn router(watched: Arc<Watched>, listening: IpAddr) -> Router {
    let of_kind = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/page.js", of_kind("text/javascript; charset=utf-8", SCRIPT))
        .route("/page.css", of_kind("text/css; charset=utf-8", STYLE))
        .route("/state.json", get(state))
        .with_state(watched)
        .layer(from_fn_with_state(listening, guard))
}

async fn state(State(watched): State<Arc<Watched>>) -> Response {
    Json(watched.read()).into_response()
}

/// Refuses requests for names that others may have given this address, and adds how a browser may treat answers.
async fn guard(State(listening): State<IpAddr>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let mut response = if listening.is_loopback() && !host.is_some_and(is_own) {
        (StatusCode::FORBIDDEN, "this address answers to localhost and 127.0.0.1 alone\n")
            .into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Whether a `Host` is this computer as it calls itself.
fn is_own(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn only_this_computer_is_its_own_host() {
        for host in ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:80", "127.0.0.1"] {
            assert!(is_own(host), "{host}");
        }
        for host in ["evil.example", "evil.example:80", "10.0.0.1:80", "localhost.evil.example", ""]
        {
            assert!(!is_own(host), "{host}");
        }
    }
}
