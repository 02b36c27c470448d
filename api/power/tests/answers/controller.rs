//! A management controller of ours that speaks Redfish, well or badly; no vendor's stands behind it. Its resources begin as
//! the payloads in `redfish/`, which `.ci/redfish` checks by the DMTF's schemas.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use serde_json::{Value, json};

pub const SYSTEM: &str = "/redfish/v1/Systems/1";
pub const CHASSIS: &str = "/redfish/v1/Chassis/1";
const RESET: &str = "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset";

/// `alice:correct-horse` as Base64.
const AUTHORIZATION: &str = "Basic YWxpY2U6Y29ycmVjdC1ob3JzZQ==";

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// It never answers.
    Hangs,
    /// It accepts what it does not do.
    Lies,
    /// It does it, and is as before once it was read.
    Forgets,
    /// It is on its way until it was read so often.
    Slow(usize),
    /// It accepts nothing.
    Refuses,
    /// It sends who orders something on to a resource that can be read.
    SendsOn,
    /// It answers with a page.
    Rubbish,
    /// It has no time.
    Busy,
    /// It does what it is told, and ends the connection.
    Cut,
}

/// A change that was sent to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub method: Method,
    pub path: String,
    pub body: Value,
}

/// What it has and was sent.
#[derive(Debug)]
pub struct Inside {
    pub resources: BTreeMap<String, Value>,
    pub fault: Fault,
    pub sent: Vec<Sent>,
    /// Paths that were read.
    pub read: Vec<String>,
    /// What it is to be once it is no longer on its way, and after how many readings.
    coming: Option<(usize, String)>,
    /// What it had before it forgot.
    before: Option<BTreeMap<String, Value>>,
    /// How many sessions were opened, and whether the last one is still good.
    pub sessions: (usize, bool),
}

/// A controller that answers until it is dropped with its runtime.
pub struct Controller {
    pub url: String,
    inside: Arc<Mutex<Inside>>,
}

pub fn payload(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

impl Controller {
    /// One with a system that is on, in a chassis without a power limit.
    pub async fn new() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let resources = [
            ("/redfish/v1/Systems", payload(include_str!("redfish/systems.json"))),
            (SYSTEM, payload(include_str!("redfish/system.json"))),
            (CHASSIS, payload(include_str!("redfish/chassis.json"))),
        ];
        let inside = Inside {
            resources: resources.map(|(path, it)| (path.to_owned(), it)).into(),
            fault: Fault::Nothing,
            sent: Vec::new(),
            read: Vec::new(),
            coming: None,
            before: None,
            sessions: (0, false),
        };
        let inside = Arc::new(Mutex::new(inside));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&inside));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, inside }
    }

    pub fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap()
    }

    /// Puts a resource at a path.
    pub fn put(&self, path: &str, resource: Value) {
        self.inside().resources.insert(path.to_owned(), resource);
    }

    /// The types of reset that it was sent.
    pub fn resets(&self) -> Vec<String> {
        let inside = self.inside();
        let resets = inside.sent.iter().filter(|it| it.path == RESET);
        resets.map(|it| it.body["ResetType"].as_str().unwrap().to_owned()).collect()
    }

    /// The changes that it was sent, beside resets.
    pub fn changes(&self) -> Vec<Value> {
        let inside = self.inside();
        let changes = inside.sent.iter().filter(|it| it.method == Method::PATCH);
        changes.map(|it| it.body.clone()).collect()
    }
}

async fn answer(
    State(inside): State<Arc<Mutex<Inside>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let fault = inside.lock().unwrap().fault;
    if fault == Fault::Hangs {
        std::future::pending::<()>().await;
    }
    let reply = inside.lock().unwrap().reply(&method, uri.path(), &headers, &body);
    let (status, header, body) = reply;
    if fault == Fault::Cut && method != Method::GET {
        let response = Response::builder().status(200).header("Content-Length", 1000);
        return response.body(Body::from("{")).unwrap();
    }
    let mut response = Response::builder().status(status);
    if let Some((name, value)) = header {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).unwrap()
}

