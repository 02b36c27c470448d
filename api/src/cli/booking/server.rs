//! The service that a command speaks to.

use anyhow::{Context, anyhow};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use grid_feeds::feed::Secret;
use grid_feeds::http::{Http, Timeouts};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use super::answers::{ReasonAnswer, local_text as shown};
use crate::cli::identity::Identity;
use crate::cli::{Failure, tell};

/// The service to ask, and the token to ask with.
#[derive(clap::Args)]
pub struct Connection {
    /// Where the service is; http unless it says https
    #[arg(
        long, env = "WATTBOOK_URL", value_name = "URL", default_value = "http://127.0.0.1:8080",
        value_parser = address
    )]
    url: String,
    #[command(flatten)]
    identity: Identity,
}

/// An address of a service, with its scheme.
fn address(text: &str) -> Result<String, String> {
    let whole = match text.trim() {
        text if text.contains("://") => text.to_owned(),
        text => format!("http://{text}"),
    };
    let example =
        "an address such as http://127.0.0.1:8080, node7:8080 or https://wattbook.example";
    let read = Url::parse(&whole).map_err(|error| format!("is not {example}: {error}"))?;
    match read.scheme() {
        "http" | "https" if read.query().is_none() && read.fragment().is_none() => Ok(whole),
        _ => Err(format!("is not {example}")),
    }
}

/// A service, and who asks it.
pub struct Server {
    http: Http,
    base: String,
    token: Option<Secret>,
}

/// The body of a request.
enum Sent {
    Json(Value),
    Csv(String),
}

/// What the service says when it cannot do what was asked.
#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    #[serde(default)]
    errors: Vec<PlacedError>,
    #[serde(default)]
    reasons: Vec<ReasonAnswer>,
}

#[derive(Deserialize)]
struct PlacedError {
    pointer: Option<String>,
    place: Option<String>,
    detail: String,
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
        self.call(Method::GET, path, &[], None).await
    }

    /// Asks for a document with a query.
    pub async fn get_with<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<T, Failure> {
        self.call(Method::GET, path, query, None).await
    }

    /// Sends a body; one that is sent twice by the network is done once.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Map<String, Value>,
    ) -> Result<T, Failure> {
        self.call(Method::POST, path, &[], Some(Sent::Json(Value::Object(body)))).await
    }

    /// Sends a table.
    pub async fn post_csv<T: DeserializeOwned>(
        &self,
        path: &str,
        table: String,
    ) -> Result<T, Failure> {
        self.call(Method::POST, path, &[], Some(Sent::Csv(table))).await
    }

    /// Sends `DELETE` and reads the answer.
    pub async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.call(Method::DELETE, path, &[], None).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, String)],
        body: Option<Sent>,
    ) -> Result<T, Failure> {
        let mut address = Url::parse(&format!("{}/{path}", self.base))?;
        if !query.is_empty() {
            address.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, address);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose());
        }
        request = match body {
            None => request,
            Some(Sent::Json(body)) => {
                request.header("Idempotency-Key", Uuid::now_v7().to_string()).json(&body)
            }
            Some(Sent::Csv(table)) => request.header(CONTENT_TYPE, "text/csv").body(table),
        };
        let answer = request.send().await.map_err(|error| {
            let told = format!("{} does not answer; --url says where the service is", self.base);
            Failure::Unavailable(anyhow::Error::new(error.without_url()).context(told))
        })?;
        let status = answer.status();
        let text = answer.text().await.context("the answer broke off");
        let text = text.map_err(Failure::Unavailable)?;
        if status.is_success() {
            let read = serde_json::from_str(&text);
            return Ok(read.context("the answer is not of a Wattbook service of this version")?);
        }
        let failure = match serde_json::from_str::<Problem>(&text) {
            Ok(problem) => failure(status.as_u16(), problem),
            Err(_) => anyhow!("{} answers {status}: is it a Wattbook service?", self.base).into(),
        };
        Err(match failure {
            Failure::Other(error) if status.is_server_error() => Failure::Unavailable(error),
            failure => failure,
        })
    }
}

fn failure(status: u16, problem: Problem) -> Failure {
    let Problem { code, detail, errors, reasons } = problem;
    match (status, code.as_str()) {
        (_, "impossible") => {
            tell(format_args!("impossible: {}", shown(&detail)));
            for ReasonAnswer { detail } in reasons {
                tell(format_args!("  {}", shown(&detail)));
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
            let told = if told.is_empty() { vec![detail] } else { told };
            Failure::BadInput(told.iter().map(|it| shown(it)).collect())
        }
        (409 | 412, _) => Failure::Conflict(shown(&detail)),
        (401, _) => anyhow!("{detail}; --token-file or WATTBOOK_TOKEN give a token").into(),
        _ => anyhow!(detail).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_need_no_scheme_and_take_no_other_one() {
        for (text, whole) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("node7:8080", "http://node7:8080"),
            ("[::1]:80", "http://[::1]:80"),
            ("https://wattbook.example/site/", "https://wattbook.example/site/"),
        ] {
            assert_eq!(address(text), Ok(whole.to_owned()));
        }
        for text in ["", "ftp://node7", "http://", "node7:port", "node7:8080/?a=b"] {
            let told = address(text).unwrap_err();
            assert!(told.starts_with("is not an address such as http://"), "{told}");
        }
    }
}
