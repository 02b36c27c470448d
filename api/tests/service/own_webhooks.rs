//! Webhooks of users' own: told of what is theirs, signed by a secret of theirs, and only where the site lets them be.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;

use crate::client::Client;
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::dialogue::until;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_webhook_of_one_s_own_is_told_what_is_one_s_own_and_signed,
    a_webhook_is_nowhere_where_the_service_alone_can_ask,
}

const NOTIFICATIONS: &str = "/api/v1/notifications";

/// A message: its headers and its body.
type Message = (HeaderMap, String);

#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<Vec<Message>>>);

impl Receiver {
    async fn open() -> (Self, SocketAddr) {
        let receiver = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = axum::Router::new().route("/hook", post(hear)).with_state(receiver.clone());
        tokio::spawn(axum::serve(listener, app).into_future());
        (receiver, address)
    }

    fn heard(&self) -> Vec<Message> {
        self.0.lock().unwrap().clone()
    }

    /// The bodies of the messages, once there are so many, each signed by a secret.
    async fn bodies(&self, count: usize, secret: &str) -> Vec<Value> {
        for _ in 0..600 {
            if self.heard().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let verified = |(headers, body): Message| {
            let header = |name: &str| headers[name].to_str().unwrap().to_owned();
            let signed = format!("{}.{}.{body}", header("webhook-id"), header("webhook-timestamp"));
            let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
            mac.update(signed.as_bytes());
            let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
            assert_eq!(header("webhook-signature"), signature);
            serde_json::from_str(&body).unwrap()
        };
        self.heard().into_iter().map(verified).collect()
    }
}

async fn hear(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> StatusCode {
    receiver.0.lock().unwrap().push((headers, body));
    StatusCode::NO_CONTENT
}

async fn come_and_go(client: &Client, hours: Hours) -> Value {
    let reservation = propose(client, &hours.request(1, 2, 6)).await;
    choose(client, &reservation, "cost_co2_energy").await;
    client.delete(&path(&reservation)).await.ok(200)
}

async fn a_webhook_of_one_s_own_is_told_what_is_one_s_own_and_signed(site: Site) {
    std::fs::write(site.folder().join("wattbook.toml"), "private_webhooks = true\n").unwrap();
    let [ada, bob] = ["ada", "bob"].map(|name| site.token(name, "user"));
    let operator = site.token("op", "operator");
    let server = site.serve_with(&["--config", "wattbook.toml"]).await;
    let hours = furnish(&server.client().with_token(&operator), 2, None).await;
    let (ada, bob) = (server.client().with_token(&ada), server.client().with_token(&bob));
    let (receiver, address) = Receiver::open().await;
    let url = format!("http://{address}/hook");
    let made = ada.put(NOTIFICATIONS, &json!({ "webhook_url": url })).await.ok(200);
    let secret = made["webhook_secret"].as_str().unwrap();
    assert_eq!((&made["webhook_url"], secret.len()), (&json!(url), 64));
    let shown = ada.get(NOTIFICATIONS).await.ok(200);
    assert_eq!((&shown["webhook_url"], &shown["webhook_secret"]), (&json!(url), &Value::Null));
    assert_eq!(bob.get(NOTIFICATIONS).await.ok(200)["webhook_url"], Value::Null);
    come_and_go(&bob, hours).await;
    let reservation = come_and_go(&ada, hours).await;
    let bodies = receiver.bodies(3, secret).await;
    let kinds: Vec<&str> = bodies.iter().map(|body| body["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["proposed", "confirmed", "cancelled"].map(|it| format!("reservation.{it}")));
    for body in &bodies {
        let of = (&body["data"]["owner"], &body["data"]["reservation_id"]);
        assert_eq!(of, (&json!("ada"), &reservation["id"]));
    }
    // Whoever has none any more is told no more.
    let ended = ada.put(NOTIFICATIONS, &json!({ "webhook_url": null })).await.ok(200);
    assert_eq!((&ended["webhook_url"], &ended["webhook_status"]), (&Value::Null, &Value::Null));
    come_and_go(&ada, hours).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(receiver.heard().len(), 3);
    assert!(!server.log().contains(secret));
}

async fn a_webhook_is_nowhere_where_the_service_alone_can_ask(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    for wrong in [
        "http://hooks.site.example/",
        "https://127.0.0.1/",
        "https://10.0.0.7/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.7]/",
        "https://0x7f.1/",
        "file:///etc/passwd",
    ] {
        let answered = client.put(NOTIFICATIONS, &json!({ "webhook_url": wrong })).await;
        let problem = answered.problem(400, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/webhook_url", "{wrong}");
    }
    // A name is judged by where it leads, each time.
    let (receiver, address) = Receiver::open().await;
    let url = format!("https://localhost:{}/hook", address.port());
    client.put(NOTIFICATIONS, &json!({ "webhook_url": url })).await.ok(200);
    come_and_go(&client, hours).await;
    until(&client, NOTIFICATIONS, |it| it["webhook_status"] == "failing").await;
    assert!(receiver.heard().is_empty());
}
