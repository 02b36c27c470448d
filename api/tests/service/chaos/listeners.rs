//! Who is told what happens: a webhook's receiver, and a program that reads the stream of events by way of any replica.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;

use super::caller::Tally;
use super::dice::Dice;
use super::fleet::Fleet;
use crate::client::Client;
use crate::event_stream::Stream;

/// A pause before a stream is opened again.
const PAUSE: Duration = Duration::from_millis(200);

/// What a receiver took.
#[derive(Default)]
pub struct Messages {
    /// Messages by id, and how often each came.
    by_id: HashMap<String, (String, u64)>,
    /// Events in the order in which they came first.
    pub events: Vec<i64>,
    /// Messages that came again.
    pub repeated: u64,
}

/// Somebody else's server, which takes whatever it is sent.
#[derive(Clone)]
pub struct Receiver {
    pub address: String,
    taken: Arc<Mutex<Messages>>,
    tally: Arc<Tally>,
}

impl Receiver {
    /// Opens it at a port of its own.
    pub async fn open(tally: Arc<Tally>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let receiver = Self { address, taken: Arc::default(), tally };
        let app = axum::Router::new().route("/hook", post(take)).with_state(receiver.clone());
        tokio::spawn(axum::serve(listener, app).into_future());
        receiver
    }

    /// How many events it has.
    pub fn count(&self) -> usize {
        self.taken.lock().unwrap().events.len()
    }

    /// Looks at what it took.
    pub fn with<T>(&self, look: impl FnOnce(&Messages) -> T) -> T {
        look(&self.taken.lock().unwrap())
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> StatusCode {
    let id = headers["webhook-id"].to_str().unwrap().to_owned();
    let event = serde_json::from_str::<Value>(&body).unwrap()["id"].as_i64().unwrap();
    let mut taken = receiver.taken.lock().unwrap();
    if let Some((before, count)) = taken.by_id.get_mut(&id) {
        *count += 1;
        if *before != body {
            receiver.tally.wrong(format!("one webhook-id, two messages: {before} and {body}"));
        }
        taken.repeated += 1;
    } else {
        taken.by_id.insert(id, (body, 1));
        taken.events.push(event);
    }
    StatusCode::NO_CONTENT
}

/// Reads events one after another, by another replica whenever a stream ends.
pub struct Watcher {
    fleet: Arc<Fleet>,
    tally: Arc<Tally>,
    token: String,
    seen: Mutex<Vec<i64>>,
    pub stop: AtomicBool,
}

impl Watcher {
    /// One that has read nothing yet.
    pub fn new(fleet: Arc<Fleet>, tally: Arc<Tally>, token: String) -> Arc<Self> {
        let (seen, stop) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { fleet, tally, token, seen, stop })
    }

    /// Ids of events in the order in which they were told.
    pub fn seen(&self) -> Vec<i64> {
        self.seen.lock().unwrap().clone()
    }

    /// Reads until told to stop.
    pub async fn watch(self: Arc<Self>, mut dice: Dice) {
        let mut last = None;
        while !self.stop.load(Ordering::Relaxed) {
            if let Some((_, address)) = self.fleet.any(&mut dice) {
                let client = Client::new(&address).with_token(&self.token);
                if let Some(stream) = Stream::try_open(&client, last).await {
                    last = self.read(stream, last).await;
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn read(&self, mut stream: Stream, mut last: Option<i64>) -> Option<i64> {
        while let Some(told) = stream.next().await {
            if told.kind == "stream.opened" && last.is_none() {
                last = Some(told.id);
                continue;
            }
            if last.is_some_and(|last| told.id <= last) || told.kind.starts_with("stream.") {
                self.tally.wrong(format!("after event {last:?} the stream told {told:?}"));
            }
            last = Some(told.id);
            self.seen.lock().unwrap().push(told.id);
        }
        last
    }
}
