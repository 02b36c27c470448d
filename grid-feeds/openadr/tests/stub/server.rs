//! A server with one program, which fails as it is told.

use std::collections::VecDeque;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post, put};
use grid_feeds::http::Timeouts;
use openadr::{Settings, Ven};
use planner::quantity::Currency;
use planner::time::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;
use tokio::sync::broadcast;

/// What the server knows and did.
#[derive(Default)]
pub struct World {
    pub events: Vec<Value>,
    pub reports: Vec<Value>,
    pub subscriptions: Vec<Value>,
    /// Answered in turn instead of the right thing, but for tokens.
    pub failures: VecDeque<(u16, Option<&'static str>, &'static str)>,
    /// Answers this request with 409.
    pub conflict_at: Option<&'static str>,
    /// Tokens given so far.
    pub tokens: u32,
    /// Tokens up to this one are refused.
    pub stale_up_to: u32,
    /// Seconds that tokens say they are good for.
    pub expires_in: Option<u64>,
    /// The token's address refuses.
    pub refuses_client: bool,
    /// Every request but those for tokens.
    pub log: Vec<String>,
}

/// A running server.
pub struct Server {
    pub world: Arc<Mutex<World>>,
    pub notify: broadcast::Sender<String>,
    pub url: String,
    /// Keeps the address from everybody else while the server is down: it is bound and does not listen.
    place: TcpSocket,
    secret: tempfile::NamedTempFile,
    /// Of its own, so that it goes down with all its connections.
    runtime: Option<Runtime>,
}

#[derive(Clone)]
struct Shared {
    world: Arc<Mutex<World>>,
    notify: broadcast::Sender<String>,
    url: String,
}

pub const NOW: &str = "2026-03-10T06:00:00Z";

pub fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

/// A socket at this address, which may be that of another that does not listen.
fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

impl Server {
    pub fn start() -> Self {
        let place = bound(SocketAddr::from(([127, 0, 0, 1], 0)));
        let (world, notify) = (Arc::default(), broadcast::Sender::new(64));
        let mut secret = tempfile::NamedTempFile::new().unwrap();
        secret.write_all(b"s3cr3t\n").unwrap();
        let url = format!("http://{}", place.local_addr().unwrap());
        let mut server = Self { world, notify, url, place, secret, runtime: None };
        server.start_again();
        server
    }

