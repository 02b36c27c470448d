//! Events sent to webhooks: to a real receiver, signed, in their order, and none lost.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::RwLock;

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, instant, nodes, now, path, propose};
use crate::dialogue::until;
use crate::event_stream::Stream;
use crate::events::mark;
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_webhook_is_told_what_it_wants_signed_and_in_order,
    a_receiver_that_is_down_holds_up_nobody_and_misses_nothing,
    what_a_receiver_refuses_for_an_hour_is_given_up,
    a_receiver_that_wants_no_more_is_left_alone_until_a_new_start,
    a_kill_loses_no_event,
    what_was_taken_while_the_service_stops_is_not_sent_again,
    of_two_processes_one_tells,
    what_is_no_longer_kept_is_owned_up_to,
    nodes_that_fail_are_told,
}

const SECRET: &str = "a-secret-of-the-receiver";
const WEBHOOKS: &str = "/api/v1/webhooks";

/// A message as it was received, with what was answered.
#[derive(Clone, Debug)]
struct Message {
    id: String,
    body: Value,
    status: u16,
}

/// What a receiver answers to an event of a type; 0 cuts the connection off.
type Answers = Box<dyn Fn(&str) -> u16 + Send>;

/// Somebody else's server at a port of its own.
#[derive(Clone)]
struct Receiver {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Message>>>,
    answers: Arc<Mutex<Answers>>,
    /// Nothing is answered while somebody writes.
    silence: Arc<RwLock<()>>,
}

/// Connections; cut off at once where the receiver is down.
struct Door(TcpListener, Receiver);

