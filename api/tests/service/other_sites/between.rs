//! A server between two sites: what the one asks is passed on to the other, or not, and what it answers is passed back, or something else.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};

use crate::server::PATIENCE;

/// What it does.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// It passes on.
    Pass,
    /// It takes connections and never answers.
    Nothing,
    /// Connections are refused as of a site that is down.
    CutOff,
    /// The other site does what it is asked on the paths that end so, and the answer is lost.
    LoseAnswers(&'static str),
    /// Costs in answers on paths that end so are multiplied.
    Multiply(&'static str, f64),
}

/// The server; it ends with the test.
#[derive(Clone)]
pub struct Between {
    pub address: SocketAddr,
    behind: String,
    does: Arc<Mutex<Does>>,
    http: reqwest::Client,
}

/// Connections, closed at once where the site is down.
struct Gate(TcpListener, Between);

impl axum::serve::Listener for Gate {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, from) = self.0.accept().await.unwrap();
            if self.1.does() != Does::CutOff {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Between {
    /// Before the site at an address.
    pub async fn before(behind: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().unwrap();
        let does = Arc::new(Mutex::new(Does::Pass));
        let between = Self { address, behind: format!("http://{behind}"), does, http };
        let app = axum::Router::new().fallback(pass).with_state(between.clone());
        tokio::spawn(axum::serve(Gate(listener, between.clone()), app).into_future());
        between
    }

    pub fn now(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }

    fn does(&self) -> Does {
        self.does.lock().unwrap().clone()
    }
}

async fn pass(State(between): State<Between>, request: Request) -> Response {
    let does = between.does();
    if does == Does::Nothing {
        tokio::time::sleep(Duration::from_hours(1)).await;
    }
    if does == Does::CutOff {
        // A connection that was kept from before.
        return broken();
    }
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut asked =
        between.http.request(parts.method, format!("{}{}", between.behind, parts.uri)).body(body);
    for name in ["content-type", "authorization", "idempotency-key", "x-wattbook-for"] {
        if let Some(value) = parts.headers.get(name) {
            asked = asked.header(name, value);
        }
    }
    let Ok(answer) = asked.send().await else { return broken() };
    let status = answer.status();
    let kind = answer.headers()["content-type"].clone();
    let bytes = answer.bytes().await.unwrap();
    let bytes = match does {
        Does::LoseAnswers(end) if path.ends_with(end) => return broken(),
        Does::Multiply(end, by) if path.ends_with(end) && status.is_success() => {
            let mut document: Value = serde_json::from_slice(&bytes).unwrap();
            multiply(&mut document, by);
            Bytes::from(document.to_string())
        }
        _ => bytes,
    };
    (status, [("content-type", kind)], bytes).into_response()
}

/// Multiplies every cost of a document.
fn multiply(document: &mut Value, by: f64) {
    match document {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_f64().filter(|_| name == "cost") {
                    Some(cost) => *value = Value::from(cost * by),
                    None => multiply(value, by),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| multiply(item, by)),
        _ => {}
    }
}

/// An answer that breaks off.
fn broken() -> Response {
    let stream = futures_util::stream::iter([
        Ok(Bytes::from_static(b"{")),
        Err(std::io::Error::other("cut off")),
    ]);
    (StatusCode::OK, [("content-length", "1000")], axum::body::Body::from_stream(stream))
        .into_response()
}
