//! An issuer of access tokens: its description and its keys over HTTP, as faulty as a test wants.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::server::Server;
use crate::site::Site;

/// A key by which tokens are signed.
#[derive(Clone)]
pub struct Key {
    pub id: String,
    pub secret: EncodingKey,
}

/// What the issuer answers.
#[derive(Default)]
struct Answers {
    keys: Vec<Value>,
    is_down: bool,
    takes: Duration,
    /// How often it was asked for its keys.
    asked: u32,
}

/// A running issuer.
#[derive(Clone)]
pub struct Issuer {
    /// As its tokens name it.
    pub address: String,
    answers: Arc<Mutex<Answers>>,
}

impl Key {
    /// A new key for ES256.
    pub fn new(id: &str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let der = pair.to_pkcs8v1().unwrap();
        Self { id: id.to_owned(), secret: EncodingKey::from_ec_der(der.as_ref()) }
    }

    /// What is public of it.
    pub fn public(&self) -> Value {
        let mut jwk = Jwk::from_encoding_key(&self.secret, Algorithm::ES256).unwrap();
        jwk.common.key_id = Some(self.id.clone());
        serde_json::to_value(jwk).unwrap()
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &Value) -> String {
        let header = Header {
            kid: Some(self.id.clone()),
            typ: Some("at+jwt".to_owned()),
            ..Header::new(Algorithm::ES256)
        };
        encode(&header, claims, &self.secret).unwrap()
    }
}

impl Issuer {
    /// An issuer at a free port, with a key.
    pub async fn start(key: &Key) -> Self {
        let answers = Arc::new(Mutex::new(Answers::default()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let description = json!({
            "issuer": address,
            "jwks_uri": format!("{address}/keys"),
            "device_authorization_endpoint": format!("{address}/device"),
        });
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(async || Json(description)))
            .route("/keys", get(keys))
            .route("/device", post(device_code))
            .with_state(Arc::clone(&answers));
        tokio::spawn(async { axum::serve(listener, routes).await.unwrap() });
        let issuer = Self { address, answers };
        issuer.publish(&[key]);
        issuer
    }

    /// Publishes these keys in place of those before.
    pub fn publish(&self, keys: &[&Key]) {
        self.answers.lock().unwrap().keys = keys.iter().map(|key| key.public()).collect();
    }

    /// How long an answer takes from now on.
    pub fn takes(&self, time: Duration) {
        self.answers.lock().unwrap().takes = time;
    }

    /// Whether it answers from now on.
    pub fn is_down(&self, is_down: bool) {
        self.answers.lock().unwrap().is_down = is_down;
    }

    /// How often it was asked for its keys.
    pub fn asked(&self) -> u32 {
        self.answers.lock().unwrap().asked
    }

    /// What an access token says for somebody in a group, for ten minutes.
    pub fn claims(&self, name: &str, group: &str) -> Value {
        let now = jsonwebtoken::get_current_timestamp();
        json!({
            "iss": self.address, "aud": "wattbook", "sub": format!("subject-of-{name}"),
            "preferred_username": name, "groups": [group], "client_id": "wattbook-cli",
            "iat": now, "exp": now + 600,
        })
    }

    /// The service with this issuer, and more of its section.
    pub async fn serve(&self, site: &Site, more: &str) -> Server {
        let settings = site.folder().join("sign-in.toml");
        let section = format!(
            "[[sign_in]]\nissuer = {:?}\naudience = \"wattbook\"\nname_claim = \"preferred_username\"\n\
             users = [\"hpc\"]\noperators = [\"admins\"]\nsuppliers = [\"grid\"]\n{more}\n",
            self.address
        );
        std::fs::write(&settings, section).unwrap();
        let mut command = site.command(&["serve", "--listen", "127.0.0.1:0", "--config"]);
        command.arg(settings).env("WATTBOOK_LOG", "trace");
        Server::start(command).await
    }
}

async fn device_code(State(answers): State<Arc<Mutex<Answers>>>) -> Json<Value> {
    let takes = answers.lock().unwrap().takes;
    tokio::time::sleep(takes).await;
    Json(json!({
        "device_code": "d", "user_code": "WDJB-MJHT", "verification_uri": "http://127.0.0.1/", "expires_in": 600,
    }))
}

async fn keys(State(answers): State<Arc<Mutex<Answers>>>) -> Result<Json<Value>, StatusCode> {
    let takes = {
        let mut answers = answers.lock().unwrap();
        answers.asked += 1;
        answers.takes
    };
    tokio::time::sleep(takes).await;
    let answers = answers.lock().unwrap();
    if answers.is_down {
        return Err(StatusCode::BAD_GATEWAY);
    }
    Ok(Json(json!({ "keys": answers.keys })))
}
