//! The service that a command speaks to.

use anyhow::{Context, anyhow};
use axum::http::Method;
use grid_feeds::feed::Secret;
use grid_feeds::http::{Http, Timeouts};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::cli::Failure;
use crate::cli::identity::Identity;

/// Which service, and who asks.
#[derive(clap::Args)]
pub struct Connection {
    /// Where the service is
    #[arg(long, env = "WATTBOOK_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    #[command(flatten)]
    identity: Identity,
}

/// A service, and who asks it.
pub struct Server {
    http: Http,
    base: String,
    token: Option<Secret>,
}

/// What the service says when it cannot do what was asked.
#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    #[serde(default)]
    errors: Vec<PlacedError>,
    #[serde(default)]
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
struct PlacedError {
    pointer: Option<String>,
    place: Option<String>,
    detail: String,
}

/// Why starts are excluded.
#[derive(Deserialize)]
pub struct Reason {
    pub detail: String,
}

impl Connection {
    /// # Errors
    /// Where the token's file cannot be read or TLS cannot be set up.
    pub fn open(&self) -> anyhow::Result<Server> {
        let token = self.identity.token()?;
        let base = format!("{}/api/v1", self.url.trim_end_matches('/'));
        Ok(Server { http: Http::new(Timeouts::default())?, base, token })
    }
}

impl Server {
    /// Asks for a document.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.call(Method::GET, path, None).await
    }

    /// Sends a body; one that is sent twice by the network is done once.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Map<String, Value>,
    ) -> Result<T, Failure> {
        self.call(Method::POST, path, Some(Value::Object(body))).await
    }

    /// Ends something.
    pub async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.call(Method::DELETE, path, None).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<T, Failure> {
        let mut request = self.http.request(method, format!("{}/{path}", self.base));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose());
        }
        if let Some(body) = body {
            request = request.header("Idempotency-Key", Uuid::now_v7().to_string()).json(&body);
        }
        let answer = request.send().await.map_err(|error| {
            anyhow::Error::new(error.without_url())
                .context(format!("{} does not answer; --url says where the service is", self.base))
        })?;
        let status = answer.status();
        let text = answer.text().await.context("the answer broke off")?;
        if status.is_success() {
            let read = serde_json::from_str(&text);
            return Ok(read.context("the answer is not of a Wattbook service of this version")?);
        }
        Err(match serde_json::from_str::<Problem>(&text) {
            Ok(problem) => failure(status.as_u16(), problem),
            Err(_) => anyhow!("{} answers {status}: is it a Wattbook service?", self.base).into(),
        })
    }
}

fn failure(status: u16, problem: Problem) -> Failure {
    let Problem { code, detail, errors, reasons } = problem;
    match (status, code.as_str()) {
        (_, "impossible") => {
            eprintln!("impossible: {detail}");
            for Reason { detail } in reasons {
                eprintln!("  {detail}");
            }
            Failure::Impossible
        }
        (400 | 413 | 415 | 422, _) => {
            let told = |PlacedError { pointer, place, detail }| {
                let place = pointer.or(place).unwrap_or_default();
                match place.trim_start_matches('/') {
                    "" => detail,
                    place => format!("{place}: {detail}"),
                }
            };
            let told: Vec<String> = errors.into_iter().map(told).collect();
            Failure::BadInput(if told.is_empty() { vec![detail] } else { told })
        }
        (409 | 412, _) => Failure::Conflict(detail),
        (401, _) => anyhow!("{detail}; --token-file or WATTBOOK_TOKEN give a token").into(),
        _ => anyhow!(detail).into(),
    }
}