type Reply = (u16, Option<(&'static str, String)>, String);

fn refused(status: u16, message: &str) -> Reply {
    (
        status,
        None,
        json!({"error": {"code": "Base.1.8.GeneralError", "message": message}}).to_string(),
    )
}

impl Inside {
    fn reply(&mut self, method: &Method, path: &str, headers: &HeaderMap, body: &[u8]) -> Reply {
        if path == "/redfish/v1/SessionService/Sessions" {
            let asked: Value = serde_json::from_slice(body).unwrap();
            if asked["Password"] != "correct-horse" {
                return refused(401, &format!("no user {asked}"));
            }
            self.sessions = (self.sessions.0 + 1, true);
            let token = format!("token-of-session-{}", self.sessions.0);
            return (201, Some(("X-Auth-Token", token)), "{}".to_owned());
        }
        let shown = headers.get("Authorization").map_or("", |it| it.to_str().unwrap());
        let token = headers.get("X-Auth-Token").map_or("", |it| it.to_str().unwrap());
        let in_session =
            self.sessions.1 && token == format!("token-of-session-{}", self.sessions.0);
        if shown != AUTHORIZATION && !in_session {
            // Some tell what they were shown.
            return refused(401, &format!("wrong credentials: {shown}"));
        }
        match self.fault {
            Fault::Rubbish => return (200, None, "<html>Sign in</html>".to_owned()),
            Fault::Busy => return refused(503, "the BMC is starting"),
            _ => {}
        }
        match method.as_str() {
            "GET" => self.get(path),
            "POST" | "PATCH" => self.change(method, path, headers, body),
            _ => refused(405, "no such method"),
        }
    }

    fn get(&mut self, path: &str) -> Reply {
        self.read.push(path.to_owned());
        if path == SYSTEM {
            match self.coming.take() {
                Some((0, power)) => self.set_power(&power),
                Some((more, power)) => self.coming = Some((more - 1, power)),
                None => {}
            }
        }
        let Some(resource) = self.resources.get(path) else { return refused(404, "not here") };
        let answer = (200, Some(("ETag", tag(resource))), resource.to_string());
        let is_changed = self.sent.iter().any(|it| it.path == path || path == SYSTEM);
        if let Some(before) = self.before.take_if(|_| is_changed) {
            self.resources = before;
        }
        answer
    }

    fn change(&mut self, method: &Method, path: &str, headers: &HeaderMap, body: &[u8]) -> Reply {
        let body: Value = serde_json::from_slice(body).unwrap();
        let path = path.to_owned();
        self.sent.push(Sent { method: method.clone(), path: path.clone(), body: body.clone() });
        if self.fault == Fault::Refuses {
            return refused(400, "the operation failed");
        }
        if self.fault == Fault::SendsOn {
            return (303, Some(("Location", SYSTEM.to_owned())), String::new());
        }
        if self.fault == Fault::Lies {
            return (204, None, String::new());
        }
        if self.fault == Fault::Forgets {
            self.before = Some(self.resources.clone());
        }
        if path == RESET {
            let power = match body["ResetType"].as_str().unwrap() {
                "On" | "ForceOn" => "On",
                "ForceOff" | "GracefulShutdown" => "Off",
                other => panic!("nobody should order {other}"),
            };
            match self.fault {
                Fault::Slow(readings) => {
                    self.set_power(&format!("Powering{power}"));
                    self.coming = Some((readings, power.to_owned()));
                }
                _ => self.set_power(power),
            }
            return (204, None, String::new());
        }
        let Some(resource) = self.resources.get_mut(&path) else { return refused(404, "not here") };
        let expected = tag(resource);
        if headers.get("If-Match").is_none_or(|it| it.to_str().unwrap() != expected) {
            return refused(412, "not the resource that was read");
        }
        merge(resource, &body);
        (200, None, resource.to_string())
    }

    fn set_power(&mut self, power: &str) {
        self.resources.get_mut(SYSTEM).unwrap()["PowerState"] = json!(power);
    }
}

fn tag(resource: &Value) -> String {
    format!("\"{}\"", resource.to_string().len())
}

/// Objects are merged, and arrays member by member, of which empty objects change nothing (DSP0266, 7.6.3).
fn merge(into: &mut Value, change: &Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (name, value) in change {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(change)) => {
            assert_eq!(into.len(), change.len(), "members that are left out are removed");
            into.iter_mut().zip(change).for_each(|(into, change)| merge(into, change));
        }
        (into, change) => *into = change.clone(),
    }
}
