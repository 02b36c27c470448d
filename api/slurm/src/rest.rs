//! Requests to slurmrestd, and what its answers mean.

use std::time::{Duration, Instant};

use planner::resource_manager::ManagerError;
use reqwest::header::{HeaderValue, InvalidHeaderValue};
use reqwest::{Client, Method, StatusCode};
use serde::de::{DeserializeOwned, IgnoredAny};
use url::Url;

use crate::document::{Complaint, Document};
use crate::settings::{RestAddress, SlurmSettings};
use crate::token::TokenSource;

/// No answer is read further: 10,000 jobs take about 50 MB.
const MAX_BODY_BYTES: usize = 256 << 20;

/// What is told of an answer that is no document.
const EXCERPT_CHARACTERS: usize = 200;

/// Where 22.05 does not reach its controller it says so after nine seconds of trying; tokens that are
/// refused it tells at once, in the same words.
const REFUSED_AT_ONCE: Duration = Duration::from_secs(3);

/// Numbers of Slurm that say who asks is not accepted: access denied, protocol authentication error.
const DENIED: [i64; 2] = [2002, 1007];

/// Numbers of Slurm that say it does not reach one of its own parts, or is too busy.
const UNREACHABLE: [std::ops::RangeInclusive<i64>; 3] = [1000..=1899, 5000..=5999, 7000..=7000];

/// "Invalid user id": of who asks or of who is named.
pub(crate) const INVALID_USER: i64 = 2010;

/// "Requested reservation is invalid": there is none, or its nodes do not exist.
pub(crate) const INVALID_RESERVATION: i64 = 2053;

/// A slurmrestd, and who asks it.
#[derive(Debug)]
pub(crate) struct Rest {
    client: Client,
    base: Url,
    address: RestAddress,
    user: HeaderValue,
    user_name: String,
    token: TokenSource,
}

/// An answer, complete.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    body: Vec<u8>,
    took: Duration,
    /// Whether something was only read.
    is_read: bool,
}

impl Rest {
    /// # Errors
    /// Unsupported where the settings cannot be used.
    pub fn new(address: RestAddress, settings: &SlurmSettings) -> Result<Self, ManagerError> {
        let unusable = |what: String| ManagerError::Unsupported(format!("[slurm] {what}"));
        let user = HeaderValue::from_str(&settings.user);
        let user = user.map_err(|error: InvalidHeaderValue| unusable(format!("user: {error}")))?;
        // An error means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .user_agent(concat!("wattbook/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.timeout)
            .timeout(settings.timeout)
            .http1_only()
            // A connection that a restarted slurmrestd left behind would fail writes that may have been done.
            .pool_max_idle_per_host(0)
            .no_proxy()
            .referer(false)
            .redirect(reqwest::redirect::Policy::none());
        let (builder, base) = match &address {
            // The host is not looked up; it is what the header says.
            RestAddress::Unix(path) => {
                (builder.unix_socket(path.clone()), Url::parse("http://localhost/"))
            }
            RestAddress::Http(url) => (builder, Ok(url.clone())),
        };
        let base = base.map_err(|error| unusable(format!("rest: {error}")))?;
        let client = builder.build().map_err(|error| unusable(format!("rest: {error}")))?;
        let (user_name, token) = (settings.user.clone(), settings.token.clone());
        Ok(Self { client, base, address, user, user_name, token })
    }

    /// The document at `path`; `None` where nothing changed since what the query names.
    ///
    /// # Errors
    /// Whatever the answer says, or that there is none.
    pub async fn get<T: DeserializeOwned + Send + 'static>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<Option<Document<T>>, ManagerError> {
        let answer = self.send(Method::GET, path, query, None).await?;
        if answer.status == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        // Of a large site these are tens of megabytes.
        let place = path.to_owned();
        let read = blocking(move || document(&place, &answer)).await?;
        read.map(Some).map_err(|error| self.explained(error))
    }

    /// Writes by `method`, with a JSON body where one is given.
    ///
    /// # Errors
    /// Whatever the answer says, or that there is none: then it may have been done.
    pub async fn write(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<Document<IgnoredAny>, ManagerError> {
        let answer = self.send(method, path, &[], body).await?;
        document(path, &answer).map_err(|error| self.explained(error))
    }

    /// The body of what is no [`Document`], of a success.
    pub async fn raw(&self, path: &str) -> Result<Vec<u8>, ManagerError> {
        let answer = self.send(Method::GET, path, &[], None).await?;
        if answer.status.is_success() {
            Ok(answer.body)
        } else {
            Err(self.explained(refusal(&answer, &[])))
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, String)],
        body: Option<&serde_json::Value>,
    ) -> Result<Answer, ManagerError> {
        let url = self.base.join(path).map_err(|error| self.unreachable(&error))?;
        let token = self.token.token(&self.user_name).await?;
        let token = HeaderValue::from_str(token.text());
        let mut token = token.map_err(|error| ManagerError::Denied(error.to_string()))?;
        token.set_sensitive(true);
        let is_read = method == Method::GET;
        let mut request = self.client.request(method, url).query(query);
        request = request.header("X-SLURM-USER-NAME", &self.user);
        request = request.header("X-SLURM-USER-TOKEN", token);
        if let Some(body) = body {
            request = request.json(body);
        }
        let began = Instant::now();
        let mut response = request.send().await.map_err(|error| self.no_answer(error))?;
        let (status, mut body) = (response.status(), Vec::new());
        let is_too_long = |length: usize| length > MAX_BODY_BYTES;
        if response.content_length().is_some_and(|it| usize::try_from(it).is_ok_and(is_too_long)) {
            return Err(too_long(path));
        }
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if is_too_long(body.len() + chunk.len()) => {
                    return Err(too_long(path));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(Answer { status, body, took: began.elapsed(), is_read }),
                Err(error) if error.is_timeout() => return Err(self.no_answer(error)),
                Err(error) => return Err(unreadable(path, &format!("is cut: {}", words(&error)))),
            }
        }
    }

    /// What may be wrong with tokens that are made here, where they are refused.
    fn explained(&self, error: ManagerError) -> ManagerError {
        match (error, &self.token) {
            (ManagerError::Denied(message), TokenSource::Key { file, lifetime }) => {
                ManagerError::Denied(format!(
                    "{message}; is {} the key of the controller, and does its clock differ from this host's by                      less than {} s?",
                    file.display(),
                    lifetime.as_secs()
                ))
            }
            (error, _) => error,
        }
    }

    fn no_answer(&self, error: reqwest::Error) -> ManagerError {
        self.unreachable(&error.without_url())
    }

    fn unreachable(&self, error: &dyn std::error::Error) -> ManagerError {
        ManagerError::Unreachable(format!("slurmrestd at {}: {}", self.address, words(error)))
    }
}

