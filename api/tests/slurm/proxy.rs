//! A proxy between the service and slurmrestd that can do what goes wrong on the way, and counts requests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST};
use axum::http::{Response, StatusCode};
use futures_util::stream;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What happens to requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// They are answered.
    None,
    /// They are answered with this status and a page of HTML, as by a broken proxy.
    Status(u16),
    /// Answers end in their middle.
    Cut,
    /// There is no answer, and none to come.
    Silence,
    /// The controller's clock is so many seconds ahead.
    Clock(i64),
    /// The job of this id is told of nowhere.
    Hidden(u64),
}

/// The proxy; it is gone when dropped.
pub struct Proxy {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    behind: String,
    http: reqwest::Client,
    fault: Mutex<Fault>,
    requests: AtomicUsize,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Proxy {
    /// A proxy before the slurmrestd at an address.
    pub async fn start(behind: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            behind: behind.to_owned(),
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            fault: Mutex::new(Fault::None),
            requests: AtomicUsize::new(0),
        });
        let router = Router::new().fallback(pass).with_state(Arc::clone(&shared));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, shared, serving }
    }

    /// From now on this goes wrong; how many requests there were since the last call.
    pub fn set(&self, fault: Fault) -> usize {
        *self.shared.fault.lock().unwrap() = fault;
        self.shared.requests.swap(0, Ordering::Relaxed)
    }
}

async fn pass(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    shared.requests.fetch_add(1, Ordering::Relaxed);
    let fault = *shared.fault.lock().unwrap();
    match fault {
        Fault::None => forward(&shared, request).await.into_response(),
        Fault::Status(status) => Response::builder()
            .status(status)
            .header(CONTENT_TYPE, "text/html")
            .body(Body::from("<html>out of order</html>"))
            .unwrap(),
        Fault::Cut => cut(&forward(&shared, request).await),
        Fault::Silence => std::future::pending().await,
        Fault::Clock(ahead) => forward(&shared, request).await.with_clock(ahead).into_response(),
        Fault::Hidden(job) => forward(&shared, request).await.without_job(job).into_response(),
    }
}

/// What slurmrestd answered.
struct Answer {
    status: StatusCode,
    body: Bytes,
}

impl Answer {
    fn into_response(self) -> Response<Body> {
        let answer =
            Response::builder().status(self.status).header(CONTENT_TYPE, "application/json");
        answer.body(Body::from(self.body)).unwrap()
    }

    /// The same by a clock that is ahead: of plain numbers, and of those with `set` and `infinite`.
    fn with_clock(self, ahead: i64) -> Self {
        let Ok(mut document) = serde_json::from_slice::<Value>(&self.body) else { return self };
        for clock in ["/statistics/req_time", "/statistics/req_time/number", "/last_update/number"]
        {
            if let Some(number) = document.pointer_mut(clock).filter(|it| it.is_i64()) {
                *number = (number.as_i64().unwrap() + ahead).into();
            }
        }
        Self { body: document.to_string().into(), ..self }
    }

    /// This answer without a job.
    fn without_job(self, id: u64) -> Self {
        let Ok(mut document) = serde_json::from_slice::<Value>(&self.body) else { return self };
        let Some(jobs) = document.get_mut("jobs").and_then(Value::as_array_mut) else {
            return self;
        };
        jobs.retain(|job| job["job_id"] != id);
        Self { body: document.to_string().into(), ..self }
    }
}

async fn forward(shared: &Shared, request: Request) -> Answer {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |it| it.as_str());
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let mut headers = parts.headers;
    headers.remove(HOST);
    let url = format!("{}{path}", shared.behind);
    let sent = shared.http.request(parts.method, url).headers(headers).body(body).send().await;
    let Ok(answer) = sent else {
        return Answer { status: StatusCode::BAD_GATEWAY, body: Bytes::new() };
    };
    let status = answer.status();
    Answer { status, body: answer.bytes().await.unwrap_or_default() }
}

/// Half of an answer, under the length of the whole.
fn cut(answer: &Answer) -> Response<Body> {
    let half = answer.body.slice(..answer.body.len() / 2);
    let broken = stream::iter([Ok(half), Err(std::io::Error::other("cut"))]);
    Response::builder()
        .status(answer.status)
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, answer.body.len())
        .body(Body::from_stream(broken))
        .unwrap()
}
