//! A server that answers what it is told, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A status and a body.
    Answer(u16, String),
    /// The same with a header.
    WithHeader(u16, &'static str, String, String),
    /// The beginning of an answer; then the connection is closed.
    Cut(String),
    /// Nothing, for ever.
    Silence,
}

type Replies = dyn Fn(&Request) -> Reply + Send + Sync;

/// A server that answers until it is dropped with its runtime.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone)]
struct Kept {
    reply: Arc<Replies>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request with what `reply` says.
    pub async fn new(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::default();
        let kept = Kept { reply: Arc::new(reply), requests: Arc::clone(&requests) };
        let app = Router::new().fallback(answer).with_state(kept);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, requests }
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(
    State(kept): State<Kept>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = String::from_utf8(body.to_vec()).unwrap();
    let request = Request { method, path: uri.path().to_owned(), headers, body };
    let reply = (kept.reply)(&request);
    kept.requests.lock().unwrap().push(request);
    let built = match reply {
        Reply::Answer(status, body) => Response::builder().status(status).body(Body::from(body)),
        Reply::WithHeader(status, name, value, body) => {
            Response::builder().status(status).header(name, value).body(Body::from(body))
        }
        Reply::Cut(body) => {
            let length = body.len() + 1000;
            Response::builder()
                .status(StatusCode::OK)
                .header("Content-Length", length)
                .body(Body::from(body))
        }
        Reply::Silence => std::future::pending().await,
    };
    built.unwrap()
}