impl axum::serve::Listener for Door {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let (stream, from) = self.0.accept().await.unwrap();
            if (self.1.answers.lock().unwrap())("") != 0 {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Receiver {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answers: Answers = Box::new(|_| 204);
        let answers = Arc::new(Mutex::new(answers));
        let (heard, silence) = (Arc::default(), Arc::default());
        let receiver = Self { address, heard, answers, silence };
        let app = axum::Router::new().route("/hook", post(hear)).with_state(receiver.clone());
        tokio::spawn(axum::serve(Door(listener, receiver.clone()), app).into_future());
        receiver
    }

    fn answer(&self, answers: impl Fn(&str) -> u16 + Send + 'static) {
        *self.answers.lock().unwrap() = Box::new(answers);
    }

    fn heard(&self) -> Vec<Message> {
        self.heard.lock().unwrap().clone()
    }

    /// What was taken: each message once, as a receiver keeps them.
    fn taken(&self) -> Vec<Value> {
        let mut bodies: BTreeMap<String, Value> = BTreeMap::new();
        let mut taken = Vec::new();
        for message in self.heard().into_iter().filter(|it| it.status < 300) {
            if let Some(before) = bodies.get(&message.id) {
                assert_eq!(*before, message.body, "one id, two messages");
            } else {
                bodies.insert(message.id, message.body.clone());
                taken.push(message.body);
            }
        }
        assert!(taken.is_sorted_by_key(|body| body["id"].as_i64()), "{taken:#?}");
        taken
    }

    fn kinds(&self) -> Vec<String> {
        self.taken().iter().map(|body| body["type"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the newest message that was taken is of a kind; all kinds.
    async fn until(&self, kind: &str) -> Vec<String> {
        for _ in 0..900 {
            let kinds = self.kinds();
            if kinds.last().is_some_and(|last| last == kind) {
                return kinds;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("no {kind} in {:#?}", self.heard());
    }

    /// The settings of a webhook that sends here.
    fn settings(&self, id: &str, events: &str) -> String {
        format!(
            "[[webhooks]]\nid = \"{id}\"\nurl = \"http://ada:pa55word@{}/hook?token=t0ken\"\n\
             secret = {{ file = \"secret\" }}\n{events}\n",
            self.address
        )
    }
}

/// Takes a message if its signature is right, as the specification has it.
async fn hear(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> StatusCode {
    let header = |name: &str| headers[name].to_str().unwrap();
    let signed = format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp"));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(header("webhook-signature"), signature);
    assert_eq!(header("content-type"), "application/json");
    let id = header("webhook-id").to_owned();
    let body: Value = serde_json::from_str(&body).unwrap();
    let status = (receiver.answers.lock().unwrap())(body["type"].as_str().unwrap());
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    receiver.heard.lock().unwrap().push(Message { id, body, status: status.as_u16() });
    let _spoken = receiver.silence.read().await;
    status
}

/// The service with webhooks, by a clock of which so many seconds pass in one.
async fn serve_at(site: &Site, lease_s: u32, webhooks: &str, rate: u32) -> Server {
    std::fs::write(site.folder().join("secret"), SECRET).unwrap();
    let settings = format!("feed_lease_s = {lease_s}\n{webhooks}");
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let begin = instant(now());
    let clock = format!("{begin}={begin}@{rate}");
    site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
}

async fn serve(site: &Site, webhooks: &str) -> Server {
    serve_at(site, 2, webhooks, 1).await
}

/// The webhook in the list, once it is as wanted.
async fn webhook(client: &Client, id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let of = |list: &Value| {
        let items = list["items"].as_array().unwrap();
        items.iter().find(|it| it["id"] == id).unwrap().clone()
    };
    of(&until(client, WEBHOOKS, |list| is_so(&of(list))).await)
}

/// A reservation that is confirmed and cancelled.
async fn come_and_go(client: &Client, hours: Hours) {
    let reservation = propose(client, &hours.request(1, 2, 6)).await;
    choose(client, &reservation, "cost_co2_energy").await;
    client.delete(&path(&reservation)).await.ok(200);
}

async fn a_webhook_is_told_what_it_wants_signed_and_in_order(site: Site) {
    let (all, bookings) = (Receiver::open().await, Receiver::open().await);
    let settings = all.settings("all", "")
        + &bookings.settings("bookings", "events = [\"reservation.*\", \"tokens.changed\"]");
    let server = serve(&site, &settings).await;
    let client = server.client();
    let mut stream = Stream::opened(&client).await;
    let hours = furnish(&client, 2, None).await;
    come_and_go(&client, hours).await;
    mark(&client, hours).await;
    let mut streamed = Vec::new();
    while streamed.iter().filter(|kind| *kind == "agenda.revised").count() < 3 {
        let told = stream.until("agenda.revised").await;
        let told_all = told.iter().map(|told| told.kind.clone());
        streamed.extend(told_all);
        for told in told {
            let same = |body: &Value| body["id"] == told.id;
            let message = eventually(&all, same).await;
            let at = &told.data["at"];
            let whole =
                json!({ "id": told.id, "type": told.kind, "timestamp": at, "data": told.data });
            assert_eq!(message, whole);
        }
    }
    assert_eq!(all.kinds(), streamed);
    let states = ["proposed", "confirmed", "cancelled"].map(|it| format!("reservation.{it}"));
    assert_eq!(bookings.until("reservation.cancelled").await, states);
    let ids: Vec<String> = bookings.heard().into_iter().map(|it| it.id).collect();
    assert!(all.heard().iter().all(|it| !ids.contains(&it.id)), "ids of each webhook are its own");
    let shown = webhook(&client, "bookings", |it| it["delivered"] == 3).await;
    let url = format!("http://{}/hook", bookings.address);
    assert_eq!((&shown["url"], &shown["status"]), (&json!(url), &json!("ok")));
    assert_eq!(shown["events"], json!(["reservation.*", "tokens.changed"]));
    assert!(shown["last_error"].is_null() && shown["last_success_at"].is_string(), "{shown}");
    // Events that it does not want do not leave it behind.
    let list = until(&client, WEBHOOKS, |it| it["items"][1]["position"] == it["newest_event"]);
    list.await;
    let metrics = client.get("/metrics").await.body;
    for line in [
        "wattbook_webhook_up{webhook=\"all\"} 1",
        "wattbook_webhook_behind_events{webhook=\"bookings\"} 0",
        "wattbook_webhook_messages_total{webhook=\"bookings\",outcome=\"delivered\"} 3",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    let list = site.command(&["webhook", "list", "--config", "wattbook.toml"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let line = list.lines().find(|line| line.trim_start().starts_with("bookings")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["bookings", "ok", "3", "0"]);
    let shown = client.get(WEBHOOKS).await.body + &metrics + &server.log() + &list;
    for secret in [SECRET, "pa55word", "t0ken"] {
        assert!(!shown.contains(secret), "{secret}");
    }
}

async fn eventually(receiver: &Receiver, is_it: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..600 {
        if let Some(found) = receiver.taken().into_iter().find(|body| is_it(body)) {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("not in {:#?}", receiver.heard());
}

async fn a_receiver_that_is_down_holds_up_nobody_and_misses_nothing(site: Site) {
    let (down, up) = (Receiver::open().await, Receiver::open().await);
    down.answer(|_| 0);
    let settings = down.settings("down", "") + &up.settings("up", "");
    let server = serve_at(&site, 2, &settings, 10).await;
    let client = server.client();
    client.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    let failing = webhook(&client, "down", |it| it["failures_in_turn"].as_i64() > Some(1)).await;
    assert_eq!((&failing["status"], &failing["delivered"]), (&json!("failing"), &json!(0)));
    assert!(failing["next_attempt_at"].is_string(), "{failing}");
    let detail = failing["last_error"]["detail"].as_str().unwrap();
    assert!(detail.contains("no answer"), "{detail}");
    let hours = Hours::ahead();
    mark(&client, hours).await;
    up.until("agenda.revised").await;
    assert_eq!(down.heard().len(), 0);
    // It is up again, but busy at first.
    let times = Mutex::new(0);
    down.answer(move |kind| {
        let mut times = times.lock().unwrap();
        *times += u32::from(!kind.is_empty());
        if *times < 2 { 503 } else { 200 }
    });
    down.until("agenda.revised").await;
    assert_eq!(down.kinds(), up.kinds());
    assert_eq!(down.heard()[0].status, 503);
    let shown = webhook(&client, "down", |it| it["status"] == "ok").await;
    assert!(shown["next_attempt_at"].is_null() && shown["last_error"].is_null(), "{shown}");
    assert_eq!((&shown["failures_in_turn"], &shown["given_up"]), (&json!(0), &json!(0)));
}

/// Ten minutes pass in a second.
async fn what_a_receiver_refuses_for_an_hour_is_given_up(site: Site) {
    let receiver = Receiver::open().await;
    receiver.answer(|kind| if kind == "nodes.replaced" { 422 } else { 200 });
    let server = serve_at(&site, 2, &receiver.settings("picky", ""), 600).await;
    let client = server.client();
    client.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    mark(&client, Hours::ahead()).await;
    let kinds = receiver.until("agenda.revised").await;
    assert!(!kinds.contains(&"nodes.replaced".to_owned()));
    let refused = receiver.heard().into_iter().filter(|it| it.status == 422);
    let refused: Vec<String> = refused.map(|it| it.id).collect();
    assert!(refused.len() > 2 && refused.iter().all(|id| *id == refused[0]), "{refused:?}");
    let shown = webhook(&client, "picky", |it| it["status"] == "ok").await;
    assert_eq!((&shown["given_up"], &shown["delivered"]), (&json!(1), &json!(1)));
    assert!(server.log().contains("gave up telling an event"), "{}", server.log());
}

async fn a_receiver_that_wants_no_more_is_left_alone_until_a_new_start(site: Site) {
    let (gone, other) = (Receiver::open().await, Receiver::open().await);
    gone.answer(|_| 410);
    let settings = gone.settings("gone", "") + &other.settings("other", "");
    let server = serve(&site, &settings).await;
    let client = server.client();
    client.put("/api/v1/nodes", &nodes(2)).await.ok(200);
    let shown = webhook(&client, "gone", |it| it["status"] == "stopped").await;
    assert!(shown["next_attempt_at"].is_null(), "{shown}");
    mark(&client, Hours::ahead()).await;
    other.until("agenda.revised").await;
    assert_eq!(gone.heard().len(), 1);
    gone.answer(|_| 200);
    server.signal("TERM");
    assert!(server.wait().0.success());
    assert_eq!(gone.heard().len(), 1);
    let server = serve(&site, &settings).await;
    assert_eq!(gone.until("agenda.revised").await, ["nodes.replaced", "agenda.revised"]);
    webhook(&server.client(), "gone", |it| it["status"] == "ok" && it["delivered"] == 2).await;
}

async fn a_kill_loses_no_event(site: Site) {
    let receiver = Receiver::open().await;
    let settings = receiver.settings("log", "");
    let mut server = serve(&site, &settings).await;
    let hours = furnish(&server.client(), 2, None).await;
    for _ in 0..3 {
        let before = receiver.heard().len();
        for _ in 0..4 {
            come_and_go(&server.client(), hours).await;
        }
        // In the middle of telling.
        while receiver.heard().len() < before + 5 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        server.kill();
        server = serve(&site, &settings).await;
    }
    client_says_last(&server.client()).await;
    let kinds = receiver.until("nodes.replaced").await;
    assert_eq!(kinds, all_kinds(&server.client(), "nodes.replaced", 2).await);
}

/// The receiver answers when the service has been told to stop.
async fn what_was_taken_while_the_service_stops_is_not_sent_again(site: Site) {
    let receiver = Receiver::open().await;
    let settings = receiver.settings("log", "events = [\"agenda.revised\"]");
    let server = serve(&site, &settings).await;
    let silent = receiver.silence.write().await;
    mark(&server.client(), Hours::ahead()).await;
    receiver.until("agenda.revised").await;
    server.signal("TERM");
    while !server.log().contains("stopping") {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(silent);
    // The receiver answers on this runtime.
    assert!(tokio::task::block_in_place(|| server.wait()).0.success());
    let server = serve(&site, &settings).await;
    mark(&server.client(), Hours::ahead()).await;
    webhook(&server.client(), "log", |it| it["delivered"] == 2).await;
    let ids: Vec<String> = receiver.heard().into_iter().map(|it| it.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
}

/// What is told after everything else.
async fn client_says_last(client: &Client) {
    client.put("/api/v1/nodes", &nodes(3)).await.ok(200);
}

/// All events that ever were, up to the `times`th of a kind.
async fn all_kinds(client: &Client, kind: &str, times: usize) -> Vec<String> {
    let mut stream = Stream::open(client, Some(0)).await;
    let mut kinds = Vec::new();
    for _ in 0..times {
        kinds.extend(stream.until(kind).await.into_iter().map(|told| told.kind));
    }
    kinds
}

async fn of_two_processes_one_tells(site: Site) {
    let receiver = Receiver::open().await;
    let settings = receiver.settings("log", "");
    // Leases that outlast any pause of a busy machine.
    let first = serve_at(&site, 20, &settings, 1).await;
    let second = serve_at(&site, 20, &settings, 1).await;
    let hours = furnish(&first.client(), 2, None).await;
    for client in [first.client(), second.client()] {
        come_and_go(&client, hours).await;
    }
    let outage = json!({ "nodes": ["n0"], "reason": "fans" });
    second.client().post("/api/v1/outages", &outage).await.ok(201);
    receiver.until("outage.announced").await;
    let heard = receiver.heard();
    assert_eq!(heard.len(), receiver.taken().len(), "none was sent twice");
    // Whoever it was: the other goes on.
    first.signal("TERM");
    assert!(first.wait().0.success());
    client_says_last(&second.client()).await;
    let kinds = receiver.until("nodes.replaced").await;
    assert_eq!(kinds, all_kinds(&second.client(), "nodes.replaced", 2).await);
}

async fn what_is_no_longer_kept_is_owned_up_to(site: Site) {
    let receiver = Receiver::open().await;
    let settings = receiver.settings("log", "events = [\"agenda.revised\"]");
    let server = serve(&site, &settings).await;
    let hours = Hours::ahead();
    mark(&server.client(), hours).await;
    receiver.until("agenda.revised").await;
    webhook(&server.client(), "log", |it| it["delivered"] == 1).await;
    server.signal("TERM");
    assert!(server.wait().0.success());
    // Another service, which does not know the webhook, for longer than events are kept.
    let server = site.serve().await;
    furnish(&server.client(), 2, None).await;
    site.execute("DELETE FROM events WHERE id < (SELECT MAX(id) FROM events)").await;
    drop(server);
    let server = serve(&site, &settings).await;
    eventually(&receiver, |body| body["type"] == "stream.reset").await;
    let kinds = receiver.until("agenda.revised").await;
    assert_eq!(kinds, ["agenda.revised", "stream.reset", "agenda.revised"]);
    webhook(&server.client(), "log", |it| it["delivered"] == 3).await;
}

/// Of three nodes two are booked. One fails and the third comes; then that fails as well.
async fn nodes_that_fail_are_told(site: Site) {
    let receiver = Receiver::open().await;
    let events = "events = [\"reservation.nodes_replaced\", \"reservation.degraded\"]";
    let server = serve(&site, &receiver.settings("pager", events)).await;
    let client = server.client();
    let hours = furnish(&client, 3, None).await;
    let held = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &held, "energy_cost_co2").await;
    for (node, kinds) in [
        ("n1", &["reservation.nodes_replaced"][..]),
        ("n2", &["reservation.nodes_replaced", "reservation.degraded"]),
    ] {
        client.post("/api/v1/outages", &json!({ "nodes": [node] })).await.ok(201);
        assert_eq!(receiver.until(kinds[kinds.len() - 1]).await, kinds);
    }
    assert!(receiver.taken().iter().all(|told| told["data"]["reservation_id"] == held["id"]));
}