    /// At the address that it had, knowing what it knew.
    pub fn start_again(&mut self) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let socket = bound(self.place.local_addr().unwrap());
        let shared = Shared {
            world: Arc::clone(&self.world),
            notify: self.notify.clone(),
            url: self.url.clone(),
        };
        let app = routes(shared);
        let listener = {
            let _within = runtime.enter();
            socket.listen(64).unwrap()
        };
        runtime.spawn(async move {
            axum::serve(listener, app).await.unwrap();
        });
        self.runtime = Some(runtime);
    }

    /// Returns once its sockets are closed. Tests run on runtimes of their own, which must not block.
    pub fn stop(&mut self) {
        let runtime = self.runtime.take().unwrap();
        let stopped = std::thread::spawn(move || runtime.shutdown_timeout(Duration::from_mins(1)));
        stopped.join().unwrap();
    }

    pub fn settings(&self) -> Settings {
        let text = format!(
            "base_url = {:?}\nclient_id = \"site\"\nclient_secret = {{ file = {:?} }}\n\
             ven_name = \"site-1\"\nprogram = \"power\"",
            self.url,
            self.secret.path().display().to_string()
        );
        toml::from_str(&text).unwrap()
    }

    /// What this site takes for its secret; the right one is `s3cr3t`.
    pub fn write_secret(&self, text: &str) {
        std::fs::write(self.secret.path(), text).unwrap();
    }

    pub fn ven(&self) -> Ven {
        let timeouts = Timeouts { connect: Duration::from_secs(30), total: Duration::from_mins(1) };
        Ven::connect_within(self.settings(), Currency::EUR, timeouts).unwrap()
    }

    pub fn world(&self) -> std::sync::MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    /// Fails the next requests so.
    pub fn fail(&self, failures: &[(u16, Option<&'static str>, &'static str)]) {
        self.world().failures.extend(failures);
    }

    /// The requests since the last time.
    pub fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.world().log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn routes(shared: Shared) -> Router {
    Router::new()
        .route("/auth/server", get(auth_server))
        .route("/auth/token", post(token))
        .route("/programs", get(programs))
        .route("/events", get(events))
        .route("/vens", get(nothing).post(enrolled))
        .route("/reports", get(reports).post(new_report))
        .route("/reports/{id}", put(changed_report).delete(deleted_report))
        .route("/notifiers", get(notifiers))
        .route("/notifiers/ws", any(socket))
        .route("/subscriptions", get(subscriptions).post(subscribed))
        .layer(axum::middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// An event of limits in kW, an hour each from 08:00 on.
pub fn limit(id: &str, kilowatts: &[f64]) -> Value {
    let interval = |(id, value): (usize, &f64)| json!({"id": id, "payloads": [{"type": "IMPORT_CAPACITY_LIMIT", "values": [value]}]});
    let intervals: Vec<Value> = kilowatts.iter().enumerate().map(interval).collect();
    json!({
        "id": id, "objectType": "EVENT", "programID": "p1", "priority": null, "targets": [],
        "createdDateTime": "2026-03-09T00:00:00Z", "modificationDateTime": "2026-03-09T00:00:00Z",
        "intervalPeriod": {"start": "2026-03-10T08:00:00Z", "duration": "PT1H"},
        "intervals": intervals,
    })
}

/// Refuses who has no good token, then fails as it was told.
async fn guard(
    State(shared): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    if uri.path().starts_with("/auth") {
        return next.run(request).await;
    }
    {
        let mut world = shared.world.lock().unwrap();
        world.log.push(format!("{method} {}", uri.path()));
        let token = headers.get("authorization").and_then(|it| it.to_str().ok());
        let number = token.and_then(|it| it.strip_prefix("Bearer token-"));
        let number = number.and_then(|it| it.parse::<u32>().ok());
        if number.is_none_or(|number| number <= world.stale_up_to) {
            let problem = json!({"title": "Unauthorized", "status": 401,
                "detail": format!("bad {}", token.unwrap_or_default())});
            return (StatusCode::UNAUTHORIZED, Json(problem)).into_response();
        }
        if world.conflict_at.is_some_and(|at| world.log.last().is_some_and(|it| it == at)) {
            return (StatusCode::CONFLICT, "foreign key").into_response();
        }
        if let Some((status, retry_after, body)) = world.failures.pop_front() {
            let status = StatusCode::from_u16(status).unwrap();
            let retry_after = retry_after.map(|it| ("retry-after", it));
            return match retry_after {
                Some(header) => (status, [header], body).into_response(),
                None => (status, body).into_response(),
            };
        }
    }
    next.run(request).await
}

async fn auth_server(State(shared): State<Shared>) -> Json<Value> {
    Json(json!({"tokenURL": format!("{}/auth/token", shared.url)}))
}

/// Of the right client, by its name and secret in the header: `site:s3cr3t`.
async fn token(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let mut world = shared.world.lock().unwrap();
    let basic = headers.get("authorization").and_then(|it| it.to_str().ok());
    let right = basic == Some("Basic c2l0ZTpzM2NyM3Q=");
    if world.refuses_client || !right || &body[..] != b"grant_type=client_credentials" {
        let error = json!({"error": "invalid_client", "error_description": "s3cr3t is wrong"});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    world.tokens += 1;
    let token = format!("token-{}", world.tokens);
    let expires_in = world.expires_in.unwrap_or(2_592_000);
    let answer = json!({"access_token": token, "token_type": "Bearer", "expires_in": expires_in});
    Json(answer).into_response()
}

async fn programs() -> Json<Value> {
    Json(json!([{"id": "p1", "objectType": "PROGRAM", "programName": "power", "targets": [],
        "createdDateTime": "2026-01-01T00:00:00Z",
        "modificationDateTime": "2026-01-01T00:00:00Z"}]))
}

/// No more than 50 at once, as a real server has it.
async fn events(
    State(shared): State<Shared>,
    Query(query): Query<std::collections::HashMap<String, String>>,
) -> Response {
    let number = |name: &str| query.get(name).and_then(|it| it.parse::<usize>().ok());
    let (skip, limit) = (number("skip").unwrap_or(0), number("limit").unwrap_or(50));
    if limit > 50 || query.get("programID").map(String::as_str) != Some("p1") {
        return (StatusCode::BAD_REQUEST, "limit or programID").into_response();
    }
    let world = shared.world.lock().unwrap();
    let page: Vec<Value> = world.events.iter().skip(skip).take(limit).cloned().collect();
    Json(page).into_response()
}

async fn nothing() -> Json<Value> {
    Json(json!([]))
}

async fn enrolled(Json(mut ven): Json<Value>) -> Response {
    assert_eq!(ven["objectType"], "VEN_VEN_REQUEST");
    ven["id"] = json!("v1");
    ven["clientID"] = json!("site");
    ven["createdDateTime"] = json!("2026-01-01T00:00:00Z");
    ven["modificationDateTime"] = json!("2026-01-01T00:00:00Z");
    (StatusCode::CREATED, Json(ven)).into_response()
}

async fn reports(State(shared): State<Shared>) -> Json<Value> {
    Json(shared.world.lock().unwrap().reports.clone().into())
}

fn stored(mut report: Value, id: &str, modified: usize) -> Value {
    report["id"] = json!(id);
    report["clientID"] = json!("site");
    report["createdDateTime"] = json!("2026-03-10T00:00:00Z");
    report["modificationDateTime"] = json!(format!("2026-03-10T00:00:{modified:02}Z"));
    report
}

async fn new_report(State(shared): State<Shared>, Json(report): Json<Value>) -> Response {
    let mut world = shared.world.lock().unwrap();
    if !world.events.iter().any(|event| event["id"] == report["eventID"]) {
        return (StatusCode::CONFLICT, "foreign key").into_response();
    }
    let number = world.reports.len();
    let report = stored(report, &format!("r{number}"), number);
    world.reports.push(report.clone());
    (StatusCode::CREATED, Json(report)).into_response()
}

async fn changed_report(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Json(report): Json<Value>,
) -> Response {
    let mut world = shared.world.lock().unwrap();
    let Some(kept) = world.reports.iter_mut().find(|report| report["id"] == id.as_str()) else {
        return (StatusCode::NOT_FOUND, "no such report").into_response();
    };
    *kept = stored(report, &id, 59);
    Json(kept.clone()).into_response()
}

async fn deleted_report(State(shared): State<Shared>, Path(id): Path<String>) -> StatusCode {
    let mut world = shared.world.lock().unwrap();
    let before = world.reports.len();
    world.reports.retain(|report| report["id"] != id.as_str());
    if world.reports.len() < before { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }
}

async fn notifiers() -> Json<Value> {
    Json(json!({"WEBSOCKET": true}))
}

async fn subscriptions(State(shared): State<Shared>) -> Json<Value> {
    Json(shared.world.lock().unwrap().subscriptions.clone().into())
}

async fn subscribed(State(shared): State<Shared>, Json(wanted): Json<Value>) -> Response {
    shared.world.lock().unwrap().subscriptions.push(wanted.clone());
    (StatusCode::CREATED, Json(wanted)).into_response()
}

/// Sends what is notified; the word `close` closes the connection.
async fn socket(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    let mut notifications = shared.notify.subscribe();
    upgrade.on_upgrade(async move |mut socket| {
        while let Ok(text) = notifications.recv().await {
            if text == "close" || socket.send(Message::Text(text.into())).await.is_err() {
                break;
            }
        }
    })
}