/// What takes long to compute, beside the threads that wait for others.
pub(crate) async fn blocking<T: Send + 'static>(
    compute: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ManagerError> {
    let computed = tokio::task::spawn_blocking(compute).await;
    computed.map_err(|error| ManagerError::Unreadable(format!("an answer: {error}")))
}

/// An error and its causes.
fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

fn too_long(path: &str) -> ManagerError {
    unreadable(path, "is longer than 256 MiB")
}

fn unreadable(path: &str, what: &str) -> ManagerError {
    ManagerError::Unreadable(format!("what slurmrestd answers at /{path} {what}"))
}

/// The document of an answer that complains of nothing.
fn document<T: DeserializeOwned>(path: &str, answer: &Answer) -> Result<Document<T>, ManagerError> {
    if !answer.status.is_success() {
        let told = serde_json::from_slice::<Document<IgnoredAny>>(&answer.body);
        return Err(refusal(answer, &told.map(|it| it.errors).unwrap_or_default()));
    }
    let document: Document<T> = serde_json::from_slice(&answer.body)
        .map_err(|error| unreadable(path, &format!("is no such document: {error}")))?;
    if document.errors.is_empty() { Ok(document) } else { Err(refusal(answer, &document.errors)) }
}

/// The document of an answer with this status and body, which came at once.
#[cfg(feature = "fuzzing")]
pub(crate) fn document_of<T: DeserializeOwned>(
    status: u16,
    body: &[u8],
) -> Result<Document<T>, ManagerError> {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    document("", &Answer { status, body: body.to_vec(), took: Duration::ZERO, is_read: true })
}

/// What an answer that is no success means.
fn refusal(answer: &Answer, complaints: &[Complaint]) -> ManagerError {
    let status = answer.status;
    let message = complaints.first().map_or_else(|| excerpt(answer), complaint_words);
    let code = complaints.iter().find_map(|it| it.error_number);
    match (status.as_u16(), code) {
        (401 | 403 | 511, _) => ManagerError::Denied(message),
        (_, Some(code)) if DENIED.contains(&code) => ManagerError::Denied(message),
        // 26.05 says nothing else where it is to make a reservation for a user that it does not know.
        (500, Some(-1)) if !answer.is_read => refused(
            code,
            format!("{message} (such as a user or an account that is unknown to Slurm)"),
        ),
        (500, Some(-1)) if answer.took < REFUSED_AT_ONCE => ManagerError::Denied(format!(
            "{message} (which is how this version answers tokens that it does not accept)"
        )),
        (408 | 425 | 429 | 500.., Some(-1) | None) => {
            ManagerError::Unreachable(format!("{message} ({status})"))
        }
        (_, Some(code)) if UNREACHABLE.iter().any(|codes| codes.contains(&code)) => {
            ManagerError::Unreachable(format!("{message} ({status}, {code})"))
        }
        (404 | 405, None) => ManagerError::Unsupported(format!(
            "this slurmrestd does not offer what was asked of it: {message} ({status})"
        )),
        (_, code) => refused(code, message),
    }
}

/// A refusal by Slurm's own number, with what the words do not say.
pub(crate) fn refused(code: Option<i64>, message: String) -> ManagerError {
    let message = match code {
        Some(INVALID_USER) => format!(
            "{message} (the service's user may not do this, or a user that was named is unknown to Slurm)"
        ),
        _ => message,
    };
    ManagerError::Refused { code, message }
}

fn complaint_words(complaint: &Complaint) -> String {
    let parts = [&complaint.error, &complaint.description];
    let said = parts.into_iter().flatten().filter(|it| !it.is_empty());
    let said: Vec<_> = said.map(String::as_str).collect();
    if said.is_empty() { "no reason was given".to_owned() } else { said.join(": ") }
}

/// The beginning of an answer that is no document.
fn excerpt(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let text: String =
        text.chars().filter(|it| !it.is_control()).take(EXCERPT_CHARACTERS).collect();
    if text.is_empty() { format!("an empty answer, {}", answer.status) } else { text }
}
