//! The service that a command speaks to.

use anyhow::{Context, anyhow};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use grid_feeds::feed::Secret;
use grid_feeds::http::{Http, Timeouts, follow};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use url::Url;
use uuid::Uuid;

use super::answers::{ReasonAnswer, local_text as shown};
use crate::cli::identity::Identity;
use crate::cli::session::{Session, SessionFile};
use crate::cli::{Failure, tell};

/// Where an answer is none of ours.
const NOT_OURS: &str = "the answer is not of a Wattbook service of this version";

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

/// Where a service is, and for whom it is asked.
#[derive(clap::Args)]
pub struct ActingConnection {
    /// Act for this user, by their rights and quotas: for operators, managers of their project, and whom the site lets
    #[arg(long = "for", value_name = "USER")]
    user: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl ActingConnection {
    /// # Errors
    /// Where the token's file cannot be read or TLS cannot be set up.
    pub fn open(&self) -> anyhow::Result<Server> {
        Ok(Server { acting_for: self.user.clone(), ..self.connection.open()? })
    }
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
    credential: Credential,
    /// For whom it is asked; for oneself unless given.
    acting_for: Option<String>,
}

/// As whom a service is asked.
enum Credential {
    /// As nobody, or as who is the service's only user.
    Nobody,
    /// By a token that was given.
    Token(Secret),
    /// As who signed in.
    SignedIn(SessionFile),
}

/// Why a service does not do what it is asked.
#[derive(Deserialize)]
pub struct Refusal {
    /// A stable word for it.
    pub code: String,
    /// What is wrong, and the way out.
    pub detail: String,
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
        let server = self.open_as_nobody()?;
        let credential = match self.identity.token()? {
            Some(token) => Credential::Token(token),
            None => server.session_file().map_or(Credential::Nobody, Credential::SignedIn),
        };
        Ok(Server { credential, ..server })
    }

    /// # Errors
    /// TLS cannot be set up.
    pub fn open_as_nobody(&self) -> anyhow::Result<Server> {
        let base = format!("{}/api/v1", self.url.trim_end_matches('/'));
        let (http, credential) = (Http::new(Timeouts::default())?, Credential::Nobody);
        Ok(Server { http, base, credential, acting_for: None })
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

    /// Sends a patch.
    pub async fn patch<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Map<String, Value>,
    ) -> Result<T, Failure> {
        self.call(Method::PATCH, path, &[], Some(Sent::Json(Value::Object(body)))).await
    }

    /// Sends a table.
    pub async fn post_csv<T: DeserializeOwned>(
        &self,
        path: &str,
        table: String,
    ) -> Result<T, Failure> {
        self.call(Method::POST, path, &[], Some(Sent::Csv(table))).await
    }

    /// Puts a document.
    pub async fn put<T: DeserializeOwned>(&self, path: &str, body: Value) -> Result<T, Failure> {
        self.call(Method::PUT, path, &[], Some(Sent::Json(body))).await
    }

    /// Puts a table.
    pub async fn put_csv<T: DeserializeOwned>(
        &self,
        path: &str,
        table: String,
    ) -> Result<T, Failure> {
        self.call(Method::PUT, path, &[], Some(Sent::Csv(table))).await
    }

    /// Sends `DELETE` and reads the answer.
    pub async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.call(Method::DELETE, path, &[], None).await
    }

    /// Sends a body as nobody; why the service does not do it, for who can make something of it.
    pub async fn attempt<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Map<String, Value>,
    ) -> Result<Result<T, Refusal>, Failure> {
        let body = Some(Sent::Json(Value::Object(body)));
        let (status, text) = self.exchange(Method::POST, path, &[], body, None).await?;
        if status.is_success() {
            return answered(&text).map(Ok);
        }
        let refusal = serde_json::from_str(&text);
        let refusal = refusal
            .map_err(|_| anyhow!("{} answers {status}: is it a Wattbook service?", self.base))?;
        if status.is_server_error() {
            let Refusal { detail, .. } = refusal;
            return Err(Failure::Unavailable(anyhow!(detail)));
        }
        Ok(Err(refusal))
    }

    /// The whole address of a path at the service that an answer names.
    pub fn absolute(&self, path: &str) -> anyhow::Result<Url> {
        let base = self.base.trim_end_matches("/api/v1");
        Url::parse(&format!("{base}{path}")).context(NOT_OURS)
    }

    /// The service, asked as who signed in.
    pub fn signed_in(self, file: SessionFile) -> Self {
        Self { credential: Credential::SignedIn(file), ..self }
    }

    /// Where sign-ins at this service are kept; `None` where the user has no folder for it.
    pub fn session_file(&self) -> Option<SessionFile> {
        SessionFile::of(&self.base)
    }

    /// The token to ask with; one that is over soon is renewed.
    async fn token(&self) -> Result<Option<Secret>, Failure> {
        let file = match &self.credential {
            Credential::Nobody => return Ok(None),
            Credential::Token(token) => return Ok(Some(token.clone())),
            Credential::SignedIn(file) => file,
        };
        let session = match file.read()? {
            Some(session) if !session.is_fresh() => self.renewed(file).await?,
            session => session,
        };
        Ok(session.map(|it| Secret::new(&it.access_token)))
    }

    /// Who is signed in, with newer tokens. One command at a time asks for them: a refresh token may count once.
    async fn renewed(&self, file: &SessionFile) -> Result<Option<Session>, Failure> {
        let locked = file.lock()?;
        let Some(session) = file.read()? else { return Ok(None) };
        let Some(refresh_token) = session.refresh_token.as_ref().filter(|_| !session.is_fresh())
        else {
            return Ok(Some(session));
        };
        let body = json!({
            "issuer": session.issuer, "refresh_token": refresh_token, "program": "cli",
        });
        let Value::Object(body) = body else { return Ok(Some(session)) };
        let tokens = self.attempt("sign-in/tokens", body).await?;
        let tokens = tokens.map_err(|Refusal { detail, .. }| {
            anyhow!("your sign-in is over ({detail}); sign in again by `wattbook sign-in`")
        })?;
        let session = Session::of(&session.issuer, tokens, Some(&session));
        locked.write(Some(&session))?;
        Ok(Some(session))
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, String)],
        body: Option<Sent>,
    ) -> Result<T, Failure> {
        let token = self.token().await?;
        let (status, text) = self.exchange(method, path, query, body, token.as_ref()).await?;
        if status.is_success() {
            return answered(&text);
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

    /// What the service answers.
    async fn exchange(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, String)],
        body: Option<Sent>,
        token: Option<&Secret>,
    ) -> Result<(StatusCode, String), Failure> {
        let mut address = Url::parse(&format!("{}/{path}", self.base))?;
        if !query.is_empty() {
            address.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, address);
        if let Some(token) = token {
            request = request.bearer_auth(token.expose());
        }
        if let Some(user) = &self.acting_for {
            request = request.header("X-Wattbook-For", user.as_bytes());
        }
        request = match body {
            None => request,
            Some(Sent::Json(body)) => {
                request.header("Idempotency-Key", Uuid::now_v7().to_string()).json(&body)
            }
            Some(Sent::Csv(table)) => request.header(CONTENT_TYPE, "text/csv").body(table),
        };
        let answer = follow(request).await.map_err(|error| {
            let told = format!("{} does not answer; --url says where the service is", self.base);
            Failure::Unavailable(anyhow::Error::new(error.without_url()).context(told))
        })?;
        let status = answer.status();
        let text = answer.text().await.context("the answer broke off");
        Ok((status, text.map_err(Failure::Unavailable)?))
    }
}

/// What a service answers that does what it was asked.
fn answered<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    // Where there is nothing to tell.
    let text = if text.is_empty() { "null" } else { text };
    Ok(serde_json::from_str(text).context(NOT_OURS)?)
}

fn failure(status: u16, problem: Problem) -> Failure {
    let Problem { code, detail, errors, reasons } = problem;
    match (status, code.as_str()) {
        (_, "quota") => {
            tell(format_args!("impossible: {}", shown(&detail)));
            Failure::Impossible
        }
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
        (401, _) => anyhow!(
            "{detail} `wattbook sign-in` signs you in; --token-file or WATTBOOK_TOKEN give a token"
        )
        .into(),
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
